import { decimalFromFixed, FIXED_PLACES } from '../../core/fixed/fixed.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { ExchangeOrder } from '../../exchange/simulated-exchange.js';
import { failure, PARAMS_ERROR, success, type RouteReply } from '../http/http-message.js';
import { notionalOf } from '../wire/order-value.js';
import { orderTerms, readPlaceFields, type PlaceFields } from './place-fields.js';
import { placementWire } from './place-routes.js';
import { rejection } from '../http/rejection-text.js';
import { toFixedForChecks, parseCurrency, parseDecimal } from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import { assetOf, type RouteContext } from './route-context.js';

const ASSET_NOT_FOUND = failure(404, 'Asset not found');

/** Texts that differ from v2 (interface: order create v1). */
const V1_REJECTIONS: Partial<Record<RejectionCode, RouteReply>> = {
  'invalid-trigger-type': failure(400, 'invalid trigger type'),
  'invalid-order-type': failure(400, 'invalid order type'),
  'limit-price-missing': rejection('price-range'),
  'leverage-not-set': rejection('leverage-range'),
};

const v1Rejection = (code: RejectionCode): RouteReply => V1_REJECTIONS[code] ?? rejection(code);

export const placeV1Routes = (context: RouteContext): readonly Route[] => [
  {
    method: 'POST',
    path: '/fapi/v1/futures/{asset_id}/order',
    handle: (call) => place(context, call),
  },
];

/** v1 stores the order's own leverage, needs a price for market orders too, and has no client order id. */
function place(context: RouteContext, call: RouteCall): RouteReply {
  const { body } = call;
  if (body === undefined) return PARAMS_ERROR;
  const currency = parseCurrency(body['trade_currency']);
  if (currency === undefined) return rejection('invalid-currency');
  const fields = readPlaceFields(body, 'read');
  if (typeof fields === 'string') return v1Rejection(fields);
  const leverage = parseDecimal(body['leverage']);
  if (leverage === undefined || lacksPrice(context, fields) || lacksProtectivePrice(fields)) {
    return PARAMS_ERROR;
  }
  const listing = assetOf(context, call);
  if (listing === undefined) return ASSET_NOT_FOUND;
  const { priceStep, leverageStep } = listing.instrument;
  const result = context.exchange.place({
    // A market order does not use its price; the exchange decides whether its range matters.
    terms: {
      ...orderTerms(fields, currency, listing),
      ...(fields.price !== null && { price: toFixedForChecks<'price'>(fields.price, priceStep) }),
    },
    leverage: toFixedForChecks<'ratio'>(leverage, leverageStep),
  });
  if (!result.ok) return v1Rejection(result.code);
  context.onPlaced(result.value);
  const { leverage: usedLeverage, ...rest } = placementWire(result.value);
  return success({ leverage: usedLeverage, amount: marginUsed(result.value), ...rest }, 202);
}

/** Required in every v1 order; optional in a market order where that is assumed. */
const lacksPrice = ({ switches }: RouteContext, { type, price }: PlaceFields): boolean =>
  price === null && (type === 'limit' || switches.v1MarketPriceField === 'required');

/** "Required when is_stoploss is true" (interface); the same for the target. */
const lacksProtectivePrice = ({ stopLoss, takeProfit }: PlaceFields): boolean =>
  stopLoss?.isZero() === true || takeProfit?.isZero() === true;

/**
 * Order value ÷ leverage in the order's currency; 0 for a reducing order. The interface defines `amount`
 * as the margin used, though live samples show the order value in USDT (supplement: part 9).
 */
function marginUsed(order: ExchangeOrder): string {
  if (order.reduceOnly || order.price === undefined) return '0';
  return notionalOf(order.price, order.quantity)
    .times(decimalFromFixed(order.hedgeRate))
    .div(decimalFromFixed(order.leverage))
    .toDecimalPlaces(FIXED_PLACES)
    .toFixed();
}
