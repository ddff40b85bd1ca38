import { numberFromFixed } from '../core/fixed/fixed.js';
import type { CandleColumns } from '../market/candles/candle-columns.js';
import { candleGaps } from '../market/candles/candle-gaps.js';
import type { MissingCandles } from './data/candle-loader.js';
import type { RunFill } from './effects/run-fills.js';
import { marketsOf, type BacktestMarket, type BacktestPlan } from './plan.js';

/** Facts about the data of a run, and about its fills in that data. */
export interface MarketFacts {
  readonly candles: number;
  readonly missingCandles: number;
  /** Missing candles that the venue has answered for: it has none at these times. */
  readonly answeredCandles: number;
  /** The symbol whose candles cover the least of the run's period; undefined: a run of one symbol. */
  readonly shortest: SymbolPeriod | undefined;
  /** Candles in a row whose four prices are one. */
  readonly longestFlat: number;
  readonly flatCandles: number;
  /** Of fills that are no liquidation: the largest quantity ÷ volume of its candle. */
  readonly largestVolumeShare: number;
  /** Fills larger than the volume of their candle. */
  readonly fillsAboveVolume: number;
}

/** Open times of the first and the last candle of a symbol, ms UTC. */
export interface SymbolPeriod {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Of the time between the first and the last candle of any symbol, 0 to 1. */
  readonly share: number;
}

export function marketFactsOf(plan: BacktestPlan, fills: readonly RunFill[]): MarketFacts {
  const markets = marketsOf(plan);
  let [candles, missingCandles, answeredCandles, longestFlat, flatCandles] = [0, 0, 0, 0, 0];
  for (const { columns, missing = gapsOf(columns) } of markets) {
    const flat = flatCandlesOf(columns);
    candles += columns.length;
    flatCandles += flat.count;
    longestFlat = Math.max(longestFlat, flat.longest);
    missingCandles += missing.count;
    answeredCandles += missing.answered;
  }
  const columnsOf = new Map(
    markets.map(({ instrument, columns }) => [instrument.symbol, columns] as const),
  );
  const counts = { candles, missingCandles, answeredCandles, longestFlat, flatCandles };
  return { ...counts, shortest: shortestOf(markets), ...volumeSharesOf(columnsOf, fills) };
}

function shortestOf(markets: readonly BacktestMarket[]): SymbolPeriod | undefined {
  if (markets.length < 2) return undefined;
  const ranges = markets.map(({ instrument: { symbol }, columns: { openTime, length } }) => ({
    symbol,
    fromMs: openTime[0] as number,
    toMs: openTime[length - 1] as number,
  }));
  const wholeMs =
    Math.max(...ranges.map(({ toMs }) => toMs)) - Math.min(...ranges.map(({ fromMs }) => fromMs));
  const [shortest] = ranges
    .map((range) => ({
      ...range,
      share: wholeMs === 0 ? 1 : (range.toMs - range.fromMs) / wholeMs,
    }))
    .sort((one, other) => one.share - other.share);
  return shortest;
}

const gapsOf = (columns: CandleColumns): MissingCandles => ({
  count: candleGaps(columns).gaps.reduce((sum, { missing }) => sum + missing, 0),
  answered: 0,
});

function flatCandlesOf({ high, low, length }: CandleColumns) {
  let [count, longest, run] = [0, 0, 0];
  for (let index = 0; index < length; index += 1) {
    const isFlat = high[index] === low[index];
    run = isFlat && (index === 0 || high[index] === high[index - 1]) ? run + 1 : isFlat ? 1 : 0;
    if (isFlat) count += 1;
    if (run > longest) longest = run;
  }
  return { count, longest };
}

function volumeSharesOf(
  columnsOf: ReadonlyMap<string, CandleColumns>,
  fills: readonly RunFill[],
): Pick<MarketFacts, 'largestVolumeShare' | 'fillsAboveVolume'> {
  let [largestVolumeShare, fillsAboveVolume] = [0, 0];
  for (const { order, execution, reason } of fills) {
    const columns = columnsOf.get(order.symbol);
    if (columns === undefined || reason === 'liquidation') continue;
    const index = Math.max(0, columns.indexFrom(execution.time + 1) - 1);
    const share = numberFromFixed(execution.quantity) / (columns.volume[index] as number);
    if (share > largestVolumeShare) largestVolumeShare = share;
    if (share > 1) fillsAboveVolume += 1;
  }
  return { largestVolumeShare, fillsAboveVolume };
}
