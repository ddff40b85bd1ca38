import type { Files } from '../../core/ports.js';
import { fixedFromNumber, type Ratio } from '../../core/fixed/fixed.js';
import { CandleFileError } from '../../market/candles/candle-csv.js';
import { readIfFile } from './data-file.js';
import { parseTimedRates } from './funding-loader.js';

/** INR per USDT from a time on. */
export interface TimedHedgeRate {
  /** ms UTC. */
  readonly time: number;
  readonly rate: Ratio;
}

/** Rupees per dollar have been 1 to 100 since 1947: a value outside is another unit, or the inverse. */
const LEAST = 1;
const MOST = 1_000;

/**
 * INR per USDT from CSV, plain or gzip, with the columns `time` and `rate`. The first row is at or before the start.
 * @param startMs open of the first candle
 * @throws CandleFileError for a file that is missing, invalid or begins later
 */
export async function readHedgeRates(
  path: string,
  startMs: number,
  files: Files,
): Promise<readonly TimedHedgeRate[]> {
  const bytes = await readIfFile(path, files);
  if (bytes === undefined) throw new CandleFileError(`${path}: there is no such file`);
  const rows = parseTimedRates(bytes, path, (rate) =>
    rate >= LEAST && rate <= MOST
      ? undefined
      : `the rate ${rate} is no number of INR per USDT from ${LEAST} to ${MOST}, such as 88.5`,
  );
  const first = rows[0];
  if (first === undefined || first.time > startMs)
    throw new CandleFileError(
      `${path}: no rate at ${new Date(startMs).toISOString()}, the first candle; ` +
        (first === undefined
          ? 'the file has no rows'
          : `the first is of ${new Date(first.time).toISOString()}`),
    );
  const current = rows.findLastIndex(({ time }) => time <= startMs);
  return rows.slice(current).map(({ time, rate }) => ({ time, rate: fixedFromNumber(rate) }));
}

/** The rates of a run, one after the other. */
export class HedgeRateQueue {
  readonly #rates: readonly TimedHedgeRate[];
  #position = 0;

  constructor(rates: readonly TimedHedgeRate[] = []) {
    this.#rates = rates;
  }

  /** Venue ms of the next rate; Infinity at the end. */
  get nextAt(): number {
    return this.#rates[this.#position]?.time ?? Infinity;
  }

  /** The newest rate at or before a time that was not taken yet. */
  next(untilMs: number): Ratio | undefined {
    let rate: Ratio | undefined;
    for (; this.nextAt <= untilMs; this.#position += 1) rate = this.#rates[this.#position]?.rate;
    return rate;
  }
}
