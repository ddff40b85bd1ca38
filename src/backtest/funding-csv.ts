import { CandleFileError, unpack } from '../market/candle-csv.js';
import type { FundingRate } from './funding-rates.js';

/** 1e11 s is the year 5138 and 1e11 ms is 1973: no settlement lies where the units could be mixed up. */
const MS_FROM = 1e11;
const SECOND_MS = 1_000;
const DECIMAL = /^-?\d+(\.\d+)?(e-?\d+)?$/i;

/**
 * Settled rates from CSV, plain or gzip: `time,rate`, header required, columns in any order, others
 * ignored. `time` is in epoch seconds or milliseconds, told apart by size; `rate` a fraction, 0.0001 is
 * 0.01 %. Times must ascend.
 *
 * @param name   of the file, for messages
 * @throws CandleFileError with `name` and the line of what is wrong
 */
export function parseFundingCsv(bytes: Uint8Array, name: string): readonly FundingRate[] {
  const lines = new TextDecoder().decode(unpack(bytes, name)).split(/\r?\n/);
  const header = (lines[0] ?? '').split(',').map((column) => column.trim());
  const [timeAt, rateAt] = [header.indexOf('time'), header.indexOf('rate')];
  if (timeAt < 0 || rateAt < 0)
    throw new CandleFileError(`${name}:1: the header must name time and rate, not ${lines[0]}`);
  const rates: FundingRate[] = [];
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === '') continue;
    const cells = line.split(',');
    const place = `${name}:${index + 1}`;
    const seconds = numberIn(cells[timeAt], 'time', place);
    const rate = numberIn(cells[rateAt], 'rate', place);
    const time = seconds < MS_FROM ? seconds * SECOND_MS : seconds;
    if (time <= (rates.at(-1)?.time ?? -Infinity))
      throw new CandleFileError(`${place}: the time is not after that of the row before`);
    if (!(rate > -1 && rate < 1))
      throw new CandleFileError(`${place}: the rate ${rate} is no fraction of a position`);
    rates.push({ time, rate });
  }
  return rates;
}

function numberIn(cell: string | undefined, column: string, place: string): number {
  const text = cell?.trim() ?? '';
  if (DECIMAL.test(text)) return Number(text);
  throw new CandleFileError(`${place}: ${column} is "${text}", not a number`);
}
