import {
  FINEST_PLACES,
  fixed,
  fixedFromText,
  isMore,
  SCALE,
  textFromFixed,
  type Fixed,
  type Ratio,
} from '../core/fixed.js';
import type { OrderRef } from '../core/order.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { FundingBook } from './funding.js';
import { failure, type RouteReply } from './http-message.js';
import type { ListingBook } from './listing-book.js';
import { orderState } from './order-wire.js';
import { rejection } from './rejection-text.js';
import { parseDecimal } from './request-fields.js';
import type { Call, Route } from './route.js';
import type { WireValue } from './wire-json.js';

/** What the control paths can do to the venue behind the interface. */
export interface VenueControls {
  readonly exchange: SimulatedExchange;
  readonly listings: ListingBook;
  readonly funding: FundingBook;
  /** INR per USDT from now on. */
  readonly setHedgeRate: (rate: Ratio) => void;
}

const MAX_HEDGE_RATE = fixed<'ratio'>(1_000_000 * SCALE);
const MAX_FUNDING = 0.005;

/** The hand of the venue: liquidity, locks, rates and delistings that no client could order. */
export const venueControlRoutes = (controls: VenueControls): readonly Route[] => [
  { method: 'POST', path: '/sandbox/fill', answer: (call) => fill(controls, call) },
  { method: 'POST', path: '/sandbox/lock', answer: (call) => lock(controls, call) },
  { method: 'POST', path: '/sandbox/delist', answer: (call) => delist(controls, call) },
  { method: 'POST', path: '/sandbox/hedge-rate', answer: (call) => hedgeRate(controls, call) },
  { method: 'POST', path: '/sandbox/funding-rate', answer: (call) => fundingRate(controls, call) },
];

const tell = (body: WireValue): RouteReply => ({ status: 200, body });

/** Fills a part of an open order, at its own price or at the present one. */
function fill({ exchange }: VenueControls, call: Call): RouteReply {
  const ref = orderRefOf(call);
  if (ref === undefined) {
    return failure(400, 'order_id or client_order_id is required, as a string');
  }
  const quantity = positive<'quantity'>(call.body?.['quantity']);
  if (quantity === undefined) {
    return failure(400, 'quantity must be a decimal above 0 with at most 18 places, as a string');
  }
  const answer = exchange.fillPart(ref, quantity);
  return answer.ok ? tell(orderState(answer.value, 0)) : rejection(answer.code);
}

function orderRefOf(call: Call): OrderRef | undefined {
  const orderId = call.body?.['order_id'];
  if (typeof orderId === 'string' && orderId !== '') return { orderId };
  const clientOrderId = call.body?.['client_order_id'];
  return typeof clientOrderId === 'string' && clientOrderId !== '' ? { clientOrderId } : undefined;
}

/** While locked, placing on the symbol answers 423 in both currencies. */
function lock(controls: VenueControls, call: Call): RouteReply {
  return flag(controls, call, 'locked', (symbol, locked) => {
    controls.exchange.setLocked(symbol, locked);
  });
}

function delist(controls: VenueControls, call: Call): RouteReply {
  return flag(controls, call, 'delisting', (symbol, delisting) => {
    controls.exchange.setDelisting(symbol, delisting);
  });
}

function flag(
  controls: VenueControls,
  call: Call,
  name: string,
  set: (symbol: string, value: boolean) => void,
): RouteReply {
  const symbol = symbolOf(controls.listings, call);
  if (typeof symbol !== 'string') return symbol;
  const value = call.body?.[name];
  if (typeof value !== 'boolean') return failure(400, `${name} must be true or false`);
  set(symbol, value);
  return tell({ symbol, [name]: value });
}

function hedgeRate({ setHedgeRate }: VenueControls, call: Call): RouteReply {
  const rate = positive<'ratio'>(call.body?.['rate']);
  if (rate === undefined || isMore(rate, MAX_HEDGE_RATE)) {
    return failure(400, 'rate must be INR per USDT: a decimal above 0 and at most 1000000');
  }
  setHedgeRate(rate);
  return tell({ rate: textFromFixed(rate) });
}

/** The rate of the next settlement of a symbol; the one after is the market's own again. */
function fundingRate(controls: VenueControls, call: Call): RouteReply {
  const symbol = symbolOf(controls.listings, call);
  if (typeof symbol !== 'string') return symbol;
  const rate = parseDecimal(call.body?.['rate']);
  if (rate === undefined || rate.abs().gt(MAX_FUNDING) || rate.decimalPlaces() > 8) {
    return failure(400, `rate must be a decimal from -${MAX_FUNDING} to ${MAX_FUNDING}`);
  }
  const settlementMs = controls.funding.next(controls.exchange.nowMs);
  controls.funding.set(symbol, settlementMs, fixedFromText<'ratio'>(rate.toFixed()));
  return tell({ symbol, settlement_ms: settlementMs, rate: rate.toFixed() });
}

/** A listed symbol, or the answer to one that is not. */
export function symbolOf(listings: ListingBook, call: Call): string | RouteReply {
  const symbol = call.body?.['symbol'];
  if (typeof symbol === 'string' && listings.bySymbol(symbol) !== undefined) return symbol;
  return failure(404, `no such symbol: ${JSON.stringify(symbol)}`);
}

const LARGEST = 1e15;

/** A decimal above 0 that the ledger can hold. */
export function positive<Unit extends string>(value: unknown): Fixed<Unit> | undefined {
  const decimal = parseDecimal(value);
  if (decimal === undefined || !decimal.gt(0) || decimal.gt(LARGEST)) return undefined;
  return decimal.decimalPlaces() > FINEST_PLACES
    ? undefined
    : fixedFromText<Unit>(decimal.toFixed());
}
