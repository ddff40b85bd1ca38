import type { FundingRate, SimulatedStreams } from '../../backtest/testing.js';
import type { Candle } from '../../core/candle.js';
import type { StrategyDefinition } from '../../strategy/definition.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Seconds of a candle that are told: what lies between is a gap, as it is where nobody trades. */
const TOLD_AT_MS = [5, 6, 30, 58].map((second) => second * SECOND_MS);
/** No second, and no mark, of every so many candles. */
const SILENT_EVERY = 7;
/** Of the last price: usual, and as far apart as marks were seen in a crash. */
const MARKS = [1, 1.0002, 0.9995, 1.01, 0.9];
/** Nothing, usual, and what venues cap it at; in turn, hour by hour, each symbol at another place. */
const RATES = [0.0001, 0, -0.0003, 0.00005, 0.03, -0.03, 0.0007];

type Series = Readonly<Record<string, readonly Candle[]>>;

/**
 * Seconds, marks and funding to the candles, for a strategy that listens to them: each follows from its
 * own candle alone, so that what is altered later alters nothing before.
 */
export function hostileStreams(
  { streams = [] }: StrategyDefinition,
  candles: Series,
): SimulatedStreams {
  return {
    ...(streams.includes('seconds') && { seconds: each(candles, secondsOf) }),
    ...(streams.includes('mark-seconds') && { markSeconds: each(candles, markSecondsOf) }),
    ...(streams.includes('mark') && { markCandles: each(candles, marksOf) }),
    ...(streams.includes('funding') && { funding: each(candles, fundingOf) }),
  };
}

const each = <One>(
  candles: Series,
  make: (list: readonly Candle[], place: number) => readonly One[],
): Readonly<Record<string, readonly One[]>> =>
  Object.fromEntries(
    Object.entries(candles).map(([symbol, list], place) => [symbol, make(list, place)]),
  );

/** On the way from the open to the close, and at both extremes. */
const secondsOf = (candles: readonly Candle[]): readonly Candle[] =>
  candles.flatMap((candle, index) => {
    const { openTime, open, high, low, close } = candle;
    if (index % SILENT_EVERY === 0) return [];
    return [open, high, low, close].map((price, at) =>
      flat(openTime + (TOLD_AT_MS[at] as number), price, candle.volume),
    );
  });

const markSecondsOf = (candles: readonly Candle[]): readonly Candle[] =>
  candles.flatMap(({ openTime, close }, index) =>
    index % SILENT_EVERY === 0
      ? []
      : TOLD_AT_MS.slice(0, 2).map((at) => flat(openTime + at, close * markOf(index), 0)),
  );

const marksOf = (candles: readonly Candle[]): readonly Candle[] =>
  candles.flatMap(({ openTime, open, high, low, close }, index) => {
    if (index % SILENT_EVERY === 0) return [];
    const factor = markOf(index);
    const [o, h, l, c] = [open, high, low, close].map((price) => price * factor);
    return [{ openTime, open: o, high: h, low: l, close: c, volume: 0 } as Candle];
  });

const markOf = (index: number): number => MARKS[index % MARKS.length] as number;

/** Every hour, from the first candle to the last; some symbols are told later than others. */
function fundingOf(candles: readonly Candle[], place: number): readonly FundingRate[] {
  const first = (candles[0]?.openTime ?? 0) + (place + 1) * HOUR_MS;
  const last = candles.at(-1)?.openTime ?? 0;
  const count = Math.max(0, Math.floor((last - first) / HOUR_MS));
  return Array.from({ length: count }, (_, index) => ({
    time: Math.floor((first + index * HOUR_MS) / HOUR_MS) * HOUR_MS,
    rate: RATES[(index + place) % RATES.length] as number,
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
