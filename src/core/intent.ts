import type { CandlePrice } from './candle.js';
import type { Price } from './fixed.js';
import type { Interval } from './interval.js';
import type { OrderTerms } from './order.js';

/**
 * Why a decision was taken, by keys that the venue makes stable: the same decision after a restart
 * has the same cause, hence the same client order id.
 */
export type Cause =
  | {
      readonly kind: 'candle';
      readonly symbol: string;
      readonly interval: Interval;
      /** ms UTC */
      readonly openTime: number;
    }
  /** The candles of all symbols of a strategy that closed then. `closeTime`: ms UTC. */
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

/** (kind, venue-stable key, ordinal): `candle:BTCUSDT:1m:1746403200000#0`. */
export function decisionKey(cause: Cause, ordinal: number): string {
  return `${causeText(cause)}#${ordinal}`;
}

function causeText(cause: Cause): string {
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

/** Of what is wanted until it is done: the latest venue ms that a date can have. */
export const NO_EXPIRY = 8_640_000_000_000_000;

/** One order that a strategy wants, fully sized, not yet judged. */
export interface OrderIntent {
  readonly strategyId: string;
  readonly cause: Cause;
  /** Which of the decisions taken on one cause, from 0. */
  readonly ordinal: number;
  /** Which order of one decision: a reversal is leg 0 (reduce) and leg 1 (open). */
  readonly leg: number;
  readonly terms: OrderTerms;
  /** What size and protection were computed from. */
  readonly referencePrice: Price;
  /** Venue ms. */
  readonly decidedAt: number;
  /** Venue ms; no first attempt is sent after it (property P10). */
  readonly validUntil: number;
  /** What the strategy said of its decision: for people. No part of the order's identity. */
  readonly explanation?: string;
  /** Durable state of the strategy as of the decision, to be kept with it. No part of the identity. */
  readonly kept?: {
    readonly key: string;
    readonly version: number;
    readonly value: string;
    /** Candles that are in it: series → newest time, ms UTC. */
    readonly seen?: Readonly<Record<string, number>>;
  };
}
