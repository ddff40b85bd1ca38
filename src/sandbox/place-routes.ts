import type { Currency } from '../core/currency.js';
import type { Decimal } from '../core/decimal.js';
import { textFromFixed, type Fixed, type Price, type Quantity } from '../core/fixed.js';
import type { OrderTerms } from '../core/order.js';
import type { ExchangeOrder } from '../exchange/simulated-exchange.js';
import { PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import { rejection } from './rejection-text.js';
import {
  judgeable,
  parseCurrency,
  parseDecimal,
  parseFlag,
  type JsonBody,
} from './request-fields.js';
import type { Call, Route } from './route.js';
import { failure } from './http-message.js';
import type { SandboxListing } from './listings.js';
import type { VenueDesk } from './venue-desk.js';

/** The place endpoint spells this text its own way (interface, Order create v2). */
const INVALID_CURRENCY = failure(400, 'invalid trade_currency');
/** Not accepted in the body (interface, POST v2 order): leverage is the stored one. */
const FOREIGN_FIELDS = ['leverage', 'actual_amount', 'desired_amount'];

/** Body fields of the right types, not yet judged against the asset. */
interface PlaceFields {
  readonly currency: Currency;
  readonly side: 'buy' | 'sell';
  readonly type: 'market' | 'limit';
  readonly quantity: Decimal;
  readonly price: Decimal | undefined;
  readonly stopLoss: Decimal | undefined;
  readonly takeProfit: Decimal | undefined;
  readonly reduceOnly: boolean;
  readonly clientOrderId: string | undefined;
}

export const placeRoutes = (desk: VenueDesk): readonly Route[] => [
  { method: 'POST', path: '/fapi/v2/futures/order', answer: (call) => place(desk, call) },
];

function place(desk: VenueDesk, call: Call): RouteReply {
  const read = call.body === undefined ? PARAMS_ERROR : readFields(call.body);
  if ('status' in read) return read;
  const symbol = selectedSymbol(desk, call);
  const listing = desk.listings.bySymbol(symbol);
  const answer = desk.exchange.place({
    terms: termsOf(read, symbol, listing),
    ...(read.clientOrderId === undefined ? {} : { clientOrderId: read.clientOrderId }),
  });
  if (!answer.ok) return rejection(answer.code);
  desk.onPlaced(answer.value);
  return success(placementWire(answer.value, read), 202);
}

/** Query `symbol`, or `id` with the asset's UUID. '' when it names no asset: the exchange says so. */
function selectedSymbol(desk: VenueDesk, call: Call): string {
  const symbol = call.query.get('symbol');
  if (symbol !== null) return desk.listings.bySymbol(symbol)?.instrument.symbol ?? '';
  return desk.listings.byAssetId(call.query.get('id') ?? '')?.instrument.symbol ?? '';
}

/** Currency first, then types and enums (design part 8). */
function readFields(body: JsonBody): PlaceFields | RouteReply {
  const currency = parseCurrency(body['trade_currency']);
  if (currency === undefined) return INVALID_CURRENCY;
  const trigger = body['trigger_type'];
  if (trigger !== 'MARKET' && trigger !== 'LIMIT') return rejection('invalid-trigger-type');
  const direction = body['order_type'];
  if (direction !== 'LONG' && direction !== 'SHORT') return rejection('invalid-order-type');
  const quantity = parseDecimal(body['quantity']);
  const reduceOnly = parseFlag(body['reduce_only']);
  const clientOrderId = body['client_order_id'] ?? '';
  if (FOREIGN_FIELDS.some((field) => body[field] !== undefined)) return PARAMS_ERROR;
  if (quantity === undefined || reduceOnly === undefined || typeof clientOrderId !== 'string') {
    return PARAMS_ERROR;
  }
  const type = trigger === 'LIMIT' ? 'limit' : 'market';
  const price = readPrice(body, type);
  if (price !== undefined && 'status' in price) return price;
  const legs = reduceOnly ? {} : readLegs(body);
  if ('status' in legs) return legs;
  return {
    currency,
    side: direction === 'LONG' ? 'buy' : 'sell',
    type,
    quantity,
    price,
    stopLoss: legs.stopLoss,
    takeProfit: legs.takeProfit,
    reduceOnly,
    clientOrderId: clientOrderId === '' ? undefined : clientOrderId,
  };
}

/** A market order's price is ignored, whatever it is. A limit order's may be missing: judged later. */
function readPrice(body: JsonBody, type: 'market' | 'limit'): Decimal | RouteReply | undefined {
  const value = body['order_price'];
  if (type === 'market' || value === undefined || value === null) return undefined;
  const price = parseDecimal(value);
  if (price === undefined) return PARAMS_ERROR;
  return price.gt(0) ? price : undefined;
}

interface Legs {
  readonly stopLoss?: Decimal;
  readonly takeProfit?: Decimal;
}

function readLegs(body: JsonBody): Legs | RouteReply {
  const hasStop = parseFlag(body['is_stoploss']);
  const hasTarget = parseFlag(body['is_takeprofit']);
  if (hasStop === undefined || hasTarget === undefined) return PARAMS_ERROR;
  const stopLoss = parseDecimal(body['stoploss_price']);
  const takeProfit = parseDecimal(body['takeprofit_price']);
  if (hasStop && !stopLoss?.gt(0)) return rejection('invalid-stop-loss');
  if (hasTarget && !takeProfit?.gt(0)) return rejection('invalid-take-profit');
  return {
    ...(hasStop && stopLoss !== undefined ? { stopLoss } : {}),
    ...(hasTarget && takeProfit !== undefined ? { takeProfit } : {}),
  };
}

function termsOf(
  fields: PlaceFields,
  symbol: string,
  listing: SandboxListing | undefined,
): OrderTerms {
  const { currency, side, type, reduceOnly, price, stopLoss, takeProfit } = fields;
  const priceStep: Fixed = listing?.instrument.priceStep ?? (1 as Price);
  const quantityStep: Fixed = listing?.instrument.quantityStep ?? (1 as Quantity);
  const inSteps = (value: Decimal): Price => judgeable<'price'>(value, priceStep);
  return {
    symbol,
    currency,
    side,
    type,
    quantity: judgeable<'quantity'>(fields.quantity, quantityStep),
    ...(price === undefined ? {} : { price: inSteps(price) }),
    reduceOnly,
    ...(stopLoss === undefined ? {} : { stopLoss: inSteps(stopLoss) }),
    ...(takeProfit === undefined ? {} : { takeProfit: inSteps(takeProfit) }),
  };
}

/** Numbers are strings in create responses, and normalised (supplement, part 9). */
const placementWire = (order: ExchangeOrder, fields: PlaceFields) => ({
  leverage: textFromFixed(order.leverage),
  quantity: textFromFixed(order.quantity),
  price: order.price === undefined ? '0' : textFromFixed(order.price),
  order_id: order.orderId,
  status: 'CREATED',
  message: 'OK',
  client_order_id: fields.clientOrderId ?? null,
  position_id: order.positionId ?? '',
});
