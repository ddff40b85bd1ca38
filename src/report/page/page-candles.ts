import type { CandleArrays } from '../../market/candles/candle-columns.js';
import type { PageMarket } from './page-data.js';
import { priceDigits, shareDigits, stepsOf } from './page-numbers.js';

export interface MarketCandles {
  readonly symbol: string;
  readonly columns: CandleArrays & { readonly length: number };
}

/** Merges equal numbers of consecutive candles, so that at most `maxRows` remain. */
export function pageCandles({ symbol, columns }: MarketCandles, maxRows: number): PageMarket {
  const { openTime, open, high, low, close, volume, length } = columns;
  const merged = Math.max(1, Math.ceil(length / maxRows));
  const rows = Math.ceil(length / merged);
  const times: number[] = [];
  const prices = { open: [] as number[], high: [] as number[], low: [] as number[] };
  const closes: number[] = [];
  const volumes: number[] = [];
  for (let row = 0; row < rows; row += 1) {
    const start = row * merged;
    const end = Math.min(length, start + merged);
    let [highest, lowest, sum] = [-Infinity, Infinity, 0];
    for (let index = start; index < end; index += 1) {
      highest = Math.max(highest, high[index] as number);
      lowest = Math.min(lowest, low[index] as number);
      sum += volume[index] as number;
    }
    times.push(Math.floor((openTime[start] as number) / 1_000));
    prices.open.push(priceDigits(open[start] as number));
    prices.high.push(priceDigits(highest));
    prices.low.push(priceDigits(lowest));
    closes.push(priceDigits(close[end - 1] as number));
    volumes.push(shareDigits(sum));
  }
  return {
    symbol,
    merged,
    timeSteps: stepsOf(times),
    ...prices,
    close: closes,
    volume: volumes,
  };
}
