import type { Currency } from './currency.js';
import type { Price, Quantity, Ratio } from './fixed/fixed.js';

/** A buy makes a position longer, a sell shorter. */
export type Side = 'buy' | 'sell';
export const SIDES = ['buy', 'sell'] as const satisfies readonly Side[];
/** Market: at the best available price. Limit: at the limit price or better. */
export type OrderType = 'market' | 'limit';
export const ORDER_TYPES = ['market', 'limit'] as const satisfies readonly OrderType[];

/** The terms of an order: every field that the venue's report must match. */
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
  /** Trigger prices of attached protective orders. Never with `reduceOnly`: the venue ignores them (hazard A34). */
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
}

/**
 * `unrecognised`: a status of the venue that this version does not know. It is not terminal and its
 * exposure stays reserved (hazard G11).
 */
export type OrderStatus =
  'created' | 'partially-filled' | 'filled' | 'canceled' | 'system-canceled' | 'unrecognised';

/** One order as the venue reports it. */
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
  /** Limit or trigger price. For a market order, the price that the venue prints. */
  readonly price?: Price;
  /** Average of the fills; absent while nothing is filled. */
  readonly averagePrice?: Price;
  readonly leverage?: Ratio;
  /** INR per USDT at the last change. INR orders only. */
  readonly hedgeRate?: Ratio;
  readonly positionId?: string;
  /** The reason why the venue ended the order, in its own words. */
  readonly reason?: string;
  /** Creation time, venue ms, whole seconds. Only on rows of order history. */
  readonly createdAt?: number;
  /** Time of the last change, venue ms, whole seconds. */
  readonly updatedAt?: number;
}

export type OrderRef = { readonly clientOrderId: string } | { readonly orderId: string };

export const oppositeSide = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');
/** +1 for a buy, −1 for a sell. */
export const sideSign = (side: Side): 1 | -1 => (side === 'buy' ? 1 : -1);
/** Whether the status itself rules out further fills. A cancel may still race a fill (hazard B5). */
export const isTerminalStatus = (status: OrderStatus): boolean =>
  status === 'filled' || status === 'canceled' || status === 'system-canceled';
