import { INTERVALS, nominalMs, openTimeOf, type Interval } from '../../core/interval.js';
import { durationText } from '../../core/time-text.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import { CandleFileError } from '../../market/candles/candle-file-error.js';
import { candleGaps } from '../../market/candles/candle-gaps.js';

/** Candles of an interval that the catalogue does not hold, such as 8h. A folder may have files of it beside others. */
export class UnknownIntervalError extends CandleFileError {}

const MONTH_STEP_MS = nominalMs('1M') - 2 * nominalMs('1d');

/**
 * The interval of candles: the given one if their times agree with it, else the smallest distance of two candles.
 * @param given by the user or by the file's name
 * @throws CandleFileError for a single candle without a given interval, for another distance, and for a time that is
 * not on a boundary of the interval
 */
export function seriesInterval(
  candles: CandleColumns,
  path: string,
  given: { readonly interval?: Interval | undefined; readonly source: string },
): Interval {
  const { stepMs } = candleGaps(candles);
  const interval = given.interval ?? measured(stepMs, path);
  if (stepMs !== undefined && isOther(interval, stepMs)) {
    const found = intervalOfStep(stepMs);
    const mend = found === undefined ? 'give finer or coarser data' : `give --interval ${found}`;
    throw new CandleFileError(
      `${path}: its candles are ${found ?? durationText(stepMs)} apart, and ${given.source} says ${interval}: ${mend}`,
    );
  }
  checkBoundaries(candles, path, interval);
  return interval;
}

function measured(stepMs: number | undefined, path: string): Interval {
  if (stepMs === undefined) {
    throw new CandleFileError(
      `${path}: it holds one candle, so its interval is unknown; give it with --interval 1m`,
    );
  }
  const found = intervalOfStep(stepMs);
  if (found !== undefined) return found;
  throw new UnknownIntervalError(
    `${path}: its candles are ${durationText(stepMs)} apart, which is no interval (${INTERVALS.join(', ')}); ` +
      'check the times, and the unit with --time-unit',
  );
}

/** Candles with gaps may be further apart than their interval, never closer. */
const isOther = (interval: Interval, stepMs: number): boolean =>
  interval === '1M'
    ? stepMs < MONTH_STEP_MS
    : stepMs % nominalMs(interval) !== 0 || isCoarser(interval, stepMs);

/** A series whose every step is that of a coarser interval is of that interval. */
const isCoarser = (interval: Interval, stepMs: number): boolean =>
  stepMs > nominalMs(interval) && intervalOfStep(stepMs) !== undefined;

const intervalOfStep = (stepMs: number): Interval | undefined =>
  INTERVALS.find((each) => each !== '1M' && nominalMs(each) === stepMs) ??
  (stepMs >= MONTH_STEP_MS && stepMs <= nominalMs('1M') + nominalMs('1d') ? '1M' : undefined);

function checkBoundaries(candles: CandleColumns, path: string, interval: Interval): void {
  for (let row = 0; row < candles.length; row += 1) {
    const time = candles.openTime[row] as number;
    if (openTimeOf(interval, time) === time) continue;
    const at = new Date(time).toISOString();
    throw new CandleFileError(
      `${path}: the candle of ${at} does not open on a full ${interval} in UTC; times are those of the open, in UTC: ` +
        'write them with their zone, such as 2025-05-05T00:00:00+05:30',
    );
  }
}
