import type { CandleColumns } from './candle-columns.js';
import { CandleCsvParser, type CandleCsv, type CandleCsvOptions } from './candle-csv-parser.js';
import { CandleFileError } from './candle-file-error.js';
import { decompress, isGzip, unpackedBlocks, unpackedSize } from './csv-blocks.js';

export { CandleFileError };

/**
 * Parses candles from CSV, plain or gzip: `open_time,open,high,low,close,volume`. Names of other programs, their
 * order, the delimiter (comma, semicolon, tab) and an absent header are recognized; other columns are ignored.
 *
 * Times are in epoch s, ms, µs or ns, distinguished by size, or in ISO 8601, in UTC unless they name a zone.
 * Each number is exactly `Number(text)`. Times must ascend. Gaps are allowed (see `candleGaps`).
 *
 * @param name name of the file, for messages
 * @throws CandleFileError for anything but a valid series
 */
export const parseCandleCsv = (
  bytes: Uint8Array,
  name: string,
  options: CandleCsvOptions = {},
): CandleColumns => readCandleCsv(bytes, name, options).columns;

/**
 * `parseCandleCsv` of a file that may be large: a gzip is unpacked on another thread while its rows are parsed, and
 * its text is never in memory as a whole. @throws CandleFileError
 */
export async function parseCandleFile(
  bytes: Uint8Array,
  name: string,
  options: CandleCsvOptions = {},
): Promise<CandleColumns> {
  if (!isGzip(bytes)) return parseCandleCsv(bytes, name, options);
  let parser: CandleCsvParser | undefined;
  for await (const block of unpackedBlocks(bytes, name)) {
    parser ??= new CandleCsvParser(block, name, options, unpackedSize(bytes));
    parser.read(block);
  }
  return (parser ?? new CandleCsvParser(new Uint8Array(), name, options)).end().columns;
}

/** `parseCandleCsv` with the recognized form of the file. @throws CandleFileError */
export function readCandleCsv(
  bytes: Uint8Array,
  name: string,
  options: CandleCsvOptions = {},
): CandleCsv {
  const text = decompress(bytes, name);
  const parser = new CandleCsvParser(text, name, options);
  parser.read(text);
  return parser.end();
}
