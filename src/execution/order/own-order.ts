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
import { UncommonState } from './uncommon-state.js';

/**
 * One order of ours, from intent to end. Its client order id is a pure function of the intent. It
 * is computed on first use, since a backtest never needs it.
 */
export class OwnOrder extends UncommonState {
  readonly key: number;
  readonly intent: OrderIntent;
  readonly #account: string;
  #clientOrderId: string | undefined;
  #amended: OrderTerms | undefined;

  /** Strategy that owns it: of the intent, until a person renames or adopts it. */
  owner: string;
  state: OrderState = 'waiting';
  attempts = 0;
  /** False once the order is withdrawn or to be canceled; journaled before it takes effect. */
  active = true;
  orderId: string | undefined;
  positionId: string | undefined;
  filledQuantity: Quantity = ZERO as Quantity;
  averagePrice: Price | undefined;
  /** Venue ms of the record of its last fill, in this run or a previous one. */
  lastFilledAt = Number.NEGATIVE_INFINITY;
  /** Monotonic ms at which the last read began that shows its state: a lookup, or a list. */
  lastReadAt = Number.NEGATIVE_INFINITY;
  timer: string | undefined;

  constructor(options: {
    readonly key: number;
    readonly intent: Approved<OrderIntent> | RecoveredIntent;
    readonly account: string;
    readonly generation?: number;
    readonly clientOrderId?: string;
  }) {
    super();
    this.key = options.key;
    this.intent = 'recovered' in options.intent ? options.intent.recovered : options.intent;
    this.owner = this.intent.strategyId;
    this.#account = options.account;
    if (options.generation !== undefined) this.generation = options.generation;
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

  get wasSent(): boolean {
    return this.attempts > 0;
  }

  /**
   * Of an order that has ended: the operator resolved it as never landed, since the venue never gave
   * it an id.
   */
  get wasResolved(): boolean {
    return this.state === 'canceled' && this.orderId === undefined;
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
    if (next === undefined)
      assert(false, `An order in state ${this.state} does not accept "${event}"`);
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
