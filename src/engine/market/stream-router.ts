import type { EngineEventBody, EventTime } from '../../core/events.js';
import { closeTimeOf } from '../../core/interval.js';
import { MonotonicFilter } from '../../market/candles/second-and-mark-streams.js';
import type { MarketStream } from '../../strategy/contract/definition.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import type { NextFunding } from '../../strategy/contract/strategy-port.js';
import type { MarketSubscription } from '../../venue/venue.js';
import type { PriceCache } from './price-cache.js';
import type { PriceMoves } from './price-moves.js';

type EventBodyOf<Kind extends EngineEventBody['kind']> = Extract<
  EngineEventBody,
  { readonly kind: Kind }
>;

export interface StreamRouterParts {
  readonly stamp: Readonly<EventTime>;
  readonly prices: PriceCache;
  readonly priceMoves: PriceMoves;
  /** Next funding by symbol, as last delivered. */
  readonly funding: Map<string, NextFunding>;
  readonly hosts: readonly StrategyHost[];
}

/**
 * Routes seconds and mark candles to the strategies that subscribe to them. Decision keys name a second by
 * its open time, so duplicates are skipped here even when the feed passes them.
 */
export class StreamRouter {
  readonly #parts: StreamRouterParts;
  readonly #monotonicFilter = new MonotonicFilter();

  constructor(parts: StreamRouterParts) {
    this.#parts = parts;
  }

  onSecond({ symbol, price, candle }: EventBodyOf<'seconds'>): void {
    const { prices, priceMoves, stamp, hosts } = this.#parts;
    const stream = price === 'last' ? 'seconds' : 'mark-seconds';
    if (!this.#monotonicFilter.accept(`${stream} ${symbol}`, candle.openTime)) return;
    if (price === 'last') {
      prices.setLast(symbol, candle.close, stamp.monotonic);
      for (const each of [candle.low, candle.high, candle.close])
        priceMoves.onPrice(symbol, each, stamp.venueTime);
    } else prices.setMark(symbol, candle.close, stamp.monotonic);
    for (const host of hosts)
      if (isSubscribed(host, stream, symbol)) host.onSecond(symbol, price, candle);
  }

  /** An unchanged rate is not delivered again. */
  onFunding({ symbol, rate, nextSettlementMs }: EventBodyOf<'funding'>): void {
    const { funding } = this.#parts;
    const before = funding.get(symbol);
    if (before?.rate === rate && before.nextSettlementMs === nextSettlementMs) return;
    funding.set(symbol, { rate, nextSettlementMs });
    for (const host of this.#parts.hosts)
      if (isSubscribed(host, 'funding', symbol)) host.onFunding(symbol, { rate, nextSettlementMs });
  }

  onMarkCandle({ symbol, candle }: EventBodyOf<'mark-candles'>): void {
    const { hosts } = this.#parts;
    if (!this.#monotonicFilter.accept(`mark ${symbol}`, candle.openTime)) return;
    for (const host of hosts)
      if (isSubscribed(host, 'mark', symbol)) host.onMarkCandle(symbol, candle);
  }
}

const isSubscribed = (host: StrategyHost, stream: MarketStream, symbol: string): boolean =>
  host.streams.includes(stream) && host.symbols.includes(symbol);

/** Streams that the strategies require beside candles and tickers; empty for most. */
export function requiredStreams(
  hosts: readonly StrategyHost[],
): Pick<MarketSubscription, 'mark' | 'seconds' | 'markSeconds'> {
  const mark = subscribedSymbols(hosts, 'mark');
  const seconds = subscribedSymbols(hosts, 'seconds');
  const markSeconds = subscribedSymbols(hosts, 'mark-seconds');
  return {
    ...(mark.length > 0 && { mark }),
    ...(seconds.length > 0 && { seconds }),
    ...(markSeconds.length > 0 && { markSeconds }),
  };
}

export const subscribedSymbols = (
  hosts: readonly StrategyHost[],
  stream: MarketStream,
): readonly string[] => [
  ...new Set(
    hosts.filter(({ streams }) => streams.includes(stream)).flatMap(({ symbols }) => symbols),
  ),
];

/** Whether a second or mark candle closes after a venue time. */
export function closesAfter(event: EngineEventBody, venueTime: number): boolean {
  if (event.kind === 'seconds') return closeTimeOf('1s', event.candle.openTime) > venueTime;
  if (event.kind === 'mark-candles') return closeTimeOf('1m', event.candle.openTime) > venueTime;
  return false;
}
