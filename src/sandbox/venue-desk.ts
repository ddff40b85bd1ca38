import type { Currency } from '../core/currency.js';
import { fixed, SCALE, type Ratio } from '../core/fixed.js';
import type { ExchangeOrder, SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { ListingBook } from './listing-book.js';
import type { SandboxListing } from './listings.js';
import type { Market } from './market.js';
import type { Call } from './route.js';

/** What the trading routes stand on. */
export interface VenueDesk {
  readonly exchange: SimulatedExchange;
  readonly market: Market;
  readonly listings: ListingBook;
  /** INR per USDT. */
  readonly hedgeRate: Ratio;
  /** After an order was accepted: it waits for its fill. */
  readonly onPlaced: (order: ExchangeOrder) => void;
}

const ONE = fixed<'ratio'>(SCALE);

export const hedgeRateOf = (desk: VenueDesk, currency: Currency): Ratio =>
  currency === 'INR' ? desk.hedgeRate : ONE;

/** The path's asset: a UUID, or a symbol when `is_symbol` is present (its value does not matter). */
export function assetOf(desk: VenueDesk, call: Call): SandboxListing | undefined {
  const selector = call.parameters['asset_id'] ?? '';
  return call.query.has('is_symbol')
    ? desk.listings.bySymbol(selector)
    : desk.listings.byAssetId(selector);
}
