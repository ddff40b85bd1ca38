import type { Currency } from '../../core/currency.js';
import { Decimal } from '../../core/fixed/decimal.js';
import type { Fixed, Price, Quantity } from '../../core/fixed/fixed.js';
import type { OrderTerms, OrderType, Side } from '../../core/order.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { SandboxListing } from '../../market/synthetic/listings.js';
import type { JsonBody } from '../http/request-body.js';
import {
  toFixedForChecks,
  parseDecimal,
  parseFlag,
  parseOptionalDecimal,
} from '../http/request-fields.js';

/** Fields common to both versions of order create: types are checked, values are not. */
export interface PlaceFields {
  readonly side: Side;
  readonly type: OrderType;
  readonly quantity: Decimal;
  /** `null` when absent, and for every v2 market order. */
  readonly price: Decimal | null;
  readonly reduceOnly: boolean;
  readonly stopLoss: Decimal | undefined;
  readonly takeProfit: Decimal | undefined;
}

/** Checks enums, then types. A market order's price is read only for v1. */
export function readPlaceFields(
  body: JsonBody,
  marketPrice: 'ignored' | 'read',
): PlaceFields | RejectionCode {
  const trigger = body['trigger_type'];
  if (trigger !== 'MARKET' && trigger !== 'LIMIT') return 'invalid-trigger-type';
  const direction = body['order_type'];
  if (direction !== 'LONG' && direction !== 'SHORT') return 'invalid-order-type';
  const type = trigger === 'LIMIT' ? 'limit' : 'market';
  const quantity = parseDecimal(body['quantity']);
  const isPriceIgnored = type === 'market' && marketPrice === 'ignored';
  const price = isPriceIgnored ? null : parseOptionalDecimal(body['order_price']);
  const reduceOnly = parseFlag(body['reduce_only']);
  if (quantity === undefined || price === undefined || reduceOnly === undefined) {
    return 'params-error';
  }
  const protectivePrices = reduceOnly ? NO_PROTECTION : readProtectivePrices(body);
  if (protectivePrices === undefined) return 'params-error';
  return {
    side: direction === 'LONG' ? 'buy' : 'sell',
    type,
    quantity,
    price,
    reduceOnly,
    ...protectivePrices,
  };
}

type ProtectivePrices = Pick<PlaceFields, 'stopLoss' | 'takeProfit'>;

const NO_PROTECTION: ProtectivePrices = { stopLoss: undefined, takeProfit: undefined };
/** Stands for a requested stop or target without a price, which the exchange then refuses. */
const MISSING_PRICE = new Decimal(0);

function readProtectivePrices(body: JsonBody): ProtectivePrices | undefined {
  const hasStop = parseFlag(body['is_stoploss']);
  const hasTarget = parseFlag(body['is_takeprofit']);
  if (hasStop === undefined || hasTarget === undefined) return undefined;
  const stopLoss = hasStop ? parseOptionalDecimal(body['stoploss_price']) : null;
  const takeProfit = hasTarget ? parseOptionalDecimal(body['takeprofit_price']) : null;
  if (stopLoss === undefined || takeProfit === undefined) return undefined;
  return {
    stopLoss: hasStop ? (stopLoss ?? MISSING_PRICE) : undefined,
    takeProfit: hasTarget ? (takeProfit ?? MISSING_PRICE) : undefined,
  };
}

/** Steps for an unlisted asset. Any value works, since the exchange checks the asset first. */
const ANY_STEP = 1 as Fixed<never>;

/** Terms in the ledger's form; the symbol is '' when no asset is named. */
export function orderTerms(
  fields: PlaceFields,
  currency: Currency,
  listing: SandboxListing | undefined,
): OrderTerms {
  const { side, type, price, reduceOnly, stopLoss, takeProfit } = fields;
  const priceStep: Fixed = listing?.instrument.priceStep ?? ANY_STEP;
  const quantityStep: Fixed = listing?.instrument.quantityStep ?? ANY_STEP;
  const toPrice = (value: Decimal): Price => toFixedForChecks<'price'>(value, priceStep);
  const isPriced = type === 'limit' && price !== null;
  return {
    symbol: listing?.instrument.symbol ?? '',
    currency,
    side,
    type,
    quantity: toFixedForChecks<'quantity'>(fields.quantity, quantityStep) satisfies Quantity,
    ...(isPriced && { price: toPrice(price) }),
    reduceOnly,
    ...(stopLoss !== undefined && { stopLoss: toPrice(stopLoss) }),
    ...(takeProfit !== undefined && { takeProfit: toPrice(takeProfit) }),
  };
}
