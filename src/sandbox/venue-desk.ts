import type { Ratio } from '../core/fixed.js';
import type { ExchangeOrder, SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { Funding } from './funding.js';
import type { ListingBook } from './listing-book.js';
import type { SandboxListing } from './listings.js';
import type { Market } from './market.js';
import type { Call } from './route.js';
import type { Switches } from './switches.js';

/** What the trading routes stand on. */
export interface VenueDesk {
  readonly exchange: SimulatedExchange;
  readonly market: Market;
  readonly listings: ListingBook;
  /** Of the traded value, GST included. */
  readonly takerFeeRate: Ratio;
  /** Rate of a settlement, and when the next one is. */
  readonly funding: Funding;
  /** What to do where the interface is silent, or the field differs. */
  readonly switches: Switches;
  /** After an order was accepted: it waits for its fill. */
  readonly onPlaced: (order: ExchangeOrder) => void;
}

/** The path's asset: a UUID, or a symbol when `is_symbol` is present (its value does not matter). */
export function assetOf(desk: VenueDesk, call: Call): SandboxListing | undefined {
  const selector = call.parameters['asset_id'] ?? '';
  return call.query.has('is_symbol')
    ? desk.listings.bySymbol(selector)
    : desk.listings.byAssetId(selector);
}
