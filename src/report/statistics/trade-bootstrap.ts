import { DAY_MS } from '../../core/interval.js';
import { hashPair, unit } from '../../core/integer-hash.js';
import { dayOf } from './equity-curve.js';
import { quantile } from './day-returns.js';

/** A closed trade. */
export interface BootstrapTrade {
  /** In the run's currency. */
  readonly net: number;
  /** ms UTC */
  readonly exitTime: number;
}

/** Loss limits as shares: of the equity at the start of a day, and of the highest equity. */
export interface BootstrapLimits {
  readonly day: number;
  readonly drawdown: number;
}

/** Paths of the equity that the same trades in another mixture would have made. */
export interface TradeBootstrap {
  readonly samples: number;
  readonly seed: number;
  /** Deepest drawdown: 5, 50 and 95 % of the paths stay above it. */
  readonly drawdown_pct_5: number | null;
  readonly drawdown_pct_50: number | null;
  readonly drawdown_pct_95: number | null;
  /** Share of the paths that end with a profit, per cent. */
  readonly profit_pct: number;
  readonly day_limit_pct: number;
  /** Share of the paths that meet the limit, per cent. */
  readonly day_limit_chance_pct: number;
  readonly drawdown_limit_pct: number;
  readonly drawdown_limit_chance_pct: number;
}

const SEED = 1;
const SAMPLES = 1_000;
const MIN_SAMPLES = 200;
/** Draws that take about 50 ms: many trades need fewer samples. */
const MAX_DRAWS = 4_000_000;

/**
 * Draws trades with replacement, as many as there are, into the days on which trades ended (Efron 1979). A trade
 * counts by its share of the closed equity before it: cash and the net PnL of the earlier trades.
 * @param trades oldest exit first
 * @returns undefined without trades, or where the closed equity was 0 or below
 */
export function bootstrapTrades(
  trades: readonly BootstrapTrade[],
  cash: number,
  limits: BootstrapLimits,
): TradeBootstrap | undefined {
  const shares = sharesOf(trades, cash);
  if (shares === undefined || shares.length === 0) return undefined;
  const days = Float64Array.from(trades, ({ exitTime }) => dayOf(exitTime) * DAY_MS);
  const samples = Math.max(MIN_SAMPLES, Math.min(SAMPLES, Math.floor(MAX_DRAWS / shares.length)));
  const falls: number[] = [];
  let [profits, dayHits, drawdownHits] = [0, 0, 0];
  for (let sample = 0; sample < samples; sample += 1) {
    const path = pathOf(shares, days, hashPair(SEED, sample));
    falls.push(path.deepest * 100);
    if (path.end > 1) profits += 1;
    if (path.worstDay >= limits.day) dayHits += 1;
    if (path.deepest >= limits.drawdown) drawdownHits += 1;
  }
  falls.sort((one, other) => one - other);
  const percent = (count: number): number => (count / samples) * 100;
  return {
    samples,
    seed: SEED,
    drawdown_pct_5: quantile(falls, 0.05),
    drawdown_pct_50: quantile(falls, 0.5),
    drawdown_pct_95: quantile(falls, 0.95),
    profit_pct: percent(profits),
    day_limit_pct: limits.day * 100,
    day_limit_chance_pct: percent(dayHits),
    drawdown_limit_pct: limits.drawdown * 100,
    drawdown_limit_chance_pct: percent(drawdownHits),
  };
}

function sharesOf(trades: readonly BootstrapTrade[], cash: number): Float64Array | undefined {
  const shares = new Float64Array(trades.length);
  let equity = cash;
  for (const [index, { net }] of trades.entries()) {
    if (!(equity > 0)) return undefined;
    shares[index] = Math.max(-1, net / equity);
    equity += net;
  }
  return shares;
}

interface SamplePath {
  /** Equity at the end, as a multiple of the cash. */
  readonly end: number;
  readonly deepest: number;
  /** Largest loss within a day, as a share of the equity at its start. */
  readonly worstDay: number;
}

/** Its sums are plain variables from the start: a million draws that make objects take twice as long. */
function pathOf(shares: Float64Array, days: Float64Array, key: number): SamplePath {
  const count = shares.length;
  let day = days[0];
  let equity = 1;
  let peak = 1;
  let dayStart = 1;
  let deepest = 0;
  let worstDay = 0;
  for (let index = 0; index < count; index += 1) {
    if (days[index] !== day) {
      day = days[index];
      dayStart = equity;
    }
    const drawn = Math.floor(unit(hashPair(key, index)) * count);
    equity *= 1 + (shares[drawn] as number);
    if (equity > peak) peak = equity;
    const fall = 1 - equity / peak;
    if (fall > deepest) deepest = fall;
    const loss = 1 - equity / dayStart;
    if (loss > worstDay) worstDay = loss;
  }
  return { end: equity, deepest, worstDay };
}
