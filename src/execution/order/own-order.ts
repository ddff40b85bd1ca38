import { assert } from '../../core/assert.js';
import {
  larger,
  subtract,
  withSign,
  ZERO,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { clientOrderIdOf } from '../../core/ids.js';
import type { OrderIntent } from '../../core/intent.js';
import { sideSign, type OrderTerms } from '../../core/order.js';
import type { RefusalCode } from '../../core/rejection.js';
import type { RequestOf } from '../../core/request.js';
import type { Approved } from '../../risk/verdict.js';
import { LATE_LANDING_MS } from '../constants.js';
import {
  isEndState,
  isUnproved,
  nextState,
  type OrderEvent,
  type OrderState,
} from './order-state.js';

/** Progress of a cancel. `not-open`: the order had already ended, filled or not. */
export type CancelState = 'none' | 'wanted' | 'acknowledged' | 'not-open';

/**
 * One order of ours, from intent to end. Its client order id is a pure function of the intent. It
 * is computed on first use, since a backtest never needs it.
 */
export class OwnOrder {
  readonly key: number;
  readonly intent: OrderIntent;
  readonly #account: string;
  #clientOrderId: string | undefined;
  #amended: OrderTerms | undefined;

  /** Strategy that owns it: of the intent, until a person renames or adopts it. */
  owner: string;
  state: OrderState = 'waiting';
  /** Rises only when an id is proved burned. */
  readonly generation: number;
  attempts = 0;
  /** An attempt may have taken effect: from now on a rejection proves nothing. */
  unknownSeen = false;
  /** Attempts without a clear reply; spaces the lookup after each. */
  unclearAttempts = 0;
  /** A 409 was read: an order with this id exists, or the id is burned. */
  conflictSeen = false;
  /** Monotonic ms of the first 409 of this run, from which reads get time to show the order. */
  conflictAt: number | undefined;
  /** False once the order is withdrawn or to be canceled; journaled before it takes effect. */
  active = true;
  /** A previous run decided it: a stale entry is not sent again, an exit is. */
  recovered = false;
  /** Monotonic ms since when its outcome is unproved; undefined: proved, or never sent. */
  unprovedSince: number | undefined;
  /** Unproved time in ms at the last warning. */
  loggedUnprovedMs = 0;

  orderId: string | undefined;
  positionId: string | undefined;
  /** The venue's reason for rejecting it for good. */
  rejection: RefusalCode | undefined;
  filledQuantity: Quantity = ZERO as Quantity;
  averagePrice: Price | undefined;
  /** Venue ms of the record of its last fill, in this run or a previous one. */
  lastFilledAt = Number.NEGATIVE_INFINITY;
  cancelState: CancelState = 'none';
  /** A cancel is in flight. */
  cancelInFlight = false;
  /** Venue ms at which the last cancel left, and at which it was answered. */
  cancelSentAt = Number.POSITIVE_INFINITY;
  cancelAnsweredAt = Number.POSITIVE_INFINITY;
  /** Monotonic ms of the reply to the cancel: only reads begun after it count. */
  canceledAt = Number.POSITIVE_INFINITY;
  /** Reads in a row that show the end, with one filled quantity (hazard B4). */
  terminalReads = 0;
  /** Lists of open orders in a row that lack it, and monotonic ms at which the first began. */
  openOrdersMisses = 0;
  missingFromListSince = Number.POSITIVE_INFINITY;
  /** Monotonic ms at which the last list began that shows it without a new fill. */
  lastListedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic ms at which the last read began that shows its state: a lookup, or a list. */
  lastReadAt = Number.NEGATIVE_INFINITY;
  /** Monotonic ms of its last lookup. */
  lastQueriedAt = Number.NEGATIVE_INFINITY;

  /** Lookups since the last one with something new; spaces the next. */
  queries = 0;
  /** A lookup is in flight; `querySoon`: the next one follows it at once. */
  queryInFlight = false;
  querySoon = false;
  /**
   * Monotonic ms of the first lookup that missed it, and the number of lookups that missed it since
   * a 409.
   */
  notFoundSince: number | undefined;
  conflictQueries = 0;
  /** Temporarily refused attempts, and how many of them by a lock. */
  temporaryRefusals = 0;
  lockRefusals = 0;
  /** A lookup by client id missed it although it exists: lookups try the venue's id first. */
  missedByClientId = false;
  timer: string | undefined;
  /** Last journaled evidence of an unproved order, so that it is journaled once. */
  evidence: string | undefined;
  /** Terms that an unproved amendment may have given it. */
  amending: OrderTerms | undefined;
  /** The hold at its permit was temporary. */
  heldTemporarily = false;
  /**
   * Terms of the fence that left under its id, so that the original can never land; undefined: none
   * left.
   */
  fence: OrderTerms | undefined;
  fenceAttempts = 0;
  /** A fence waits for its permit or its reply. */
  fenceInFlight = false;
  /** Monotonic ms at which the last fence of this run left. */
  fencedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic ms from which the next fence may leave. */
  nextFenceAt = Number.NEGATIVE_INFINITY;
  fenceRefusal: string | undefined;
  /** The venue has the fence under this id: the original never landed, and never will. */
  isFence = false;
  /** Reason of its end, where one is known. */
  endReason: string | undefined;

  constructor(options: {
    readonly key: number;
    readonly intent: Approved<OrderIntent> | RecoveredIntent;
    readonly account: string;
    readonly generation?: number;
    readonly clientOrderId?: string;
  }) {
    this.key = options.key;
    this.intent = 'recovered' in options.intent ? options.intent.recovered : options.intent;
    this.owner = this.intent.strategyId;
    this.#account = options.account;
    this.generation = options.generation ?? 1;
    this.#clientOrderId = options.clientOrderId;
  }

  /** As placed, or as left by a proved amendment. */
  get terms(): OrderTerms {
    return this.#amended ?? this.intent.terms;
  }

  landAsFence(): void {
    assert(this.fence !== undefined, 'A fence that landed had left');
    this.isFence = true;
    this.active = false;
    this.#amended = this.fence;
  }

  /** Signed quantity that a fence under its id may trade at worst; 0 where none has left. */
  get fenceExposure(): Quantity {
    if (this.fence === undefined || this.isFence) return ZERO as Quantity;
    return withSign(sideSign(this.fence.side), this.fence.quantity);
  }

  applyAmendment(terms: OrderTerms): void {
    this.#amended = terms;
  }

  get clientOrderId(): string {
    this.#clientOrderId ??= clientOrderIdOf(
      {
        account: this.#account,
        strategyId: this.intent.strategyId,
        symbol: this.terms.symbol,
        currency: this.terms.currency,
        cause: this.intent.cause,
        ordinal: this.intent.ordinal,
        leg: this.intent.leg,
      },
      this.generation,
    );
    return this.#clientOrderId;
  }

  get ended(): boolean {
    return isEndState(this.state);
  }

  /** It is not proved whether the venue has the order. */
  get unproved(): boolean {
    return isUnproved(this.state) || (this.unknownSeen && this.isInFlight);
  }

  /** Not found for so long that other orders need not wait for it. Its exposure stays reserved. */
  isPresumedLost(monotonic: number): boolean {
    const { state, notFoundSince } = this;
    const missing = notFoundSince === undefined ? 0 : monotonic - notFoundSince;
    return state === 'quarantined' && missing >= LATE_LANDING_MS;
  }

  get isInFlight(): boolean {
    return this.state === 'sent' || this.state === 'retrying';
  }

  /**
   * The most that may still fill: an unproved amendment counts at the larger of its two quantities
   * (hazard C5).
   */
  get remaining(): Quantity {
    const { quantity } = this.terms;
    const most = this.amending === undefined ? quantity : larger(quantity, this.amending.quantity);
    return subtract(most, this.filledQuantity);
  }

  /** Signed quantity that may still be traded. */
  get signedRemaining(): Quantity {
    return withSign(sideSign(this.terms.side), this.remaining);
  }

  apply(event: OrderEvent): void {
    const next = nextState(this.state, event);
    assert(next !== undefined, `An order in state ${this.state} does not accept "${event}"`);
    this.state = next;
  }

  /** Computes the client order id only when it is read. */
  placeRequest(): RequestOf<'place'> {
    return new PlaceRequest(this);
  }
}

/** Whether the operator may resolve it. The reply that a previous run waited for never comes. */
export const mayBeResolved = ({ state, recovered }: OwnOrder): boolean =>
  isUnproved(state) || (state === 'sent' && recovered);

/**
 * Of an order that has ended: the operator resolved it as never landed, since the venue never gave
 * it an id.
 */
export const wasResolved = ({ state, orderId }: OwnOrder): boolean =>
  state === 'canceled' && orderId === undefined;

/** An intent that passed the risk gate in a previous run, as the journal proves. */
export interface RecoveredIntent {
  readonly recovered: OrderIntent;
}

class PlaceRequest {
  readonly kind = 'place';
  readonly #order: OwnOrder;
  constructor(order: OwnOrder) {
    this.#order = order;
  }
  get clientOrderId(): string {
    return this.#order.clientOrderId;
  }
  get orderKey(): number {
    return this.#order.key;
  }
  get terms(): OrderTerms {
    return this.#order.terms;
  }
  get validUntil(): number {
    return this.#order.intent.validUntil;
  }
  get withdrawn(): boolean {
    return !this.#order.active;
  }
}
