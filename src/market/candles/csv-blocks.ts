import { createGunzip, gunzipSync } from 'node:zlib';
import { CandleFileError } from './candle-file-error.js';

/** Limit of an unpacked gzip, against decompression bombs: about twenty million rows. */
const MAX_BYTES = 1_200_000_000;
/** The first block holds the header and the lines above it. */
const BLOCK_BYTES = 1_048_576;
const NEWLINE = 10;
/** ISIZE, the last field of a gzip (RFC 1952): the size of its text modulo 2^32, little-endian. */
const SIZE_BYTES = 4;

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** The size of the text as the gzip states it, at most the limit: a hint, because the field may be wrong. */
export function unpackedSize(gzip: Uint8Array): number {
  if (gzip.length < SIZE_BYTES) return 0;
  const view = new DataView(gzip.buffer, gzip.byteOffset + gzip.length - SIZE_BYTES, SIZE_BYTES);
  // No text shrinks by more than 1032 (deflate), so a size beyond that is wrong.
  return Math.min(view.getUint32(0, true), gzip.length * 1_032, MAX_BYTES);
}

/** Unpacks a gzip and returns other bytes unchanged. @throws CandleFileError */
export function decompress(bytes: Uint8Array, name: string): Uint8Array {
  if (!isGzip(bytes)) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    throw unpackError(name, cause);
  }
}

/**
 * The text of a gzip in blocks of whole lines. The next block is unpacked on another thread while the caller works
 * on this one.
 * @throws CandleFileError for a damaged gzip
 */
export async function* unpackedBlocks(gzip: Uint8Array, name: string): AsyncGenerator<Uint8Array> {
  /** The begin of a line that the next chunk goes on with. */
  let open: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of unpackedChunks(gzip, name)) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw unpackError(name, new RangeError(`its text is larger than ${MAX_BYTES} bytes`));
    const first = chunk.indexOf(NEWLINE) + 1;
    const last = chunk.lastIndexOf(NEWLINE) + 1;
    if (first > 0 && open.length > 0) yield Buffer.concat([...open, chunk.subarray(0, first)]);
    const start = open.length > 0 ? first : 0;
    if (first > 0) open = [];
    if (last > start) yield chunk.subarray(start, last);
    if (last < chunk.length) open.push(chunk.subarray(last));
  }
  if (open.length > 0) yield Buffer.concat(open);
}

async function* unpackedChunks(gzip: Uint8Array, name: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: BLOCK_BYTES });
  gunzip.end(gzip);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (cause) {
    throw unpackError(name, cause);
  }
}

function unpackError(name: string, cause: unknown): CandleFileError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CandleFileError(
    `${name}: the gzip cannot be unpacked (${reason}); is it cut off? Fetch it again`,
    { cause },
  );
}
