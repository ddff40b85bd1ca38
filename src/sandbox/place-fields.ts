import type { Currency } from '../core/currency.js';
import { Decimal } from '../core/decimal.js';
import type { Fixed, Price, Quantity } from '../core/fixed.js';
import type { OrderTerms, OrderType, Side } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';
import type { SandboxListing } from './listings.js';
import type { JsonBody } from './request-body.js';
import { judgeable, parseDecimal, parseFlag, parseOptionalDecimal } from './request-fields.js';

/** What both forms of place have in common: of the right types, not yet judged against the asset. */
export interface PlaceFields {
  readonly side: Side;
  readonly type: OrderType;
  readonly quantity: Decimal;
  /** `null` when absent; a market order's in v2, whatever it is. */
  readonly price: Decimal | null;
  readonly reduceOnly: boolean;
  readonly stopLoss: Decimal | undefined;
  readonly takeProfit: Decimal | undefined;
}

/** Enums first, then types. A market order's price is read only where the form asks for it. */
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
  const legs = reduceOnly ? NO_LEGS : readLegs(body);
  if (legs === undefined) return 'params-error';
  return {
    side: direction === 'LONG' ? 'buy' : 'sell',
    type,
    quantity,
    price,
    reduceOnly,
    ...legs,
  };
}

type PlacedLegs = Pick<PlaceFields, 'stopLoss' | 'takeProfit'>;

const NO_LEGS: PlacedLegs = { stopLoss: undefined, takeProfit: undefined };
/** A leg that is asked for without a price: the exchange refuses it where the table has it. */
const MISSING = new Decimal(0);

function readLegs(body: JsonBody): PlacedLegs | undefined {
  const hasStop = parseFlag(body['is_stoploss']);
  const hasTarget = parseFlag(body['is_takeprofit']);
  if (hasStop === undefined || hasTarget === undefined) return undefined;
  const stopLoss = hasStop ? parseOptionalDecimal(body['stoploss_price']) : null;
  const takeProfit = hasTarget ? parseOptionalDecimal(body['takeprofit_price']) : null;
  if (stopLoss === undefined || takeProfit === undefined) return undefined;
  return {
    stopLoss: hasStop ? (stopLoss ?? MISSING) : undefined,
    takeProfit: hasTarget ? (takeProfit ?? MISSING) : undefined,
  };
}

/** An asset that is not listed has no steps: any will do, the exchange looks at the asset first. */
const ANY_STEP = 1 as Fixed<never>;

/** In the ledger's form. '' as the symbol names no asset. */
export function orderTerms(
  fields: PlaceFields,
  currency: Currency,
  listing: SandboxListing | undefined,
): OrderTerms {
  const { side, type, price, reduceOnly, stopLoss, takeProfit } = fields;
  const priceStep: Fixed = listing?.instrument.priceStep ?? ANY_STEP;
  const quantityStep: Fixed = listing?.instrument.quantityStep ?? ANY_STEP;
  const inSteps = (value: Decimal): Price => judgeable<'price'>(value, priceStep);
  const isPriced = type === 'limit' && price !== null;
  return {
    symbol: listing?.instrument.symbol ?? '',
    currency,
    side,
    type,
    quantity: judgeable<'quantity'>(fields.quantity, quantityStep) satisfies Quantity,
    ...(isPriced && { price: inSteps(price) }),
    reduceOnly,
    ...(stopLoss !== undefined && { stopLoss: inSteps(stopLoss) }),
    ...(takeProfit !== undefined && { takeProfit: inSteps(takeProfit) }),
  };
}
