import { assert } from '../../core/assert.js';
import type { Files } from '../../core/ports.js';
import { encodeBase, type LogBase } from './log-base.js';
import { LogWriteError } from './framed-log.js';
import { readContents, type LogPaths } from './log-contents.js';
import {
  encodeBaseFrame,
  encodeFrame,
  FRAME_HEADER_BYTES,
  sameBytes,
  samePosition,
  type Frame,
  type Position,
} from './log-frame.js';
import { readHead, slotOf } from './log-head.js';

export interface Snapshot {
  /** The records that stand for all that were there. */
  readonly payloads: readonly Uint8Array[];
  /** Records ever appended to this log, those that earlier compactions let go included. */
  readonly recordsBefore: number;
}

/** Files of the content that the n-th compaction replaced. */
export const archiveName = (name: string, number: number): string =>
  `${name}-${number.toString().padStart(6, '0')}`;

/**
 * Puts a snapshot in the place of a log that nobody has open (hazards K6, K7). The steps, each durable
 * before the next:
 *
 *   1. the old content under its archive's name, head first: nothing is lost from here on;
 *   2. the new content under the log's own name, in one rename: the compaction has happened;
 *   3. the head's promise.
 *
 * Cut off before 2, the log is the old one, and the archive is written again the next time. Cut off
 * before 3, the head still promises the end of the old log, which the new one names as the log that
 * it replaces, so that opening it goes on with 3.
 *
 * @returns the number of the archive
 * @throws LogCorruptError when the log is not whole, LogWriteError when the disk fails
 */
export async function compactFramedLog(
  files: Files,
  directory: string,
  name: string,
  snapshot: Snapshot,
): Promise<number> {
  const paths = pathsOf(directory, name);
  const log = (await files.read(paths.log)) ?? new Uint8Array();
  const reading = readHead(await files.read(paths.head));
  const { promised, base } = readContents(paths, log, reading);
  const { head } = reading;
  assert(
    head !== undefined && promised.bytes === log.length && samePosition(head.position, promised),
    'A log is opened and closed before it is compacted',
  );
  const number = (base?.number ?? 0) + 1;
  const frames = framesOf(snapshot, { number, replaces: promised });
  try {
    await archive(files, pathsOf(directory, archiveName(name, number)), log, promised);
    await files.replace(paths.log, frames.bytes);
    const slot = slotOf({ generation: head.generation + 1, position: frames.end });
    await files.writeAt(paths.head, slot.offset, slot.bytes);
  } catch (error) {
    throw new LogWriteError(paths.log, error);
  }
  return number;
}

async function archive(
  files: Files,
  paths: LogPaths,
  log: Uint8Array,
  position: Position,
): Promise<void> {
  await files.replace(paths.head, slotOf({ generation: 0, position }).bytes);
  await files.replace(paths.log, log);
  const written = await files.read(paths.log);
  assert(written !== undefined && sameBytes(written, log), 'An archive holds what was replaced');
}

function framesOf(
  { payloads, recordsBefore }: Snapshot,
  { number, replaces }: Pick<LogBase, 'number' | 'replaces'>,
): Frame {
  const base = (snapshot: LogBase['snapshot']): Frame =>
    encodeBaseFrame(encodeBase({ number, replaces, recordsBefore, snapshot }));
  const count = payloads.length + 1;
  // Its length is the same whatever the sizes that it names.
  let bytes = base({ count, bytes: 0 }).bytes.length;
  for (const payload of payloads) bytes += FRAME_HEADER_BYTES + payload.length;
  const first = base({ count, bytes });
  const frames = [first.bytes];
  let { end } = first;
  for (const payload of payloads) {
    const frame = encodeFrame(payload, end);
    frames.push(frame.bytes);
    end = frame.end;
  }
  assert(end.bytes === bytes, 'A snapshot has the size that it names');
  return { bytes: Buffer.concat(frames), end };
}

const pathsOf = (directory: string, name: string): LogPaths => ({
  log: `${directory}/${name}.log`,
  head: `${directory}/${name}.head`,
});
