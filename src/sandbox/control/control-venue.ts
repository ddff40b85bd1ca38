import {
  MAX_PLACES,
  fixed,
  fixedFromText,
  isGreater,
  SCALE,
  textFromFixed,
  type Fixed,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { OrderRef } from '../../core/order.js';
import type { SimulatedExchange } from '../../exchange/simulated-exchange.js';
import type { FundingSchedule } from '../price/funding-schedule.js';
import { failure, type RouteReply } from '../http/http-message.js';
import type { InstrumentIndex } from '../price/instrument-index.js';
import { orderState } from '../wire/order-wire.js';
import { rejection } from '../http/rejection-text.js';
import { parseDecimal } from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import type { WireValue } from '../http/wire-json.js';

/** The parts of the venue that the control paths act on. */
export interface ExchangeControls {
  readonly exchange: SimulatedExchange;
  readonly listings: InstrumentIndex;
  readonly funding: FundingSchedule;
  /** Sets INR per USDT. */
  readonly setHedgeRate: (rate: Ratio) => void;
}

const MAX_HEDGE_RATE = fixed<'ratio'>(1_000_000 * SCALE);
const MAX_FUNDING = 0.005;

/** Admin actions that no client can request: liquidity, locks, rates and delistings. */
export const venueControlRoutes = (controls: ExchangeControls): readonly Route[] => [
  { method: 'POST', path: '/sandbox/fill', handle: (call) => fill(controls, call) },
  { method: 'POST', path: '/sandbox/lock', handle: (call) => lock(controls, call) },
  { method: 'POST', path: '/sandbox/delist', handle: (call) => delist(controls, call) },
  { method: 'POST', path: '/sandbox/hedge-rate', handle: (call) => hedgeRate(controls, call) },
  { method: 'POST', path: '/sandbox/funding-rate', handle: (call) => fundingRate(controls, call) },
];

const okReply = (body: WireValue): RouteReply => ({ status: 200, body });

/** Fills a part of an open order, at its own or the current price. */
function fill({ exchange }: ExchangeControls, call: RouteCall): RouteReply {
  const ref = orderRefOf(call);
  if (ref === undefined) {
    return failure(400, 'order_id or client_order_id is required, as a string');
  }
  const quantity = parsePositive<'quantity'>(call.body?.['quantity']);
  if (quantity === undefined) {
    return failure(400, 'quantity must be a decimal above 0 with at most 18 places, as a string');
  }
  const result = exchange.fillPart(ref, quantity);
  return result.ok ? okReply(orderState(result.value, 0)) : rejection(result.code);
}

function orderRefOf(call: RouteCall): OrderRef | undefined {
  const orderId = call.body?.['order_id'];
  if (typeof orderId === 'string' && orderId !== '') return { orderId };
  const clientOrderId = call.body?.['client_order_id'];
  return typeof clientOrderId === 'string' && clientOrderId !== '' ? { clientOrderId } : undefined;
}

/** While locked, actions on the symbol answer 423 in both currencies. */
function lock(controls: ExchangeControls, call: RouteCall): RouteReply {
  return setFlag(controls, call, 'locked', (symbol, locked) => {
    controls.exchange.setLocked(symbol, locked);
  });
}

function delist(controls: ExchangeControls, call: RouteCall): RouteReply {
  return setFlag(controls, call, 'delisting', (symbol, delisting) => {
    controls.exchange.setDelisting(symbol, delisting);
  });
}

function setFlag(
  controls: ExchangeControls,
  call: RouteCall,
  name: string,
  set: (symbol: string, value: boolean) => void,
): RouteReply {
  const symbol = symbolOf(controls.listings, call);
  if (typeof symbol !== 'string') return symbol;
  const value = call.body?.[name];
  if (typeof value !== 'boolean') return failure(400, `${name} must be true or false`);
  set(symbol, value);
  return okReply({ symbol, [name]: value });
}

function hedgeRate({ setHedgeRate }: ExchangeControls, call: RouteCall): RouteReply {
  const rate = parsePositive<'ratio'>(call.body?.['rate']);
  if (rate === undefined || isGreater(rate, MAX_HEDGE_RATE)) {
    return failure(400, 'rate must be INR per USDT: a decimal above 0 and at most 1000000');
  }
  setHedgeRate(rate);
  return okReply({ rate: textFromFixed(rate) });
}

/** Sets the rate of a symbol's next settlement; later ones are the market's own. */
function fundingRate(controls: ExchangeControls, call: RouteCall): RouteReply {
  const symbol = symbolOf(controls.listings, call);
  if (typeof symbol !== 'string') return symbol;
  const rate = parseDecimal(call.body?.['rate']);
  if (rate === undefined || rate.abs().gt(MAX_FUNDING) || rate.decimalPlaces() > 8) {
    return failure(400, `rate must be a decimal from -${MAX_FUNDING} to ${MAX_FUNDING}`);
  }
  const settlementMs = controls.funding.nextSettlementMs(controls.exchange.nowMs);
  controls.funding.setRate(symbol, settlementMs, fixedFromText<'ratio'>(rate.toFixed()));
  return okReply({ symbol, settlement_ms: settlementMs, rate: rate.toFixed() });
}

/** A listed symbol, or the answer for one that is not listed. */
export function symbolOf(listings: InstrumentIndex, call: RouteCall): string | RouteReply {
  const symbol = call.body?.['symbol'];
  if (typeof symbol === 'string' && listings.bySymbol(symbol) !== undefined) return symbol;
  return failure(404, `no such symbol: ${JSON.stringify(symbol)}`);
}

const LARGEST = 1e15;

/** A decimal above 0 that the ledger can hold. */
export function parsePositive<Unit extends string>(value: unknown): Fixed<Unit> | undefined {
  const decimal = parseDecimal(value);
  if (decimal === undefined || !decimal.gt(0) || decimal.gt(LARGEST)) return undefined;
  return decimal.decimalPlaces() > MAX_PLACES ? undefined : fixedFromText<Unit>(decimal.toFixed());
}
