import type { Candle } from '../../core/candle.js';

/** The largest price that a venue can print. */
export const LARGEST_PRICE = 1e15;

/** A fault of a row: its column, and the problem with its remedy. */
export interface CandleRowFault {
  readonly column: string;
  readonly problem: string;
}

/**
 * The fault of a row of a candle file; undefined for a valid candle after `lastOpenTime`.
 * @param lastOpenTime open time of the row before, ms UTC; -Infinity for the first row
 */
export function candleRowFault(candle: Candle, lastOpenTime: number): CandleRowFault | undefined {
  return timeFault(candle.openTime, lastOpenTime) ?? priceFault(candle);
}

const timeFault = (openTime: number, last: number): CandleRowFault | undefined => {
  if (openTime > last) return undefined;
  const problem =
    openTime === last
      ? `${instant(openTime)} occurs twice: keep one row for each time`
      : `${instant(openTime)} is not after ${instant(last)} of the row before: sort the rows by time`;
  return { column: 'open_time', problem: `${problem}, or import the file with --sort` };
};

function priceFault({ open, high, low, close, volume }: Candle): CandleRowFault | undefined {
  const values = { open, high, low, close, volume };
  const [absent] = Object.entries(values).find(([, value]) => !Number.isFinite(value)) ?? [];
  if (absent !== undefined)
    return { column: absent, problem: 'is not a number: repair or drop the row' };
  if (!(low > 0))
    return { column: 'low', problem: `${low} is not above 0: drop or repair the row` };
  if (high < low) return { column: 'high', problem: `${high} is below low ${low}: repair the row` };
  if (high > LARGEST_PRICE)
    return { column: 'high', problem: `${high} is above ${LARGEST_PRICE}: repair the row` };
  if (volume < 0) return { column: 'volume', problem: `${volume} is negative: repair the row` };
  const repair = `open ${open} or close ${close}: repair the row, or name the columns with --columns`;
  if (high < Math.max(open, close))
    return { column: 'high', problem: `${high} is below ${repair}` };
  if (low > Math.min(open, close)) return { column: 'low', problem: `${low} is above ${repair}` };
  return undefined;
}

const instant = (timeMs: number): string => new Date(timeMs).toISOString();
