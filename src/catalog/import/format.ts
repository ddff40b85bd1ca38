import { CandleFileError } from '../../market/candles/candle-file-error.js';
import type { ForeignFormat } from './foreign-file.js';

const MAGIC: readonly (readonly [ForeignFormat, readonly number[]])[] = [
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
  ['parquet', [0x50, 0x41, 0x52, 0x31]],
  ['feather', [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31]],
];
/** Feather version 1, which pandas wrote until 2020. */
const FEATHER_1 = [0x46, 0x45, 0x41, 0x31];
const EXTENSION: Readonly<Record<string, ForeignFormat>> = {
  zip: 'zip',
  parquet: 'parquet',
  feather: 'feather',
  arrow: 'feather',
};
const BRACKETS = [0x5b, 0x7b];
const TEXT_SPACES = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf];

/**
 * Format of the bytes: of a zip, Parquet or Feather file by its first bytes, else JSON or CSV by the first character.
 * @param bytes unpacked, if the file is a gzip
 * @throws CandleFileError for an empty file, or one whose content is not of its extension
 */
export function formatOf(path: string, bytes: Uint8Array): ForeignFormat {
  if (bytes.length === 0) throw new CandleFileError(`${path}: the file is empty; fetch it again`);
  if (begins(bytes, FEATHER_1)) {
    throw new CandleFileError(
      `${path}: it is a Feather file of version 1; write it again with pandas' to_feather, or as Parquet`,
    );
  }
  const magic = MAGIC.find(([, first]) => begins(bytes, first))?.[0];
  if (magic !== undefined) return magic;
  const extension = /\.([a-z0-9]+)$/.exec(path.toLowerCase())?.[1] ?? '';
  const expected = EXTENSION[extension];
  if (expected !== undefined) {
    throw new CandleFileError(
      `${path}: its content is no ${expected} file; is it cut off or an error page? Fetch it again`,
    );
  }
  if (bytes.subarray(0, 4_096).includes(0)) {
    throw new CandleFileError(
      `${path}: it is a binary file of an unknown format; csv, json, parquet, feather and zip are read`,
    );
  }
  const first = bytes.find((byte) => !TEXT_SPACES.includes(byte));
  return first !== undefined && BRACKETS.includes(first) ? 'json' : 'csv';
}

const begins = (bytes: Uint8Array, first: readonly number[]): boolean =>
  first.every((byte, index) => bytes[index] === byte);
