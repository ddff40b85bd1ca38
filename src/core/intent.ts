import type { CandlePrice } from './candle.js';
import type { Price } from './fixed/fixed.js';
import type { Interval } from './interval.js';
import type { OrderTerms } from './order.js';

/**
 * The event that caused a decision, by keys that are stable at the venue. After a restart the same
 * decision has the same cause, hence the same client order id.
 */
export type DecisionCause =
  | {
      readonly kind: 'candle';
      readonly symbol: string;
      readonly interval: Interval;
      /** ms UTC */
      readonly openTime: number;
    }
  /** The candles of all symbols of a strategy that closed at `closeTime`, ms UTC. */
  | { readonly kind: 'round'; readonly interval: Interval; readonly closeTime: number }
  | {
      readonly kind: 'second';
      readonly symbol: string;
      readonly price: CandlePrice;
      /** ms UTC */
      readonly openTime: number;
    }
  /** A one-minute candle of mark prices. `openTime`: ms UTC. */
  | { readonly kind: 'mark-candle'; readonly symbol: string; readonly openTime: number }
  | { readonly kind: 'fill'; readonly orderId: string; readonly fillId: string }
  | { readonly kind: 'timer'; readonly venueTime: number; readonly key: string }
  | { readonly kind: 'operator'; readonly commandId: string };

/** Kind, key that is stable at the venue, and ordinal: `candle:BTCUSDT:1m:1746403200000#0`. */
export function decisionKey(cause: DecisionCause, ordinal: number): string {
  return `${causeText(cause)}#${ordinal}`;
}

function causeText(cause: DecisionCause): string {
  switch (cause.kind) {
    case 'candle':
      return `candle:${cause.symbol}:${cause.interval}:${cause.openTime}`;
    case 'round':
      return `round:${cause.interval}:${cause.closeTime}`;
    case 'second':
      return `second:${cause.symbol}:${cause.price}:${cause.openTime}`;
    case 'mark-candle':
      return `mark-candle:${cause.symbol}:${cause.openTime}`;
    case 'fill':
      return `fill:${cause.orderId}:${cause.fillId}`;
    case 'timer':
      return `timer:${cause.venueTime}:${cause.key}`;
    case 'operator':
      return `operator:${cause.commandId}`;
  }
}

/** No expiry: the last time that a `Date` can represent, ms UTC. */
export const NO_EXPIRY = 8_640_000_000_000_000;

/** One order that a strategy requests: fully sized, not yet checked by the risk gate. */
export interface OrderIntent {
  readonly strategyId: string;
  readonly cause: DecisionCause;
  /** Number of the decision among those of one cause, from 0. */
  readonly ordinal: number;
  /** Number of the order in one decision: a reversal is leg 0 (reduce) and leg 1 (open). */
  readonly leg: number;
  readonly terms: OrderTerms;
  /** The price from which size and protection were computed. */
  readonly referencePrice: Price;
  /** Venue ms. */
  readonly decidedAt: number;
  /** Venue ms. No first attempt is sent after it (property P10). `NO_EXPIRY` for exits. */
  readonly validUntil: number;
  /** Monotonic ms of the decision, in the process that took it: the base of an entry's age. */
  readonly decidedMonotonic?: number;
  /** The intent repeats a target whose refusal has been reported. No part of the order's identity. */
  readonly repeats?: boolean;
  /** The strategy's explanation, for people. No part of the order's identity. */
  readonly explanation?: string;
  /** How the limits reduced its size, for people. No part of the order's identity. */
  readonly sizing?: string;
  /** Durable state of the strategy at the decision, persisted with it. No part of the order's identity. */
  readonly persistedState?: {
    readonly key: string;
    readonly version: number;
    readonly value: string;
    /** Candles already included in the state: series → newest open time, ms UTC. */
    readonly seen?: Readonly<Record<string, number>>;
  };
}
