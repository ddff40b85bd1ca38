import { assert } from '../../core/assert.js';
import type { Files } from '../../core/ports.js';
import { encodeBase, type LogBase } from './log-base.js';
import { LogWriteError } from './log-write-error.js';
import { readContents, type LogPaths } from './log-contents.js';
import {
  encodeBaseFrame,
  encodeFrame,
  FRAME_HEADER_BYTES,
  sameBytes,
  isSameLogPosition,
  type Frame,
  type LogPosition,
} from './log-frame.js';
import { readHead, slotOf } from './log-head.js';

export interface LogSnapshot {
  /** The records that replace all previous ones. */
  readonly payloads: readonly Uint8Array[];
  /** Records ever appended to this log, including those that earlier compactions removed. */
  readonly recordsBefore: number;
}

/** Base name of the files with the content that the n-th compaction replaced. */
export const archiveName = (name: string, number: number): string =>
  `${name}-${number.toString().padStart(6, '0')}`;

/**
 * Replaces a closed log by a snapshot (hazards K6, K7). The steps, each durable before the next:
 *
 *   1. write the old content under its archive name, head first: no record can be lost after this;
 *   2. write the new content under the log's name, by one rename: this is the compaction;
 *   3. write the head's sync marker.
 *
 * After a crash before 2, the log is the old one and the next compaction rewrites the archive. After a
 * crash before 3, the head still marks the end of the old log. The new log names that end in its base,
 * so opening it resumes with 3.
 *
 * @returns the number of the archive
 * @throws LogCorruptError when the log is not whole, LogWriteError when the disk fails
 */
export async function compactFramedLog(
  files: Files,
  directory: string,
  name: string,
  snapshot: LogSnapshot,
): Promise<number> {
  const paths = pathsOf(directory, name);
  const log = (await files.read(paths.log)) ?? new Uint8Array();
  const reading = readHead(await files.read(paths.head));
  const { synced, base } = readContents(paths, log, reading);
  const { head } = reading;
  assert(
    head !== undefined && synced.bytes === log.length && isSameLogPosition(head.position, synced),
    'A log is opened and closed before it is compacted',
  );
  const number = (base?.number ?? 0) + 1;
  const frames = framesOf(snapshot, { number, replaces: synced });
  try {
    await archive(files, pathsOf(directory, archiveName(name, number)), log, synced);
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
  position: LogPosition,
): Promise<void> {
  await files.replace(paths.head, slotOf({ generation: 0, position }).bytes);
  await files.replace(paths.log, log);
  const written = await files.read(paths.log);
  assert(written !== undefined && sameBytes(written, log), 'An archive holds what was replaced');
}

function framesOf(
  { payloads, recordsBefore }: LogSnapshot,
  { number, replaces }: Pick<LogBase, 'number' | 'replaces'>,
): Frame {
  const base = (snapshot: LogBase['snapshot']): Frame =>
    encodeBaseFrame(encodeBase({ number, replaces, recordsBefore, snapshot }));
  const count = payloads.length + 1;
  // The base frame has a fixed length, so a first one with 0 bytes gives the size.
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
