import type { Decimal } from '../core/decimal.js';
import type { OrderRef, OrderType } from '../core/order.js';
import type { LegChange, Legs, LegTerms } from '../exchange/simulated-exchange.js';
import { success, type RouteReply } from './http-message.js';
import { openPosition, type OpenPosition } from './position-lookup.js';
import { POSITION_NOT_IN_OPEN_STATE, rejection } from './rejection-text.js';
import type { JsonBody } from './request-body.js';
import { judgeable, parseFlag, parseOptionalDecimal, parseOptionalText } from './request-fields.js';
import type { Call, Route } from './route.js';
import type { VenueDesk } from './venue-desk.js';

const RISK_ORDER = '/fapi/v1/futures/positions/{position_id}/riskorder';
const INVALID_REQUEST = rejection('invalid-request');

/** Set and edit stop and target of a position (interface). Other ids in the body are ignored. */
export const riskOrderRoutes = (desk: VenueDesk): readonly Route[] => [
  { method: 'POST', path: RISK_ORDER, answer: (call) => set(desk, call) },
  { method: 'PATCH', path: RISK_ORDER, answer: (call) => edit(desk, call) },
];

/** One leg of the body; `price` is null while it is missing. */
interface LegFields {
  readonly price: Decimal | null;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
}

function set(desk: VenueDesk, call: Call): RouteReply {
  const prepared = prepare(desk, call);
  if ('status' in prepared) return prepared;
  const { found, legs } = prepared;
  const wanted = legTerms(legs, found);
  if (wanted === undefined) return INVALID_REQUEST;
  const { positionId } = found.position;
  const answer = desk.exchange.protect(positionId, wanted);
  if (!answer.ok) return refused(answer.code);
  const message = 'Risk order placed successfully';
  return success({ position_id: positionId, status: 'CREATED', message });
}

function edit(desk: VenueDesk, call: Call): RouteReply {
  const type = triggerOf(call);
  if (type === 'unknown') return INVALID_REQUEST;
  const prepared = prepare(desk, call);
  if ('status' in prepared) return prepared;
  const { found, legs } = prepared;
  const wanted = legTerms(legs, found);
  if (wanted === undefined) return INVALID_REQUEST;
  const changes = legChanges(legs, wanted, type);
  if (changes === undefined) return rejection('protection-order-missing');
  const answer = desk.exchange.moveProtection(found.position.positionId, changes);
  if (!answer.ok) return refused(answer.code);
  return success({ message: 'Risk order amended successfully' });
}

/** Of the edit alone (interface, Edit SL/TP); absent: as it was. */
function triggerOf({ body }: Call): OrderType | undefined | 'unknown' {
  const trigger = body?.['trigger_type'] ?? undefined;
  if (trigger === undefined) return undefined;
  if (trigger === 'LIMIT') return 'limit';
  return trigger === 'MARKET' ? 'market' : 'unknown';
}

const refused = (code: Parameters<typeof rejection>[0]): RouteReply =>
  code === 'position-not-open' ? POSITION_NOT_IN_OPEN_STATE : rejection(code);

interface Prepared {
  readonly found: OpenPosition;
  readonly legs: Legs<LegFields>;
}

/** Types first, then the position and its state; what is missing comes after. */
function prepare(desk: VenueDesk, call: Call): Prepared | RouteReply {
  const legs = call.body === undefined ? undefined : readLegs(call.body);
  if (legs === undefined) return INVALID_REQUEST;
  const found = openPosition(desk, call);
  return typeof found === 'string' ? refused(found) : { found, legs };
}

/** The legs whose flag is set; undefined for a field of a wrong type. */
function readLegs(body: JsonBody): Legs<LegFields> | undefined {
  const hasStop = parseFlag(body['is_stoploss']);
  const hasTarget = parseFlag(body['is_takeprofit']);
  if (hasStop === undefined || hasTarget === undefined) return undefined;
  const stopLoss = hasStop ? readLeg(body, 'stoploss') : NOT_ASKED;
  const takeProfit = hasTarget ? readLeg(body, 'takeprofit') : NOT_ASKED;
  if (stopLoss === undefined || takeProfit === undefined) return undefined;
  return {
    ...(stopLoss !== NOT_ASKED && { stopLoss }),
    ...(takeProfit !== NOT_ASKED && { takeProfit }),
  };
}

const NOT_ASKED: LegFields = { price: null, orderId: null, clientOrderId: null };

function readLeg(body: JsonBody, name: 'stoploss' | 'takeprofit'): LegFields | undefined {
  const price = parseOptionalDecimal(body[`${name}_price`]);
  const orderId = parseOptionalText(body[`${name}_order_id`]);
  const clientOrderId = parseOptionalText(body[`${name}_client_order_id`]);
  if (price === undefined || orderId === undefined || clientOrderId === undefined) return undefined;
  return { price, orderId, clientOrderId };
}

/** undefined when no leg is asked for, or one without its price. */
function legTerms(legs: Legs<LegFields>, { listing }: OpenPosition): Legs<LegTerms> | undefined {
  const { stopLoss, takeProfit } = legs;
  if (stopLoss === undefined && takeProfit === undefined) return undefined;
  if (stopLoss?.price === null || takeProfit?.price === null) return undefined;
  const { priceStep } = listing.instrument;
  const terms = (leg: LegFields & { readonly price: Decimal }): LegTerms => ({
    price: judgeable(leg.price, priceStep),
    ...(leg.clientOrderId !== null && { clientOrderId: leg.clientOrderId }),
  });
  return {
    ...(stopLoss !== undefined && { stopLoss: terms({ ...stopLoss, price: stopLoss.price }) }),
    ...(takeProfit !== undefined && {
      takeProfit: terms({ ...takeProfit, price: takeProfit.price }),
    }),
  };
}

/** Each with the order it moves; undefined when a leg names none (interface, Edit SL/TP). */
function legChanges(
  legs: Legs<LegFields>,
  terms: Legs<LegTerms>,
  type: OrderType | undefined,
): Legs<LegChange> | undefined {
  const changes: { stopLoss?: LegChange; takeProfit?: LegChange } = {};
  for (const slot of ['stopLoss', 'takeProfit'] as const) {
    const [leg, wanted] = [legs[slot], terms[slot]];
    if (leg === undefined || wanted === undefined) continue;
    const order = orderRef(leg);
    if (order === undefined) return undefined;
    changes[slot] = { price: wanted.price, order, ...(type !== undefined && { type }) };
  }
  return changes;
}

/** The venue's id before the client's: a client id only locates, it is never attached here. */
function orderRef({ orderId, clientOrderId }: LegFields): OrderRef | undefined {
  if (orderId !== null) return { orderId };
  return clientOrderId === null ? undefined : { clientOrderId };
}
