import type { Candle } from '../core/candle.js';
import { fixedFromNumber } from '../core/fixed.js';
import { closeTimeOf } from '../core/interval.js';
import type { MarketStream, StrategyDefinition } from '../strategy/definition.js';
import type { FundingRate, FundingRates } from './funding-rates.js';
import type { MarketNews } from './market-news.js';

/** Of the first symbol, or by symbol: `{ BTCUSDT: […], ETHUSDT: […] }`. Each list ascends by time. */
export type BySymbol<One> = readonly One[] | Readonly<Record<string, readonly One[]>>;

/**
 * What a simulation tells beside its candles, to a strategy whose `streams` name it. All but funding is
 * left out in the time of `history`.
 */
export interface SimulatedStreams {
  /**
   * One-second candles of trades, told at their close, before the candle that they are part of. Market
   * orders decided on one fill at its close, or, where it closes with a candle, at the next open.
   */
  readonly seconds?: BySymbol<Candle>;
  /** One-second candles of mark prices, told likewise. They move no price. */
  readonly markSeconds?: BySymbol<Candle>;
  /** One-minute candles of mark prices, told at their close. They move no price. */
  readonly markCandles?: BySymbol<Candle>;
  /**
   * Settled rates: open positions exchange each at its time, and it is told then, as the best guess of
   * the next one.
   */
  readonly funding?: BySymbol<FundingRate>;
}

/** Exchanged whether it is listened to or not. */
export const fundingOf = (
  { funding }: SimulatedStreams,
  first: string,
): FundingRates | undefined => (funding === undefined ? undefined : bySymbol(funding, first));

/** @throws RangeError when the strategy does not ask for what it would be told */
export function newsOf(
  { seconds = [], markSeconds = [], markCandles = [] }: SimulatedStreams,
  strategy: StrategyDefinition,
  first: string,
): readonly MarketNews[] {
  const each = (
    stream: MarketStream,
    lists: BySymbol<Candle>,
    news: (symbol: string, candle: Candle) => MarketNews,
  ): readonly MarketNews[] => {
    const entries = Object.entries(bySymbol(lists, first));
    if (entries.some(([, list]) => list.length > 0)) checkAsked(strategy, stream);
    return entries.flatMap(([symbol, list]) => list.map((candle) => news(symbol, candle)));
  };
  return [
    ...each('seconds', seconds, (symbol, candle) => ({
      at: closeTimeOf('1s', candle.openTime),
      event: { kind: 'seconds', symbol, price: 'last', candle },
      last: fixedFromNumber(candle.close),
    })),
    ...each('mark-seconds', markSeconds, (symbol, candle) => ({
      at: closeTimeOf('1s', candle.openTime),
      event: { kind: 'seconds', symbol, price: 'mark', candle },
    })),
    ...each('mark', markCandles, (symbol, candle) => ({
      at: closeTimeOf('1m', candle.openTime),
      event: { kind: 'mark-candles', symbol, candle },
    })),
  ];
}

function checkAsked({ name, streams = [] }: StrategyDefinition, stream: MarketStream): void {
  if (streams.includes(stream)) return;
  throw new RangeError(`${name} is fed '${stream}' and its streams do not name it`);
}

export const bySymbol = <One>(
  lists: BySymbol<One>,
  first: string,
): Readonly<Record<string, readonly One[]>> => (isList(lists) ? { [first]: lists } : lists);

const isList = <One>(lists: BySymbol<One>): lists is readonly One[] => Array.isArray(lists);
