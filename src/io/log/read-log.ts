import type { Files } from '../../core/ports.js';
import type { LogBase } from './log-base.js';
import { readContents } from './log-contents.js';
import { readHead } from './log-head.js';

/** The records of a framed log, as its files have them. */
export interface StoredLog {
  /** Of a compacted log: its first records are a snapshot. */
  readonly base: LogBase | undefined;
  readonly payloads: readonly Uint8Array[];
}

/**
 * Reads `directory/NAME.log` and changes nothing; a torn end is left out. An absent log has no records.
 * @throws LogCorruptError when a durable record is missing or altered, or another process compacts the log
 */
export async function readFramedLog(
  files: Pick<Files, 'read'>,
  directory: string,
  name: string,
): Promise<StoredLog> {
  const paths = { log: `${directory}/${name}.log`, head: `${directory}/${name}.head` };
  // The head first: the log is then at least as long as the head requires.
  const head = readHead(await files.read(paths.head));
  const log = (await files.read(paths.log)) ?? new Uint8Array();
  const { base, payloads } = readContents(paths, log, head);
  return { base, payloads };
}
