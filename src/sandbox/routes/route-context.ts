import type { Ratio } from '../../core/fixed/fixed.js';
import type { ExchangeOrder, SimulatedExchange } from '../../exchange/simulated-exchange.js';
import type { ReadonlyFundingSchedule } from '../price/funding-schedule.js';
import type { InstrumentIndex } from '../price/instrument-index.js';
import type { SandboxListing } from '../../market/synthetic/listings.js';
import type { Market } from '../../market/synthetic/market.js';
import type { RouteCall } from '../http/route.js';
import type { BehaviorFlags } from '../behavior/behavior-flags.js';

/** Dependencies of the trading routes. */
export interface RouteContext {
  readonly exchange: SimulatedExchange;
  readonly market: Market;
  readonly listings: InstrumentIndex;
  /** Fraction of the traded value, GST included. */
  readonly takerFeeRate: Ratio;
  /** Rates and times of settlements. */
  readonly funding: ReadonlyFundingSchedule;
  /** Answers where the interface is silent or observations differ. */
  readonly switches: BehaviorFlags;
  /** Called after an order was accepted and waits for its fill. */
  readonly onPlaced: (order: ExchangeOrder) => void;
}

/** The path's asset: a UUID, or a symbol when `is_symbol` is present with any value. */
export function assetOf(context: RouteContext, call: RouteCall): SandboxListing | undefined {
  const selector = call.parameters['asset_id'] ?? '';
  return call.query.has('is_symbol')
    ? context.listings.bySymbol(selector)
    : context.listings.byAssetId(selector);
}
