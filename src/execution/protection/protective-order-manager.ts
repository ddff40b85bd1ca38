import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Price } from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import type { ProtectiveOrderSlot } from '../../core/request.js';
import type { Operation } from '../operation/operation.js';
import {
  isRestoreCause,
  ManagedProtectiveOrder,
  type DecidedProtectivePrice,
  type ProtectiveOrderState,
} from './managed-protective-order.js';
import type { ProtectEnd } from './protect-state.js';
import { ProtectiveOrderProtocol, type ProtectiveOrderParts } from './protective-order-protocol.js';

/** Trigger prices that a position must have; an absent slot stays as it is. */
export interface ProtectiveOrderSpec {
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
}

/** The end of one request for a stop or target. */
export interface EndedProtectiveOrder {
  readonly symbol: string;
  readonly currency: Currency;
  readonly slot: ProtectiveOrderSlot;
  readonly end: ProtectEnd;
  /** The venue's text, where it refused the order for substance: no lock, rate limit or missing reply. */
  readonly refusal?: string;
}

export interface ProtectiveOrderManagerParts extends ProtectiveOrderParts {
  /** Called last: another request may follow from it. */
  readonly onEnded: (ended: EndedProtectiveOrder) => void;
}

const SLOTS = ['stopLoss', 'takeProfit'] as const satisfies readonly ProtectiveOrderSlot[];

/**
 * Keeps stops and targets at the venue as requested. Each slot is an operation with a request of
 * its own, so that no reply covers half of it (hazard D3). Each has a client order id, so that the
 * venue refuses a second one (hazard D2). Positions and the order are read before every request
 * (hazard D5).
 */
export class ProtectiveOrderManager {
  readonly #parts: ProtectiveOrderManagerParts;
  readonly #managed = new Map<string, ManagedProtectiveOrder>();
  readonly #protocol: ProtectiveOrderProtocol;

