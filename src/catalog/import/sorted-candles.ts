import { CandleColumns } from '../../market/candles/candle-columns.js';
import { CandleFileError } from '../../market/candles/candle-file-error.js';

/** Candles in the order of their times. */
export interface SortedCandles {
  readonly columns: CandleColumns;
  /** Rows that were dropped because they repeat another one without a difference. */
  readonly repeated: number;
}

/**
 * Sorts candles by time. A candle that occurs twice without a difference is kept once.
 * @throws CandleFileError for two different candles of one time
 */
export function sortedCandles(candles: CandleColumns, path: string): SortedCandles {
  const times = candles.openTime;
  const rows = Uint32Array.from({ length: candles.length }, (_, row) => row).sort(
    (one, other) => (times[one] as number) - (times[other] as number) || one - other,
  );
  const columns = new CandleColumns(candles.length);
  for (const row of rows) {
    const candle = candles.at(row);
    const last = columns.length === 0 ? undefined : columns.at(columns.length - 1);
    if (last?.openTime !== candle.openTime) columns.push(candle);
    else if (!sameCandle(last, candle)) {
      const time = new Date(candle.openTime).toISOString();
      throw new CandleFileError(
        `${path}: open_time ${time} occurs twice with different values: ${pricesOf(last)} and ` +
          `${pricesOf(candle)}; remove the wrong row`,
      );
    }
  }
  return { columns, repeated: candles.length - columns.length };
}

interface Prices {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

const sameCandle = (one: Prices, other: Prices): boolean =>
  one.open === other.open &&
  one.high === other.high &&
  one.low === other.low &&
  one.close === other.close &&
  one.volume === other.volume;

const pricesOf = ({ open, high, low, close, volume }: Prices): string =>
  [open, high, low, close, volume].join(',');
