import type { Candle } from '../core/candle.js';
import type { SandboxListing } from './listings.js';
import { MINUTE_MS, SECOND_MS, type Market, type PriceKind } from './market.js';
import { PricePath } from './synthetic-market-path.js';

const LISTED_SINCE_MS = Date.UTC(2017, 0, 1);
const MEMO_LIMIT = 200_000;

/**
 * A market that is a pure function of (seed, symbol, time): a sum of hashed value noise at fifteen time
 * scales with amplitudes that grow with the square root of the scale (as a random walk's do), plus
 * noise inside the minute. Only + − × ÷ and integer hashes; any second costs the same.
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
    second: (kind, symbol, openMs) =>
      openMs < LISTED_SINCE_MS ? undefined : pathOf(kind, symbol)?.second(openMs / SECOND_MS),
    span(kind, symbol, fromMs, toMs) {
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
