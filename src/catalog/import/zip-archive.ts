import { crc32, inflateRawSync } from 'node:zlib';
import { CandleFileError } from '../../market/candles/candle-file-error.js';

/** A file of a zip archive. */
export interface ZipMember {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Signatures and sizes of APPNOTE.TXT, "ZIP File Format Specification", sections 4.3.7, 4.3.12 and 4.3.16. */
const END = 0x06054b50;
const END_SIZE = 22;
const MAX_COMMENT = 65_535;
const CENTRAL = 0x02014b50;
const CENTRAL_SIZE = 46;
const LOCAL = 0x04034b50;
const LOCAL_SIZE = 30;
const STORED = 0;
const DEFLATED = 8;
const ZIP64 = 0xffffffff;
/** Limit of an unpacked member, against decompression bombs: about twenty million rows. */
const MAX_BYTES = 1_200_000_000;

/**
 * Unpacks the files of a zip archive and verifies their CRC-32. Folders are left out.
 * @throws CandleFileError for an archive that is cut off, changed, encrypted or larger than 4 GiB
 */
export function unzip(path: string, bytes: Uint8Array): readonly ZipMember[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOffset(view);
  if (end === undefined) throw cutOff(path);
  const count = view.getUint16(end + 10, true);
  let offset = view.getUint32(end + 16, true);
  if (offset === ZIP64) throw new CandleFileError(`${path}: it is a zip64 archive; ${UNPACK}`);
  const members: ZipMember[] = [];
  for (let index = 0; index < count; index += 1) {
    if (offset + CENTRAL_SIZE > end || view.getUint32(offset, true) !== CENTRAL) throw cutOff(path);
    const nameLength = view.getUint16(offset + 28, true);
    const name = new TextDecoder().decode(
      bytes.subarray(offset + CENTRAL_SIZE, offset + CENTRAL_SIZE + nameLength),
    );
    if (!name.endsWith('/')) members.push({ name, bytes: memberBytes(path, bytes, view, offset) });
    const extra = view.getUint16(offset + 30, true) + view.getUint16(offset + 32, true);
    offset += CENTRAL_SIZE + nameLength + extra;
  }
  return members;
}

const UNPACK = 'unpack it and import the files inside';

const cutOff = (path: string): CandleFileError =>
  new CandleFileError(`${path}: the zip is cut off or damaged; fetch it again`);

/** Offset of the record at the end, which a comment may follow. */
function endOffset(view: DataView): number | undefined {
  const last = view.byteLength - END_SIZE;
  for (let offset = last; offset >= Math.max(0, last - MAX_COMMENT); offset -= 1) {
    if (view.getUint32(offset, true) === END) return offset;
  }
  return undefined;
}

/** @param entry offset of the member's entry in the central directory */
function memberBytes(path: string, bytes: Uint8Array, view: DataView, entry: number): Uint8Array {
  const isEncrypted = (view.getUint16(entry + 8, true) & 1) === 1;
  if (isEncrypted) throw new CandleFileError(`${path}: it is encrypted; ${UNPACK}`);
  const method = view.getUint16(entry + 10, true);
  const size = view.getUint32(entry + 20, true);
  const local = view.getUint32(entry + 42, true);
  if (local + LOCAL_SIZE > bytes.length || view.getUint32(local, true) !== LOCAL)
    throw cutOff(path);
  const names = view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const start = local + LOCAL_SIZE + names;
  if (start + size > bytes.length) throw cutOff(path);
  const content = inflated(path, method, bytes.subarray(start, start + size));
  const isWhole =
    content.length === view.getUint32(entry + 24, true) &&
    crc32(content) === view.getUint32(entry + 16, true);
  if (isWhole) return content;
  throw new CandleFileError(`${path}: the content differs from its CRC-32; fetch it again`);
}

function inflated(path: string, method: number, packed: Uint8Array): Uint8Array {
  if (method === STORED) return packed;
  if (method !== DEFLATED) {
    throw new CandleFileError(`${path}: its compression (method ${method}) is unknown; ${UNPACK}`);
  }
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    throw new CandleFileError(`${path}: the zip is damaged (${String(cause)}); fetch it again`, {
      cause,
    });
  }
}
