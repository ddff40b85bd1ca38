import { MINUTE_MS } from '../../core/interval.js';
import type { Candle } from '../../core/candle.js';
import type { SandboxListing } from './listings.js';
import { SECOND_MS, type Market, type PriceKind } from './market.js';
import { PricePath } from './synthetic-market-path.js';

const LISTED_SINCE_MS = Date.UTC(2017, 0, 1);
const MEMO_LIMIT = 200_000;

/**
 * A market as a pure function of seed, symbol and time: a sum of hashed value noise at fifteen time
 * scales, plus noise inside the minute. Amplitudes grow with the square root of the scale, as in a
 * random walk. Only + − × ÷ and integer hashes are used. Every second has the same cost.
 */
export function createSyntheticMarket(seed: number, listings: readonly SandboxListing[]): Market {
  const paths = new Map<string, PricePath>();
  for (const listing of listings) {
    const { symbol } = listing.instrument;
    paths.set(`last ${symbol}`, new PricePath(seed, listing, 'last'));
    paths.set(`mark ${symbol}`, new PricePath(seed, listing, 'mark'));
  }
  const memo = new Map<string, Candle>();
  const pathOf = (kind: PriceKind, symbol: string): PricePath | undefined =>
    paths.get(`${kind} ${symbol}`);

  return {
    symbols: listings.map((listing) => listing.instrument.symbol),
    firstMs: LISTED_SINCE_MS,
    priceAt: (kind, symbol, timeMs) =>
      timeMs < LISTED_SINCE_MS
        ? undefined
        : pathOf(kind, symbol)?.price(Math.floor(timeMs / SECOND_MS)),
    secondCandle: (kind, symbol, openMs) =>
      openMs < LISTED_SINCE_MS ? undefined : pathOf(kind, symbol)?.second(openMs / SECOND_MS),
    rangeCandle(kind, symbol, fromMs, toMs) {
      const first = Math.max(fromMs, LISTED_SINCE_MS);
      const path = pathOf(kind, symbol);
      if (path === undefined || first >= toMs) return undefined;
      const key = `${kind} ${symbol} ${first} ${toMs}`;
      const known = memo.get(key);
      if (known !== undefined) return known;
      const candle = path.span(first / MINUTE_MS, toMs / MINUTE_MS);
      if (memo.size >= MEMO_LIMIT) memo.clear();
      memo.set(key, candle);
      return candle;
    },
  };
}
