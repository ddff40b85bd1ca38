import type { OrderTerms } from '../../core/order.js';
import type { RefusalCode } from '../../core/rejection.js';

/** Progress of a cancel. `not-open`: the order had already ended, filled or not. */
export type CancelState = 'none' | 'wanted' | 'acknowledged' | 'not-open';

/**
 * State of an order of ours that most orders never change: doubt, cancels, lookups and fences. The
 * defaults are on the prototype. An order gets a field of its own with the first write, since ended
 * orders are kept and a backtest has hundreds of thousands of them.
 */
export class UncommonState {
  /** Rises only when an id is proved burned. */
  declare generation: number;
  /** An attempt may have taken effect: from now on a rejection proves nothing. */
  declare unknownSeen: boolean;
  /** Attempts without a clear reply; spaces the lookup after each. */
  declare unclearAttempts: number;
  /** A 409 was read: an order with this id exists, or the id is burned. */
  declare conflictSeen: boolean;
  /** Monotonic ms of the first 409 of this run, from which reads get time to show the order. */
  declare conflictAt: number | undefined;
  /** A previous run decided it: a stale entry is not sent again, an exit is. */
  declare recovered: boolean;
  /** Monotonic ms since when its outcome is unproved; undefined: proved, or never sent. */
  declare unprovedSince: number | undefined;
  /** Unproved time in ms at the last warning. */
  declare loggedUnprovedMs: number;
  /** The venue's reason for rejecting it for good. */
  declare rejection: RefusalCode | undefined;
  declare cancelState: CancelState;
  /** A cancel is in flight. */
  declare cancelInFlight: boolean;
  /** Venue ms at which the last cancel left, and at which it was answered. */
  declare cancelSentAt: number;
  declare cancelAnsweredAt: number;
  /** Monotonic ms of the reply to the cancel: only reads begun after it count. */
  declare canceledAt: number;
  /** Reads in a row that show the end, with one filled quantity (hazard B4). */
  declare terminalReads: number;
  /** Lists of open orders in a row that lack it, and monotonic ms at which the first began. */
  declare openOrdersMisses: number;
  declare missingFromListSince: number;
  /** Monotonic ms at which the last list began that shows it without a new fill. */
  declare lastListedAt: number;
  /** Monotonic ms of its last lookup. */
  declare lastQueriedAt: number;
  /** Lookups since the last one with something new; spaces the next. */
  declare queries: number;
  /** A lookup is in flight; `querySoon`: the next one follows it at once. */
  declare queryInFlight: boolean;
  declare querySoon: boolean;
  /**
   * Monotonic ms of the first lookup that missed it, and the number of lookups that missed it since
   * a 409.
   */
  declare notFoundSince: number | undefined;
  declare conflictQueries: number;
  /** Temporarily refused attempts, and how many of them by a lock. */
  declare temporaryRefusals: number;
  declare lockRefusals: number;
  /** A lookup by client id missed it although it exists: lookups try the venue's id first. */
  declare missedByClientId: boolean;
  /** Last journaled evidence of an unproved order, so that it is journaled once. */
  declare evidence: string | undefined;
  /** Terms that an unproved amendment may have given it. */
  declare amending: OrderTerms | undefined;
  /** The hold at its permit was temporary. */
  declare heldTemporarily: boolean;
  /**
   * Terms of the fence that left under its id, so that the original can never land; undefined: none
   * left.
   */
  declare fence: OrderTerms | undefined;
  declare fenceAttempts: number;
  /** A fence waits for its permit or its reply. */
  declare fenceInFlight: boolean;
  /** Monotonic ms at which the last fence of this run left. */
  declare fencedAt: number;
  /** Monotonic ms from which the next fence may leave. */
  declare nextFenceAt: number;
  declare fenceRefusal: string | undefined;
  /** The venue has the fence under this id: the original never landed, and never will. */
  declare isFence: boolean;
  /** Reason of its end, where one is known. */
  declare endReason: string | undefined;
}

const DEFAULTS: UncommonState = {
  generation: 1,
  unknownSeen: false,
  unclearAttempts: 0,
  conflictSeen: false,
  conflictAt: undefined,
  recovered: false,
  unprovedSince: undefined,
  loggedUnprovedMs: 0,
  rejection: undefined,
  cancelState: 'none',
  cancelInFlight: false,
  cancelSentAt: Number.POSITIVE_INFINITY,
  cancelAnsweredAt: Number.POSITIVE_INFINITY,
  canceledAt: Number.POSITIVE_INFINITY,
  terminalReads: 0,
  openOrdersMisses: 0,
  missingFromListSince: Number.POSITIVE_INFINITY,
  lastListedAt: Number.NEGATIVE_INFINITY,
  lastQueriedAt: Number.NEGATIVE_INFINITY,
  queries: 0,
  queryInFlight: false,
  querySoon: false,
  notFoundSince: undefined,
  conflictQueries: 0,
  temporaryRefusals: 0,
  lockRefusals: 0,
  missedByClientId: false,
  evidence: undefined,
  amending: undefined,
  heldTemporarily: false,
  fence: undefined,
  fenceAttempts: 0,
  fenceInFlight: false,
  fencedAt: Number.NEGATIVE_INFINITY,
  nextFenceAt: Number.NEGATIVE_INFINITY,
  fenceRefusal: undefined,
  isFence: false,
  endReason: undefined,
};
Object.assign(UncommonState.prototype, DEFAULTS);
