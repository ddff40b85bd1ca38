import { assert } from '../../core/assert.js';
import { larger, subtract, withSign, ZERO, type Price, type Quantity } from '../../core/fixed.js';
import { clientOrderIdOf } from '../../core/ids.js';
import type { OrderIntent } from '../../core/intent.js';
import { signOf, type OrderTerms } from '../../core/order.js';
import type { RequestOf } from '../../core/request.js';
import type { Approved } from '../../risk/verdict.js';
import { LATE_LANDING_MS } from '../constants.js';
import { isEnd, isUnproved, nextState, type OrderMove, type OrderState } from './order-state.js';

/**
 * How far a wish to cancel has come. `not-open`: the venue says that there is nothing to cancel, so
 * it ended before, filled or not.
 */
export type CancelState = 'none' | 'wanted' | 'acknowledged' | 'not-open';

/**
 * One order of ours, from intent to end. Its client order id is a pure function of the intent, made
 * when somebody asks: a backtest never does.
 */
export class OwnOrder {
  readonly key: number;
  readonly intent: OrderIntent;
  readonly #account: string;
  #clientOrderId: string | undefined;
  #amended: OrderTerms | undefined;

  state: OrderState = 'waiting';
  /** Rises only when an id is proved burned. */
  readonly generation: number;
  attempts = 0;
  /** Some attempt may have taken effect: from now on a no is no proof (the join rule). */
  unknownSeen = false;
  /** Attempts without a clear answer so far; spaces the look after each. */
  unclear = 0;
  /** A 409 was read: an order with this id exists, or the id is burned. */
  conflictSeen = false;
  /** Monotonic ms of the first 409 of this life: how long reads have had to show the order. */
  conflictAt: number | undefined;
  /** It is wanted: cleared, durably, when it is withdrawn or to be canceled. */
  wanted = true;
  /** An earlier life decided it: an entry is not sent again, an exit is. */
  resumed = false;
  /** Monotonic ms since when its outcome is unproved; undefined: it is proved, or was never sent. */
  unprovedSince: number | undefined;
  /** How long it was unproved, ms, when that was last logged. */
  loggedUnprovedMs = 0;

  orderId: string | undefined;
  positionId: string | undefined;
  filledQuantity: Quantity = ZERO as Quantity;
  averagePrice: Price | undefined;
  cancelState: CancelState = 'none';
  /** A cancel is on its way. */
  canceling = false;
  /** Venue ms at which the newest cancel left, and at which it was answered. */
  cancelSentAt = Number.POSITIVE_INFINITY;
  cancelAnsweredAt = Number.POSITIVE_INFINITY;
  /** Monotonic ms of the venue's answer to the cancel: only reads begun after it count. */
  canceledAt = Number.POSITIVE_INFINITY;
  /** Reads in a row that say it is over, with one filled quantity (hazard B4). */
  endReads = 0;
  /** Polls of open orders in a row that lack it, and when the first of them began. */
  unlistedReads = 0;
  unlistedSince = Number.POSITIVE_INFINITY;
  /** Monotonic ms at which the last list began that shows it with nothing new. */
  listedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic ms at which the last read began that told where it stands: a look, or a list. */
  lookedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic ms at which it was last asked for by itself. */
  askedAt = Number.NEGATIVE_INFINITY;

  /** Looks since the last answer that told something new; spaces the next one. */
  looks = 0;
  /** A look waits for its answer; the next is due right after it. */
  looking = false;
  lookSoon = false;
  /** Monotonic ms of the first look that could not find it, and how many could not since a 409. */
  missingSince: number | undefined;
  conflictLooks = 0;
  /** Attempts that were refused for the moment so far, and how many of them by a lock. */
  refusedForNow = 0;
  locked = 0;
  /** A lookup by client id missed it although the venue has it: the venue's id goes first from now on. */
  missedByClientId = false;
  timer: string | undefined;
  /** What the last look that proved nothing found, so that the journal says it once. */
  evidence: string | undefined;
  /** Terms that an amendment may have given it, until that is proved. */
  amending: OrderTerms | undefined;
  /** The reason that held it back at its slot passes within moments. */
  heldForNow = false;
  /** The order that leaves under its id so that the original can never land; undefined: none yet. */
  fence: OrderTerms | undefined;
  fenceAttempts = 0;
  /** A fence waits for its slot or its answer. */
  fencing = false;
  /** Monotonic ms at which the last fence of this life left. */
  fencedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic ms from which on the next fence may leave. */
  fenceAt = Number.NEGATIVE_INFINITY;
  fenceRefusal: string | undefined;
  /** The order at the venue is the fence: the original never landed, and never will. */
  isFence = false;
  /** Why it ended, where somebody said so. */
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
    this.#account = options.account;
    this.generation = options.generation ?? 1;
    this.#clientOrderId = options.clientOrderId;
  }

  /** As placed, or as a proved amendment left them. */
  get terms(): OrderTerms {
    return this.#amended ?? this.intent.terms;
  }

  /** The fence has the id at the venue. */
  landAsFence(): void {
    assert(this.fence !== undefined, 'A fence that landed had left');
    this.isFence = true;
    this.wanted = false;
    this.#amended = this.fence;
  }

  /** The quantity that a fence under its id may trade in the worst case, signed; 0 where none has left. */
  get fenceReach(): Quantity {
    if (this.fence === undefined || this.isFence) return ZERO as Quantity;
    return withSign(signOf(this.fence.side), this.fence.quantity);
  }

  amendedTo(terms: OrderTerms): void {
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
    return isEnd(this.state);
  }

  /** The venue may have it, and nobody has proved whether it does. */
  get unproved(): boolean {
    return isUnproved(this.state) || (this.unknownSeen && this.isOnTheWay);
  }

  /** Nothing was heard of it for so long that others need not wait for it; its room stays reserved. */
  isForgotten(monotonic: number): boolean {
    const { state, missingSince } = this;
    const missing = missingSince === undefined ? 0 : monotonic - missingSince;
    return state === 'quarantined' && missing >= LATE_LANDING_MS;
  }

  get isOnTheWay(): boolean {
    return this.state === 'sent' || this.state === 'retrying';
  }

  /** At most: an amendment that is not proved counts at the larger of its two quantities (C5). */
  get remaining(): Quantity {
    const { quantity } = this.terms;
    const most = this.amending === undefined ? quantity : larger(quantity, this.amending.quantity);
    return subtract(most, this.filledQuantity);
  }

  /** Signed quantity that may still be traded. */
  get signedRemaining(): Quantity {
    return withSign(signOf(this.terms.side), this.remaining);
  }

  move(move: OrderMove): void {
    const next = nextState(this.state, move);
    assert(next !== undefined, `An order that is ${this.state} does not meet "${move}"`);
    this.state = next;
  }

  /** The id is computed only when the sink reads it. */
  placeRequest(): RequestOf<'place'> {
    return new PlaceRequest(this);
  }
}

/** Whether a person may say what became of it. An answer that an earlier life awaited never comes. */
export const mayBeResolved = ({ state, resumed }: OwnOrder): boolean =>
  isUnproved(state) || (state === 'sent' && resumed);

/** A person said that it never landed: the venue never told an id of it. Of an order that ended. */
export const wasResolved = ({ state, orderId }: OwnOrder): boolean =>
  state === 'canceled' && orderId === undefined;

/** An intent that passed the gate in an earlier life of this process: the journal vouches for it. */
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
    return !this.#order.wanted;
  }
}
