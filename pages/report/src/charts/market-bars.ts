import type { CandlestickData, UTCTimestamp } from 'lightweight-charts';
import type { PageMarket } from '../../../../src/report/page/page-data.js';
import { timesOfSteps, type Trade } from '../trades.js';
import type { PlacedTrade } from './trade-marks.js';

/** Bars of one symbol. Times are s UTC. */
export interface MarketBars {
  readonly times: readonly number[];
  readonly bars: readonly CandlestickData[];
  readonly volumes: readonly number[];
}

export function barsOf({ timeSteps, open, high, low, close, volume }: PageMarket): MarketBars {
  const times = timesOfSteps(timeSteps);
  return {
    times,
    volumes: volume,
    bars: times.map((time, index) => ({
      time: time as UTCTimestamp,
      open: open[index] as number,
      high: high[index] as number,
      low: low[index] as number,
      close: close[index] as number,
    })),
  };
}

/** Places trades on the bars. Within a merged bar the place follows the time. */
export function placedTrades(
  trades: readonly Trade[],
  { symbol, merged }: PageMarket,
  times: readonly number[],
): readonly PlacedTrade[] {
  const barOf = (ms: number): number => barAt(times, ms / 1_000, merged > 1);
  return trades
    .filter((trade) => trade.symbol === symbol)
    .map((trade) => ({ trade, entryBar: barOf(trade.entryTime), exitBar: barOf(trade.exitTime) }));
}

function barAt(times: readonly number[], time: number, isMerged: boolean): number {
  let [from, to] = [0, times.length - 1];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if ((times[middle] as number) <= time) from = middle;
    else to = middle - 1;
  }
  if (!isMerged) return from;
  const start = times[from] as number;
  const length = (times[from + 1] ?? start) - start;
  const share = length > 0 ? Math.min(1, Math.max(0, (time - start) / length)) : 0.5;
  return from + share - 0.5;
}

/** Places after the point that the axis needs for prices of this size. */
export function priceDecimals(prices: readonly number[]): number {
  let places = 0;
  for (const price of prices.slice(0, 500)) {
    const [, fraction = ''] = String(price).split('.');
    places = Math.max(places, Math.min(8, fraction.length));
  }
  return places;
}
