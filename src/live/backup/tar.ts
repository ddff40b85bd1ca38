/** A file of an archive, by its path below the state folder. */
export interface TarEntry {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const BLOCK = 512;
const MAX_PATH_BYTES = 100;

/** The bytes are no archive of this form. */
export class TarError extends Error {
  override readonly name = 'TarError';
}

/** Packs files in the POSIX form `ustar` (IEEE Std 1003.1, pax): `tar -tf` reads it. */
export function packTar(entries: readonly TarEntry[], mtimeMs: number): Uint8Array {
  const parts = entries.flatMap((entry) => [
    headerOf(entry, mtimeMs),
    entry.bytes,
    new Uint8Array(padding(entry.bytes.length)),
  ]);
  return Buffer.concat([...parts, new Uint8Array(2 * BLOCK)]);
}

const padding = (length: number): number => (BLOCK - (length % BLOCK)) % BLOCK;

function headerOf({ path, bytes }: TarEntry, mtimeMs: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  const name = Buffer.from(path, 'utf8');
  if (name.length > MAX_PATH_BYTES) throw new TarError(`the name ${path} is longer than 100 bytes`);
  header.set(name, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${octal(bytes.length, 11)}\0`, 124);
  header.write(`${octal(Math.floor(mtimeMs / 1_000), 11)}\0`, 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${octal(checksumOf(header), 6)}\0 `, 148);
  return header;
}

const octal = (value: number, width: number): string => value.toString(8).padStart(width, '0');

/** The sum of the bytes, with blanks in place of the checksum itself. */
function checksumOf(header: Uint8Array): number {
  const sum = header.reduce((total, byte) => total + byte, 0);
  const own = header.subarray(148, 156).reduce((total, byte) => total + byte, 0);
  return sum - own + 8 * 0x20;
}

/** @throws TarError for bytes that `packTar` did not write, or only a part of them */
export function unpackTar(bytes: Uint8Array): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; ;) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.length < BLOCK) throw new TarError('the archive ends in the middle');
    if (header.every((byte) => byte === 0)) return entries;
    const text = Buffer.from(header);
    const sum = Number.parseInt(text.toString('latin1', 148, 154), 8);
    if (sum !== checksumOf(header)) throw new TarError(`the header at byte ${at} is damaged`);
    const size = Number.parseInt(text.toString('latin1', 124, 135), 8);
    const end = at + BLOCK + size;
    if (!Number.isSafeInteger(size) || end > bytes.length) {
      throw new TarError('the archive ends in the middle');
    }
    const path = text.toString('utf8', 0, MAX_PATH_BYTES).replace(/\0.*$/s, '');
    entries.push({ path, bytes: bytes.subarray(at + BLOCK, end) });
    at = end + padding(size);
  }
}
