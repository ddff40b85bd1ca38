import type { Happening, Stamp } from '../../core/events.js';
import { closeTimeOf } from '../../core/interval.js';
import { NewerOnly } from '../../market/newer-only.js';
import type { MarketStream } from '../../strategy/definition.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import type { FundingFact } from '../../strategy/world.js';
import type { WantedMarket } from '../../venue/venue.js';
import type { PriceBook } from './price-book.js';

type HappeningOf<Kind extends Happening['kind']> = Extract<Happening, { readonly kind: Kind }>;

export interface StreamRouterParts {
  readonly stamp: Readonly<Stamp>;
  readonly prices: PriceBook;
  readonly hosts: readonly StrategyHost[];
}

/**
 * Brings seconds and mark candles to those who asked for them. A second is named by its open time in
 * decision keys, so one that is known is passed over here, whatever the feed let through.
 */
export class StreamRouter {
  readonly #parts: StreamRouterParts;
  readonly #newer = new NewerOnly();
  readonly #funding = new Map<string, FundingFact>();

  constructor(parts: StreamRouterParts) {
    this.#parts = parts;
  }

  second({ symbol, price, candle }: HappeningOf<'seconds'>): void {
    const { prices, stamp, hosts } = this.#parts;
    const stream = price === 'last' ? 'seconds' : 'mark-seconds';
    if (!this.#newer.take(`${stream} ${symbol}`, candle.openTime)) return;
    if (price === 'last') prices.seeLast(symbol, candle.close, stamp.monotonic);
    else prices.seeMark(symbol, candle.close, stamp.monotonic);
    for (const host of hosts) if (asks(host, stream, symbol)) host.second(symbol, price, candle);
  }

  /** The same once more is not told again. */
  fund({ symbol, rate, nextSettlementMs }: HappeningOf<'funding'>): void {
    const before = this.#funding.get(symbol);
    if (before?.rate === rate && before.nextSettlementMs === nextSettlementMs) return;
    this.#funding.set(symbol, { rate, nextSettlementMs });
    for (const host of this.#parts.hosts)
      if (asks(host, 'funding', symbol)) host.funding(symbol, { rate, nextSettlementMs });
  }

  /** By symbol, as told last. */
  get funding(): ReadonlyMap<string, FundingFact> {
    return this.#funding;
  }

  markCandle({ symbol, candle }: HappeningOf<'mark-candles'>): void {
    const { hosts } = this.#parts;
    if (!this.#newer.take(`mark ${symbol}`, candle.openTime)) return;
    for (const host of hosts) if (asks(host, 'mark', symbol)) host.markCandle(symbol, candle);
  }
}

const asks = (host: StrategyHost, stream: MarketStream, symbol: string): boolean =>
  host.streams.includes(stream) && host.symbols.includes(symbol);

/** What strategies together ask the venue for beside candles and tickers; empty for most. */
export function wantedStreams(
  hosts: readonly StrategyHost[],
): Pick<WantedMarket, 'mark' | 'seconds' | 'markSeconds'> {
  const mark = symbolsOf(hosts, 'mark');
  const seconds = symbolsOf(hosts, 'seconds');
  const markSeconds = symbolsOf(hosts, 'mark-seconds');
  return {
    ...(mark.length > 0 && { mark }),
    ...(seconds.length > 0 && { seconds }),
    ...(markSeconds.length > 0 && { markSeconds }),
  };
}

export const symbolsOf = (
  hosts: readonly StrategyHost[],
  stream: MarketStream,
): readonly string[] => [
  ...new Set(
    hosts.filter(({ streams }) => streams.includes(stream)).flatMap(({ symbols }) => symbols),
  ),
];

/** A second or mark candle that ends after a venue time. */
export function closesAfter(happening: Happening, venueTime: number): boolean {
  if (happening.kind === 'seconds') return closeTimeOf('1s', happening.candle.openTime) > venueTime;
  if (happening.kind === 'mark-candles')
    return closeTimeOf('1m', happening.candle.openTime) > venueTime;
  return false;
}
