import { decimalFromFixed, FIXED_PLACES } from '../core/fixed.js';
import type { RejectionCode } from '../core/rejection.js';
import type { ExchangeOrder } from '../exchange/simulated-exchange.js';
import { failure, PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import { valueOf } from './order-value.js';
import { orderTerms, readPlaceFields, type PlaceFields } from './place-fields.js';
import { placementWire } from './place-routes.js';
import { rejection } from './rejection-text.js';
import { judgeable, parseCurrency, parseDecimal } from './request-fields.js';
import type { Call, Route } from './route.js';
import { assetOf, type VenueDesk } from './venue-desk.js';

const ASSET_NOT_FOUND = failure(404, 'Asset not found');

/** Where v1 has another text than v2 (interface, Order create v1). */
const OWN_REPLIES: Partial<Record<RejectionCode, RouteReply>> = {
  'invalid-trigger-type': failure(400, 'invalid trigger type'),
  'invalid-order-type': failure(400, 'invalid order type'),
  'limit-price-missing': rejection('price-range'),
  'leverage-not-set': rejection('leverage-range'),
};

const refused = (code: RejectionCode): RouteReply => OWN_REPLIES[code] ?? rejection(code);

export const placeV1Routes = (desk: VenueDesk): readonly Route[] => [
  {
    method: 'POST',
    path: '/fapi/v1/futures/{asset_id}/order',
    answer: (call) => place(desk, call),
  },
];

/** The first form: its own leverage, which it stores, a price also for market orders, no client id. */
function place(desk: VenueDesk, call: Call): RouteReply {
  const { body } = call;
  if (body === undefined) return PARAMS_ERROR;
  const currency = parseCurrency(body['trade_currency']);
  if (currency === undefined) return rejection('invalid-currency');
  const fields = readPlaceFields(body, 'read');
  if (typeof fields === 'string') return refused(fields);
  const leverage = parseDecimal(body['leverage']);
  if (leverage === undefined || lacksPrice(desk, fields) || lacksLegPrice(fields)) {
    return PARAMS_ERROR;
  }
  const listing = assetOf(desk, call);
  if (listing === undefined) return ASSET_NOT_FOUND;
  const { priceStep, leverageStep } = listing.instrument;
  const answer = desk.exchange.place({
    // A market order does not use its price; whether it must be in range, the exchange judges.
    terms: {
      ...orderTerms(fields, currency, listing),
      ...(fields.price !== null && { price: judgeable<'price'>(fields.price, priceStep) }),
    },
    leverage: judgeable<'ratio'>(leverage, leverageStep),
  });
  if (!answer.ok) return refused(answer.code);
  desk.onPlaced(answer.value);
  const { leverage: used, ...rest } = placementWire(answer.value);
  return success({ leverage: used, amount: marginUsed(answer.value), ...rest }, 202);
}

/** Required of every v1 order; of a market order it may be left out where that is assumed. */
const lacksPrice = ({ switches }: VenueDesk, { type, price }: PlaceFields): boolean =>
  price === null && (type === 'limit' || switches.v1MarketPriceField === 'required');

/** "Required when is_stoploss is true", and so for the target. */
const lacksLegPrice = ({ stopLoss, takeProfit }: PlaceFields): boolean =>
  stopLoss?.isZero() === true || takeProfit?.isZero() === true;

/**
 * Order value ÷ leverage in the order's currency: the interface calls `amount` the margin used, though
 * live samples show the order value in USDT (supplement, part 9). A reducing order uses none.
 */
function marginUsed(order: ExchangeOrder): string {
  if (order.reduceOnly || order.price === undefined) return '0';
  return valueOf(order.price, order.quantity)
    .times(decimalFromFixed(order.hedgeRate))
    .div(decimalFromFixed(order.leverage))
    .toDecimalPlaces(FIXED_PLACES)
    .toFixed();
}
