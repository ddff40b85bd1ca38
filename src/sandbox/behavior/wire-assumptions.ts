import type { AssumptionOf } from '../../exchange/assumptions/assumption-entry.js';
import type { BehaviorFlags } from './behavior-flags.js';

/**
 * The decisions of the served interface where its document is silent. Each has two answers; the
 * default follows the supplement where it recommends one.
 */
export const WIRE_ASSUMPTIONS: readonly AssumptionOf<BehaviorFlags>[] = [
  {
    id: 'wire-list-offset',
    field: 'listOffset',
    default: 'count-or-end-time',
    other: 'count',
    reason:
      'The interface gives `offset` two meanings; supplement 5 separates them by size (1e11).',
  },
  {
    id: 'wire-list-cap',
    field: 'listCap',
    default: 500,
    other: 100,
    reason: 'No document gives a largest `limit`; a request with 500 succeeded (supplement 5).',
  },
  {
    id: 'wire-leg-cancel-reply',
    field: 'legCancelReply',
    default: 'empty',
    other: 'filled',
    reason:
      'Some successful cancels answer empty strings; the captured one was of a stop (supplement 7).',
  },
  {
    id: 'wire-partial-close-reply',
    field: 'partialCloseReply',
    default: 'true',
    other: 'object',
    reason: 'The interface shows both forms; `true` was captured (supplement 11.5).',
  },
  {
    id: 'wire-reverse-quantity',
    field: 'reverseReplyQuantity',
    default: 'open',
    other: 'twice',
    reason:
      'The captured answer has the open quantity, and its order twice that (supplement 11.2; Q40).',
  },
  {
    id: 'wire-v1-market-price',
    field: 'v1MarketPriceField',
    default: 'required',
    other: 'optional',
    reason:
      'The interface requires order_price in every v1 order; the quick starts of two public clients send market orders without one (supplement 9).',
  },
  {
    id: 'wire-inr-margin-text',
    field: 'inrMarginText',
    default: 'cut',
    other: 'whole',
    reason: 'INR margins were printed cut to two places: 96.4497 as 96.44 (supplement 11).',
  },
  {
    id: 'wire-inr-money-text',
    field: 'inrMoneyText',
    default: 'cut',
    other: 'whole',
    reason:
      'The venue prints INR fees, PnL and actual_amount with two places and balances with four, cut: 3.5188992 as 3.51. The exchange itself keeps 1e-8 in both answers.',
  },
  {
    id: 'wire-unset-leg',
    field: 'unsetLeg',
    default: 'absent',
    other: 'empty',
    reason:
      'The interface says "present when a risk order exists"; older captures show an empty one.',
  },
  {
    id: 'wire-json-ping',
    field: 'jsonPing',
    default: 'error',
    other: 'pong',
    reason:
      'A JSON PING was answered "unknown method" and counts as activity; one client library expects PONG (supplement 1.5).',
  },
  {
    id: 'wire-kline-1s',
    field: 'kline1s',
    default: 'running-minute',
    other: 'second',
    reason:
      'A capture shows the running minute with the second as its time. The document says only "candle" (supplement 1.6).',
  },
  {
    id: 'wire-duplicate-subscribe',
    field: 'duplicateSubscribe',
    default: 'success',
    other: 'error',
    reason: 'Supplement 1.7 assumes success, counted once; no answer was ever recorded.',
  },
  {
    id: 'wire-ticker-unsubscribe-all',
    field: 'tickerUnsubscribeAll',
    default: 'whole',
    other: 'nothing',
    reason: 'Supplement 1.7 assumes that leaving a ticker without naming assets ends the stream.',
  },
  {
    id: 'wire-running-bucket',
    field: 'runningBucket',
    default: 'shown',
    other: 'hidden',
    reason:
      'A sibling host showed longer buckets in progress, built of closed minutes (supplement 2).',
  },
  {
    id: 'wire-empty-klines',
    field: 'emptyKlines',
    default: 'omitted',
    other: 'empty-array',
    reason:
      'The interface omits a symbol without candles; both answers were observed (supplement 2).',
  },
  {
    id: 'wire-partial-cancel-amount',
    field: 'partialCancelAmount',
    default: 'ordered',
    other: 'filled',
    reason: 'The interface names it a known issue, which may be fixed without notice (Q2).',
  },
];
