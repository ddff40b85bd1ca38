import type { Candle } from '../../core/candle.js';
import { syntheticCandles } from '../../testing/index.js';

/** One pass through `SEGMENTS`; longer checks repeat them. */
export const CHECK_CANDLES = 2_000;
const MINUTE_MS = 60_000;
const START = Date.UTC(2025, 4, 5);

/** A segment of changed synthetic candles. `at` counts from its start. */
interface StressSegment {
  readonly length: number;
  readonly change: (candle: Candle, at: number) => Candle;
}

const scaled = (candle: Candle, factor: number): Candle => ({
  ...candle,
  open: candle.open * factor,
  high: candle.high * factor,
  low: candle.low * factor,
  close: candle.close * factor,
});
const flat = (candle: Candle): Candle => {
  const { openTime } = candle;
  return { openTime, open: 50_000, high: 50_000, low: 50_000, close: 50_000, volume: 0 };
};

/** Quiet, flat, trending, jumping, crashing, tiny and huge prices. */
const SEGMENTS: readonly StressSegment[] = [
  { length: 600, change: (candle) => candle },
  { length: 150, change: flat },
  { length: 250, change: (candle, at) => scaled(candle, 1 + at / 250) },
  { length: 250, change: (candle, at) => scaled(candle, 2 - at / 250) },
  { length: 200, change: (candle, at) => scaled(candle, at % 2 === 0 ? 0.95 : 1.05) },
  { length: 100, change: (candle, at) => scaled(candle, at % 20 === 10 ? 3 : 1) },
  { length: 100, change: (candle, at) => scaled(candle, at % 20 === 10 ? 0.2 : 1) },
  { length: 100, change: (candle) => scaled(candle, 0.001) },
  { length: 100, change: (candle) => scaled(candle, 10) },
  {
    length: 150,
    change: (candle) => ({ ...candle, high: candle.high * 1.2, low: candle.low * 0.8 }),
  },
];

/** Missing minutes before the candle of an index. */
const GAPS: ReadonlyMap<number, number> = new Map([
  [300, 30],
  [700, 1],
  [701, 1],
  [1_500, 240],
]);

/**
 * Candles that a strategy must survive, one series per symbol. Each symbol but the first lacks some candles.
 * @param alteredFrom index from which another market replaces the first one
 */
export function stressCandles(
  symbols: readonly string[],
  alteredFrom = Number.POSITIVE_INFINITY,
  count = CHECK_CANDLES,
): Readonly<Record<string, readonly Candle[]>> {
  const series = symbols.map((symbol, symbolIndex) => {
    const market = marketOf(symbolIndex + 1, count);
    const other = alteredFrom < count ? marketOf(symbolIndex + 1_001, count) : market;
    const candles = market.map((candle, index) => {
      const base = index < alteredFrom ? candle : scaled(other[index] ?? candle, 1.25);
      return onPriceStep({
        ...stressed(base, index % CHECK_CANDLES),
        openTime: stressOpenTime(index),
      });
    });
    return [symbol, symbolIndex === 0 ? candles : candles.filter((_, index) => index % 97 !== 13)];
  });
  return Object.fromEntries(series) as Readonly<Record<string, readonly Candle[]>>;
}

const markets = new Map<string, readonly Candle[]>();

function marketOf(seed: number, count: number): readonly Candle[] {
  const known = markets.get(`${seed} ${count}`);
  if (known !== undefined) return known;
  const market = syntheticCandles({ count, startMs: START, seed });
  markets.set(`${seed} ${count}`, market);
  return market;
}

function stressed(candle: Candle, index: number): Candle {
  let at = index;
  for (const { length, change } of SEGMENTS) {
    if (at < length) return change(candle, at);
    at -= length;
  }
  return candle;
}

/** A valid candle: prices on the step, open and close between low and high. */
function onPriceStep({ openTime, open, high, low, close, volume }: Candle): Candle {
  const [o, h, l, c] = [open, high, low, close].map((price) => Math.round(price * 100) / 100) as [
    number,
    number,
    number,
    number,
  ];
  return {
    openTime,
    open: o,
    high: Math.max(o, h, l, c),
    low: Math.min(o, h, l, c),
    close: c,
    volume,
  };
}

/** Open time of the candle with this index, ms UTC. */
export function stressOpenTime(index: number): number {
  let missing = 0;
  for (const [from, minutes] of GAPS) if (index >= from) missing += minutes;
  return START + (index + missing) * MINUTE_MS;
}
