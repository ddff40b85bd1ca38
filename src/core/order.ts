import type { Currency } from './currency.js';
import type { Price, Quantity, Ratio } from './fixed.js';

/** A buy makes a position longer, a sell shorter. */
export type Side = 'buy' | 'sell';
/** At any price that there is, or at a price or better. */
export type OrderType = 'market' | 'limit';

/** What is to be traded: everything of an order that the venue must agree with. */
export interface OrderTerms {
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: Side;
  readonly type: OrderType;
  /** Above 0, a multiple of the step. */
  readonly quantity: Quantity;
  /** Limit orders only. */
  readonly price?: Price;
  readonly reduceOnly: boolean;
  /** Attached protection: trigger prices. Never with `reduceOnly` (hazard A34). */
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
}

/**
 * `unrecognised` is a status word this version does not know: not terminal, exposure stays reserved
 * (hazard G11).
 */
export type OrderStatus =
  'created' | 'partially-filled' | 'filled' | 'canceled' | 'system-canceled' | 'unrecognised';

/** One order as the venue tells it. */
export interface OrderReport {
  readonly orderId: string;
  readonly clientOrderId?: string;
  readonly symbol?: string;
  readonly currency: Currency;
  /** An order that trades, or a stop or target that waits on a position. */
  readonly role: 'trade' | 'stop-loss' | 'take-profit';
  /** Absent on stops and targets. */
  readonly side?: Side;
  readonly type: OrderType;
  readonly status: OrderStatus;
  readonly quantity: Quantity;
  readonly filledQuantity: Quantity;
  /** Limit or trigger price; what the venue printed for a market order. */
  readonly price?: Price;
  /** Average of the fills; absent while nothing is filled. */
  readonly averagePrice?: Price;
  readonly leverage?: Ratio;
  readonly positionId?: string;
  /** Why the venue ended it, in its own words. */
  readonly reason?: string;
  /** Venue ms at which it was made; whole seconds. Of rows of order history. */
  readonly createdAt?: number;
  /** Venue ms of its last change; whole seconds. */
  readonly updatedAt?: number;
}

export type OrderRef = { readonly clientOrderId: string } | { readonly orderId: string };

export const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');
/** +1 for a buy, −1 for a sell. */
export const signOf = (side: Side): 1 | -1 => (side === 'buy' ? 1 : -1);
/** A status no further fill can follow, as far as the word alone says (see hazard B5). */
export const isFinal = (status: OrderStatus): boolean =>
  status === 'filled' || status === 'canceled' || status === 'system-canceled';
