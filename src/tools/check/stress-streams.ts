import type { FundingRate, SimulatedStreams } from '../../testing/index.js';
import type { Candle } from '../../core/candle.js';
import type { StrategyDefinition } from '../../strategy/contract/definition.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Seconds of a candle that have data; the rest are gaps, as in a market without trades. */
const SECOND_OFFSETS_MS = [5, 6, 30, 58].map((second) => second * SECOND_MS);
/** Every so many candles have no seconds and no mark price. */
const SKIP_EVERY = 7;
/** Factors of the last price: usual ones, and gaps as seen in a crash. */
const MARKS = [1, 1.0002, 0.9995, 1.01, 0.9];
/** Funding rates: zero, usual ones and the caps of venues; by hour, with an offset per symbol. */
const RATES = [0.0001, 0, -0.0003, 0.00005, 0.03, -0.03, 0.0007];

type CandlesBySymbol = Readonly<Record<string, readonly Candle[]>>;

/**
 * Seconds, mark prices and funding for a strategy that uses them. Each value depends on its own candle
 * only, so an altered candle changes nothing before it.
 */
export function stressStreams(
  { streams = [] }: StrategyDefinition,
  candles: CandlesBySymbol,
): SimulatedStreams {
  return {
    ...(streams.includes('seconds') && { seconds: each(candles, secondsOf) }),
    ...(streams.includes('mark-seconds') && { markSeconds: each(candles, markSecondsOf) }),
    ...(streams.includes('mark') && { markCandles: each(candles, marksOf) }),
    ...(streams.includes('funding') && { funding: each(candles, fundingOf) }),
  };
}

const each = <One>(
  candles: CandlesBySymbol,
  make: (list: readonly Candle[], symbolIndex: number) => readonly One[],
): Readonly<Record<string, readonly One[]>> =>
  Object.fromEntries(
    Object.entries(candles).map(([symbol, list], symbolIndex) => [symbol, make(list, symbolIndex)]),
  );

/** One second each at open, high, low and close. */
const secondsOf = (candles: readonly Candle[]): readonly Candle[] =>
  candles.flatMap((candle, index) => {
    const { openTime, open, high, low, close } = candle;
    if (index % SKIP_EVERY === 0) return [];
    return [open, high, low, close].map((price, at) =>
      flat(openTime + (SECOND_OFFSETS_MS[at] as number), price, candle.volume),
    );
  });

const markSecondsOf = (candles: readonly Candle[]): readonly Candle[] =>
  candles.flatMap(({ openTime, close }, index) =>
    index % SKIP_EVERY === 0
      ? []
      : SECOND_OFFSETS_MS.slice(0, 2).map((at) => flat(openTime + at, close * markOf(index), 0)),
  );

const marksOf = (candles: readonly Candle[]): readonly Candle[] =>
  candles.flatMap(({ openTime, open, high, low, close }, index) => {
    if (index % SKIP_EVERY === 0) return [];
    const factor = markOf(index);
    const [o, h, l, c] = [open, high, low, close].map((price) => price * factor);
    return [{ openTime, open: o, high: h, low: l, close: c, volume: 0 } as Candle];
  });

const markOf = (index: number): number => MARKS[index % MARKS.length] as number;

/** Hourly rates from the first candle to the last; each symbol starts one hour later. */
function fundingOf(candles: readonly Candle[], symbolIndex: number): readonly FundingRate[] {
  const first = (candles[0]?.openTime ?? 0) + (symbolIndex + 1) * HOUR_MS;
  const last = candles.at(-1)?.openTime ?? 0;
  const count = Math.max(0, Math.floor((last - first) / HOUR_MS));
  return Array.from({ length: count }, (_, index) => ({
    time: Math.floor((first + index * HOUR_MS) / HOUR_MS) * HOUR_MS,
    rate: RATES[(index + symbolIndex) % RATES.length] as number,
  }));
}

const flat = (openTime: number, price: number, volume: number): Candle => ({
  openTime,
  open: price,
  high: price,
  low: price,
  close: price,
  volume,
});
