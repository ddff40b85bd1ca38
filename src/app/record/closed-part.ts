import { gunzipSync, gzipSync } from 'node:zlib';
import type { Files } from '../../core/ports.js';
import { openFramedLog } from '../../execution/log/framed-log.js';
import { LogCorruptError } from '../../execution/log/log-contents.js';
import { closedName, type Part } from './part-names.js';

/** Bytes → gzip. The daemon's does not keep its thread waiting. */
export type Gzip = (bytes: Uint8Array) => Promise<Uint8Array>;

export const gzipAtOnce: Gzip = (bytes) => Promise.resolve(gzipSync(bytes));

/** A closed part is at most a log of `MOST_BYTES` and one record more. */
const MOST_UNPACKED = 256 * 1024 * 1024;
const LINE_END = 0x0a;

export interface PartPorts {
  readonly files: Files;
  readonly gzip: Gzip;
  readonly utcMs: () => number;
}

/**
 * Puts a compressed file in the place of a log that nobody has open. The file is durable, under its
 * final name, before the log goes: cut off anywhere, one of the two is there whole, and doing it again
 * ends it.
 *
 * @throws LogCorruptError, LogWriteError
 */
export async function closePart(
  { files, gzip, utcMs }: PartPorts,
  folder: string,
  { stem }: Pick<Part, 'stem'>,
): Promise<void> {
  const log = await openFramedLog(files, folder, stem);
  await log.close();
  const payloads = log.read();
  if (payloads.length > 0) {
    const packed = await gzip(linesOf(payloads));
    await files.replace(`${folder}/${closedName(stem, utcMs())}`, packed);
  }
  await removeLog(files, folder, stem);
}

/** The log first: one without a head reads as damaged. */
export async function removeLog(files: Files, folder: string, stem: string): Promise<void> {
  for (const ending of ['.log', '.head']) await files.remove(`${folder}/${stem}${ending}`);
}

/** The records of a part. @throws LogCorruptError */
export async function readPart(
  files: Files,
  folder: string,
  part: Part,
): Promise<readonly Uint8Array[]> {
  if (part.closedAt === undefined) {
    const log = await openFramedLog(files, folder, part.stem);
    await log.close();
    return log.read();
  }
  const path = `${folder}/${part.file}`;
  return recordsIn((await files.read(path)) ?? new Uint8Array(), path);
}

/** @throws LogCorruptError */
export function recordsIn(packed: Uint8Array, path: string): readonly Uint8Array[] {
  const lines = unpacked(packed, path);
  const records: Uint8Array[] = [];
  for (let from = 0; from < lines.length;) {
    const end = lines.indexOf(LINE_END, from);
    if (end < 0) throw new LogCorruptError({ path, reason: 'its last line has no end' });
    records.push(lines.subarray(from, end));
    from = end + 1;
  }
  return records;
}

function unpacked(packed: Uint8Array, path: string): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: MOST_UNPACKED });
  } catch (error) {
    const reason = `it cannot be unpacked (${error instanceof Error ? error.message : String(error)})`;
    throw new LogCorruptError({ path, reason });
  }
}

/** Events are JSON, in which no line ends. */
function linesOf(payloads: readonly Uint8Array[]): Uint8Array {
  const lines = new Uint8Array(payloads.reduce((sum, { length }) => sum + length + 1, 0));
  let at = 0;
  for (const payload of payloads) {
    lines.set(payload, at);
    at += payload.length;
    lines[at] = LINE_END;
    at += 1;
  }
  return lines;
}
