import type { Candle } from '../core/candle.js';
import { fixedFromNumber } from '../core/fixed/fixed.js';
import { closeTimeOf } from '../core/interval.js';
import type { MarketStream, StrategyDefinition } from '../strategy/contract/definition.js';
import type { FundingRate, FundingRates } from '../backtest/data/funding-rates.js';
import type { MarketDataEvent } from '../backtest/data/market-data-events.js';

/** Of the first symbol, or by symbol: `{ BTCUSDT: […], ETHUSDT: […] }`. Each list ascends by time. */
export type BySymbol<One> = readonly One[] | Readonly<Record<string, readonly One[]>>;

/**
 * Market data other than candles, for a strategy that names it in its `streams`. During `history` only
 * funding is passed on.
 */
export interface SimulatedStreams {
  /**
   * One-second candles of trades, passed on at their close, before the candle that includes them. Market
   * orders decided on one fill at its close. If it closes with a candle, they fill at the next open.
   */
  readonly seconds?: BySymbol<Candle>;
  /** One-second candles of mark prices, passed on likewise. They move no price. */
  readonly markSeconds?: BySymbol<Candle>;
  /** One-minute candles of mark prices, passed on at their close. They move no price. */
  readonly markCandles?: BySymbol<Candle>;
  /**
   * Settled rates. Open positions are charged at each settlement. The strategy receives the rate then, as
   * the estimate of the next one.
   */
  readonly funding?: BySymbol<FundingRate>;
}

/** The rates are charged even if the strategy does not subscribe to funding. */
export const fundingOf = (
  { funding }: SimulatedStreams,
  first: string,
): FundingRates | undefined => (funding === undefined ? undefined : bySymbol(funding, first));

/** @throws RangeError for a stream that the strategy does not subscribe to */
export function marketEventsOf(
  { seconds = [], markSeconds = [], markCandles = [] }: SimulatedStreams,
  strategy: StrategyDefinition,
  first: string,
): readonly MarketDataEvent[] {
  const each = (
    stream: MarketStream,
    lists: BySymbol<Candle>,
    toEvent: (symbol: string, candle: Candle) => MarketDataEvent,
  ): readonly MarketDataEvent[] => {
    const entries = Object.entries(bySymbol(lists, first));
    if (entries.some(([, list]) => list.length > 0)) checkRequested(strategy, stream);
    return entries.flatMap(([symbol, list]) => list.map((candle) => toEvent(symbol, candle)));
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

function checkRequested({ name, streams = [] }: StrategyDefinition, stream: MarketStream): void {
  if (streams.includes(stream)) return;
  throw new RangeError(`${name} gets '${stream}', which its streams do not name`);
}

export const bySymbol = <One>(
  lists: BySymbol<One>,
  first: string,
): Readonly<Record<string, readonly One[]>> => (isList(lists) ? { [first]: lists } : lists);

const isList = <One>(lists: BySymbol<One>): lists is readonly One[] => Array.isArray(lists);