  constructor(parts: ProtectiveOrderManagerParts) {
    this.#parts = parts;
    this.#protocol = new ProtectiveOrderProtocol(parts, (managed, end, refusal) => {
      const { symbol, currency, slot } = managed;
      this.#startQueued(managed, end);
      parts.onEnded({ symbol, currency, slot, end, ...(refusal !== undefined && { refusal }) });
    });
  }

  /**
   * Requests prices. The newest request of a slot counts. Requesting a price that is live or in
   * progress again does nothing, so that it may be called at every poll. A refused price is tried
   * again.
   */
  protect(
    symbol: string,
    currency: Currency,
    spec: ProtectiveOrderSpec,
    cause?: DecisionCause,
  ): void {
    for (const slot of SLOTS) {
      const price = spec[slot];
      if (price !== undefined)
        this.#request(this.#managedOrder(symbol, currency, slot), price, cause);
    }
  }

  states(
    symbol: string,
    currency: Currency,
  ): Readonly<Record<ProtectiveOrderSlot, ProtectiveOrderState>> {
    return {
      stopLoss: this.#managedOrder(symbol, currency, 'stopLoss').state,
      takeProfit: this.#managedOrder(symbol, currency, 'takeProfit').state,
    };
  }

  /**
   * The newest decided price of a slot: in progress, or proved live and perhaps gone by now.
   * undefined: none was decided, so that the price that came with the entry counts.
   */
  decidedPrice(
    symbol: string,
    currency: Currency,
    slot: ProtectiveOrderSlot,
  ): DecidedProtectivePrice | undefined {
    const managed = this.#managed.get(keyOf(symbol, currency, slot));
    if (managed === undefined) return undefined;
    const { queued, operation } = managed;
    if (queued !== undefined && !isRestoreCause(queued.cause)) return queued;
    return operation === undefined || isRestoreCause(operation.cause)
      ? managed.lastDecided
      : { price: operation.plan.price, requestedAt: operation.requestedAt };
  }

  /**
   * Drops a proof that a read of positions contradicts. `startedAt`: monotonic ms at which the read
   * began.
   */
  onPositionRead(
    symbol: string,
    currency: Currency,
    row: PositionReport | undefined,
    startedAt = Number.POSITIVE_INFINITY,
  ): void {
    for (const slot of SLOTS) {
      const managed = this.#managed.get(keyOf(symbol, currency, slot));
      if (managed?.proof === undefined || startedAt <= managed.proof.at) continue;
      const shown = row?.[slot];
      // A row with a price and no order id contradicts nothing.
      const isUnclear = shown !== undefined && shown.orderId === undefined;
      if (!isUnclear && shown?.orderId !== managed.proof.orderId) managed.proof = undefined;
    }
  }

  /**
   * Drops the proof of an order that has ended, or covers too little: positions may still show it
   * (hazards D7, D13).
   */
  dropProof(
    symbol: string,
    currency: Currency,
    slot: ProtectiveOrderSlot,
    orderId: string | undefined,
  ): void {
    const managed = this.#managed.get(keyOf(symbol, currency, slot));
    if (orderId !== undefined && managed?.proof?.orderId === orderId) managed.proof = undefined;
  }

  /** Whether a client order id belongs to one of our protective orders. */
  owns(clientOrderId: string): boolean {
    return this.#protocol.ids.owns(clientOrderId);
  }

  /** Restores every id in the journal, and the unfinished operations of a previous run. */
  restore(recovered: {
    readonly protectiveOrderIds: Iterable<string>;
    /** Edits without a reply. */
    readonly unconfirmedEdits: Iterable<{ readonly orderId: string; readonly price: Price }>;
    readonly operations: readonly Operation<'protect'>[];
    readonly decidedPrices: readonly Operation<'protect'>[];
  }): void {
    for (const id of recovered.protectiveOrderIds) this.#protocol.ids.add(id);
    for (const { orderId, price } of recovered.unconfirmedEdits)
      this.#protocol.unconfirmedEdits.add(orderId, price);
    for (const { plan, requestedAt } of recovered.decidedPrices) {
      const managed = this.#managedOrder(plan.symbol, plan.currency, plan.slot);
      managed.lastDecided = { price: plan.price, requestedAt };
    }
    for (const operation of recovered.operations) {
      const { symbol, currency, slot } = operation.plan;
      const managed = this.#managedOrder(symbol, currency, slot);
      managed.start(operation);
      const { step } = operation;
      if (step?.kind === 'set-leg') managed.id = step;
    }
  }

  /** Resumes unfinished operations of a previous run with a read. */
  resume(): void {
    for (const managed of this.#managed.values())
      if (managed.operation !== undefined) this.#protocol.resume(managed);
  }

  #request(managed: ManagedProtectiveOrder, price: Price, cause: DecisionCause | undefined): void {
    if (managed.operation !== undefined) {
      const { venueTime: requestedAt } = this.#parts.engine.stamp;
      managed.queued =
        managed.operation.plan.price === price ? undefined : { price, requestedAt, cause };
      return;
    }
    if (managed.proof?.price === price) return;
    const { operations, journal } = this.#parts;
    const { symbol, currency, slot } = managed;
    const operation = operations.create<'protect'>(
      { kind: 'protect', symbol, currency, slot, price },
      cause,
    );
    managed.start(operation);
    journal.started(operation as unknown as Operation);
    this.#protocol.start(managed);
  }

  /** A newer request waited for this end; without a position there is nothing left to protect. */
  #startQueued(managed: ManagedProtectiveOrder, end: ProtectEnd): void {
    const { queued } = managed;
    managed.queued = undefined;
    if (queued !== undefined && end !== 'gone') this.#request(managed, queued.price, queued.cause);
  }

  #managedOrder(
    symbol: string,
    currency: Currency,
    slot: ProtectiveOrderSlot,
  ): ManagedProtectiveOrder {
    const key = keyOf(symbol, currency, slot);
    let managed = this.#managed.get(key);
    if (managed === undefined) {
      this.#managed.set(key, (managed = new ManagedProtectiveOrder(symbol, currency, slot)));
    }
    return managed;
  }
}

const keyOf = (symbol: string, currency: Currency, slot: ProtectiveOrderSlot): string =>
  `${symbol}/${currency}/${slot}`;
