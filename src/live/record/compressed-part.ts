import { gunzipSync, gzipSync } from 'node:zlib';
import type { Files, Gzip } from '../../core/ports.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { LogCorruptError } from '../../io/log/log-contents.js';
import { readFramedLog } from '../../io/log/read-log.js';
import { compressedName, type RecordPart } from './part-names.js';

/** Compresses on the thread of its caller. The daemon's runs off its main thread. */
export const gzipInline: Gzip = (pieces) => {
  const copies = Array.from(pieces, (piece) => Uint8Array.from(piece));
  return Promise.resolve(gzipSync(Buffer.concat(copies)));
};

/** Maximum size of a closed part: a log of `MOST_BYTES` and one more record. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** Bytes that are compressed at a time: a whole part at once takes 11 MB, of which malloc keeps 7.5. */
const PIECE_BYTES = 64 * 1024;
const LINE_END = 0x0a;

export interface PartPorts {
  readonly files: Files;
  readonly gzip: Gzip;
  readonly utcMs: () => number;
}

/**
 * Replaces a log that no process has open by a compressed file. The file is durable under its final name
 * before the log is removed. After a crash at any point one of the two is complete, and a repetition finishes
 * the work.
 *
 * @throws LogCorruptError, LogWriteError
 */
export async function compressPart(
  { files, gzip, utcMs }: PartPorts,
  folder: string,
  { stem }: Pick<RecordPart, 'stem'>,
): Promise<void> {
  const log = await openFramedLog(files, folder, stem);
  await log.close();
  const payloads = log.read();
  if (payloads.length > 0) {
    const packed = await gzip(linesOf(payloads));
    await files.replace(`${folder}/${compressedName(stem, utcMs())}`, packed);
  }
  await removeLog(files, folder, stem);
}

/** The log first: a log without a head reads as damaged. */
export async function removeLog(files: Files, folder: string, stem: string): Promise<void> {
  for (const ending of ['.log', '.head']) await files.remove(`${folder}/${stem}${ending}`);
}

/** Records of a part. @throws LogCorruptError */
export async function readPart(
  files: Pick<Files, 'read'>,
  folder: string,
  part: RecordPart,
): Promise<readonly Uint8Array[]> {
  if (part.closedAt === undefined) return (await readFramedLog(files, folder, part.stem)).payloads;
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
    return gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    const reason = `it cannot be unpacked (${error instanceof Error ? error.message : String(error)})`;
    throw new LogCorruptError({ path, reason });
  }
}

/** Pieces of the text of a part, one line a record: events are JSON without line breaks. */
function* linesOf(payloads: readonly Uint8Array[]): Generator<Uint8Array> {
  let piece = new Uint8Array(PIECE_BYTES);
  let used = 0;
  for (const payload of payloads) {
    const size = payload.length + 1;
    if (used + size > piece.length) {
      yield piece.subarray(0, used);
      if (size > piece.length) piece = new Uint8Array(size);
      used = 0;
    }
    piece.set(payload, used);
    used += size;
    piece[used - 1] = LINE_END;
  }
  yield piece.subarray(0, used);
}
