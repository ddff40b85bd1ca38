import type { Decimal } from '../../core/fixed/decimal.js';
import type { OrderRef, OrderType } from '../../core/order.js';
import type {
  ProtectiveOrderChange,
  Bracket,
  ProtectiveOrderTerms,
} from '../../exchange/simulated-exchange.js';
import { success, type RouteReply } from '../http/http-message.js';
import { openPositionFor, type OpenPosition } from './position-lookup.js';
import { POSITION_NOT_IN_OPEN_STATE, rejection } from '../http/rejection-text.js';
import type { JsonBody } from '../http/request-body.js';
import {
  toFixedForChecks,
  parseFlag,
  parseOptionalDecimal,
  parseOptionalText,
} from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import type { RouteContext } from './route-context.js';

const RISK_ORDER = '/fapi/v1/futures/positions/{position_id}/riskorder';
const INVALID_REQUEST = rejection('invalid-request');

/** Sets and edits stop and target of a position. Other ids in the body are ignored (interface: riskorder). */
export const riskOrderRoutes = (context: RouteContext): readonly Route[] => [
  { method: 'POST', path: RISK_ORDER, handle: (call) => set(context, call) },
  { method: 'PATCH', path: RISK_ORDER, handle: (call) => edit(context, call) },
];

/** A stop or target of the body; `price` is null when missing. */
interface ProtectiveOrderFields {
  readonly price: Decimal | null;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
}

function set(context: RouteContext, call: RouteCall): RouteReply {
  const prepared = prepare(context, call);
  if ('status' in prepared) return prepared;
  const { found, bracketFields } = prepared;
  const bracket = bracketTerms(bracketFields, found);
  if (bracket === undefined) return INVALID_REQUEST;
  const { positionId } = found.position;
  const result = context.exchange.protect(positionId, bracket);
  if (!result.ok) return riskOrderRejection(result.code);
  const message = 'Risk order placed successfully';
  return success({ position_id: positionId, status: 'CREATED', message });
}

function edit(context: RouteContext, call: RouteCall): RouteReply {
  const type = triggerOf(call);
  if (type === 'unknown') return INVALID_REQUEST;
  const prepared = prepare(context, call);
  if ('status' in prepared) return prepared;
  const { found, bracketFields } = prepared;
  const bracket = bracketTerms(bracketFields, found);
  if (bracket === undefined) return INVALID_REQUEST;
  const changes = bracketChanges(bracketFields, bracket, type);
  if (changes === undefined) return rejection('protection-order-missing');
  const result = context.exchange.moveProtection(found.position.positionId, changes);
  if (!result.ok) return riskOrderRejection(result.code);
  return success({ message: 'Risk order amended successfully' });
}

/** Edits only; absent: unchanged (interface: Edit SL/TP). */
function triggerOf({ body }: RouteCall): OrderType | undefined | 'unknown' {
  const trigger = body?.['trigger_type'] ?? undefined;
  if (trigger === undefined) return undefined;
  if (trigger === 'LIMIT') return 'limit';
  return trigger === 'MARKET' ? 'market' : 'unknown';
}

const riskOrderRejection = (code: Parameters<typeof rejection>[0]): RouteReply =>
  code === 'position-not-open' ? POSITION_NOT_IN_OPEN_STATE : rejection(code);

interface Prepared {
  readonly found: OpenPosition;
  readonly bracketFields: Bracket<ProtectiveOrderFields>;
}

/** Checks types, then the position and its state, then missing fields. */
function prepare(context: RouteContext, call: RouteCall): Prepared | RouteReply {
  const bracketFields = call.body === undefined ? undefined : readBracketFields(call.body);
  if (bracketFields === undefined) return INVALID_REQUEST;
  const found = openPositionFor(context, call);
  return typeof found === 'string' ? riskOrderRejection(found) : { found, bracketFields };
}

/** Stop and target whose flags are set; undefined when a field has a wrong type. */
function readBracketFields(body: JsonBody): Bracket<ProtectiveOrderFields> | undefined {
  const hasStop = parseFlag(body['is_stoploss']);
  const hasTarget = parseFlag(body['is_takeprofit']);
  if (hasStop === undefined || hasTarget === undefined) return undefined;
  const stopLoss = hasStop ? readProtectiveOrder(body, 'stoploss') : NOT_REQUESTED;
  const takeProfit = hasTarget ? readProtectiveOrder(body, 'takeprofit') : NOT_REQUESTED;
  if (stopLoss === undefined || takeProfit === undefined) return undefined;
  return {
    ...(stopLoss !== NOT_REQUESTED && { stopLoss }),
    ...(takeProfit !== NOT_REQUESTED && { takeProfit }),
  };
}

const NOT_REQUESTED: ProtectiveOrderFields = { price: null, orderId: null, clientOrderId: null };

function readProtectiveOrder(
  body: JsonBody,
  name: 'stoploss' | 'takeprofit',
): ProtectiveOrderFields | undefined {
  const price = parseOptionalDecimal(body[`${name}_price`]);
  const orderId = parseOptionalText(body[`${name}_order_id`]);
  const clientOrderId = parseOptionalText(body[`${name}_client_order_id`]);
  if (price === undefined || orderId === undefined || clientOrderId === undefined) return undefined;
  return { price, orderId, clientOrderId };
}

/** undefined when neither is requested, or one has no price. */
function bracketTerms(
  bracketFields: Bracket<ProtectiveOrderFields>,
  { listing }: OpenPosition,
): Bracket<ProtectiveOrderTerms> | undefined {
  const { stopLoss, takeProfit } = bracketFields;
  if (stopLoss === undefined && takeProfit === undefined) return undefined;
  if (stopLoss?.price === null || takeProfit?.price === null) return undefined;
  const { priceStep } = listing.instrument;
  const terms = (
    fields: ProtectiveOrderFields & { readonly price: Decimal },
  ): ProtectiveOrderTerms => ({
    price: toFixedForChecks(fields.price, priceStep),
    ...(fields.clientOrderId !== null && { clientOrderId: fields.clientOrderId }),
  });
  return {
    ...(stopLoss !== undefined && { stopLoss: terms({ ...stopLoss, price: stopLoss.price }) }),
    ...(takeProfit !== undefined && {
      takeProfit: terms({ ...takeProfit, price: takeProfit.price }),
    }),
  };
}

/** Each with the order it moves; undefined when one names no order (interface: Edit SL/TP). */
function bracketChanges(
  bracketFields: Bracket<ProtectiveOrderFields>,
  terms: Bracket<ProtectiveOrderTerms>,
  type: OrderType | undefined,
): Bracket<ProtectiveOrderChange> | undefined {
  const changes: { stopLoss?: ProtectiveOrderChange; takeProfit?: ProtectiveOrderChange } = {};
  for (const key of ['stopLoss', 'takeProfit'] as const) {
    const [fields, orderTerms] = [bracketFields[key], terms[key]];
    if (fields === undefined || orderTerms === undefined) continue;
    const order = orderRef(fields);
    if (order === undefined) return undefined;
    changes[key] = { price: orderTerms.price, order, ...(type !== undefined && { type }) };
  }
  return changes;
}

/** Prefers the venue's id. A client order id only locates the order and is never attached here. */
function orderRef({ orderId, clientOrderId }: ProtectiveOrderFields): OrderRef | undefined {
  if (orderId !== null) return { orderId };
  return clientOrderId === null ? undefined : { clientOrderId };
}
