import type { PositionReport } from '../../core/account.js';
import { absolute, isAtLeast, textFromFixed, type Price } from '../../core/fixed/fixed.js';
import type { OrderReport } from '../../core/order.js';
import type { ProtectiveOrderSlot } from '../../core/request.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type {
  EndedProtectiveOrder,
  ProtectiveOrderManager,
} from '../../execution/protection/protective-order-manager.js';
import {
  decidedTrigger,
  judgeStop,
  type StopVerdict,
} from '../reconciliation/reconcile-protection.js';
import { StopOrderTracker } from '../order/stop-order-tracker.js';
import { StopRestorer, type StopRestorerParts } from './stop-restorer.js';

/** A stop that came with an entry shows with the position, or within this time. */
const APPEARS_WITHIN_MS = 1_000;
/** Monotonic ms after a first read without the stop until positions are read again: polls may be rarer. */
const CONFIRMING_READ_MS = 300;

interface StopState {
  /** Start of the last read that showed its stop, or time of the fill that opened it, monotonic ms. */
  protectedAt: number;
  /** Start of the first of the reads that showed no stop since then, monotonic ms. */
  nakedReadAt: number | undefined;
}

/**
 * Ensures that no position stays without its required stop. A person or the venue may cancel a stop, or it
 * may never have arrived (hazards D1, D6, D13). Two reads must agree on that; `StopRestorer` then acts.
 * External positions are not guarded.
 */
export class ProtectionMonitor {
  readonly #parts: ProtectionMonitorParts;
  readonly #states = new Map<string, StopState>();
  readonly #stops: StopOrderTracker;
  readonly #restorer: StopRestorer;
  /** Symbols whose stop is shown without its order, and reported so. */
  readonly #unconfirmedStops = new Set<string>();
  #rows: readonly PositionReport[] = [];
  /** Monotonic ms at which the read of those rows began. */
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ProtectionMonitorParts) {
    this.#parts = parts;
    this.#restorer = new StopRestorer({
      ...parts,
      requiredStop: (symbol) => this.#requiredStop(symbol),
      row: (symbol) => this.#row(symbol),
    });
    this.#stops = new StopOrderTracker({
      ...parts,
      onUpdated: (symbol) => {
        this.#check(symbol, this.#parts.stamp.monotonic);
      },
    });
  }

  /** Symbols whose position misses its stop, as two reads agree. */
  get unprotected(): readonly string[] {
    return this.#restorer.unprotected;
  }

  /** Monotonic ms since the last read that showed the stop, while reads show none; 0: it stands, or none is needed. */
  nakedMs(symbol: string): number {
    const state = this.#states.get(symbol);
    return state?.nakedReadAt === undefined ? 0 : this.#parts.stamp.monotonic - state.protectedAt;
  }

  /** One poll of positions. */
  onPositions(rows: readonly PositionReport[], startedAt: number): void {
    const { positions, currency, protectiveOrders } = this.#parts;
    this.#rows = rows;
    this.#readAt = startedAt;
    for (const row of rows) protectiveOrders.onPositionRead(row.symbol, currency, row, startedAt);
    const symbols = new Set([...this.#states.keys()]);
    for (const each of positions.openPositions()) symbols.add(each.symbol);
    for (const symbol of symbols) {
      this.#stops.onPosition(symbol, this.#row(symbol));
      this.#check(symbol, startedAt);
    }
  }

  /** The stops and targets of one poll of open orders. */
  onProtectiveOrders(protective: readonly OrderReport[]): void {
    this.#stops.onOpenOrders(new Set(protective.map(({ orderId }) => orderId)));
  }

  /** A request for a stop or target has ended. */
  onProtectiveOrderEnded(ended: EndedProtectiveOrder): void {
    if (ended.currency === this.#parts.currency) this.#restorer.onEnded(ended);
  }

  /** Prices have changed. */
  onPrices(): void {
    this.#restorer.onPrices();
  }

  /** A position changed without us. Where a stop has fired, the rest of its entry would fill without one. */
  onPositionChanged(symbol: string): void {
    const { ledger, currency, protocol, positions } = this.#parts;
    for (const order of [...ledger.openOrders(symbol, currency)]) {
      const { terms, filledQuantity } = order;
      if (terms.reduceOnly || terms.stopLoss === undefined || filledQuantity === 0) continue;
      const own = positions.ownQuantity(symbol, currency);
      if (isAtLeast(absolute(own), filledQuantity)) continue;
      this.#warn(symbol, `the rest of ${order.clientOrderId} is canceled: its stop has fired`);
      protocol.cancel(order);
    }
  }

  #check(symbol: string, startedAt: number): void {
    const verdict = this.#judge(symbol);
    this.#warnUnconfirmedStop(symbol);
    if (verdict === 'untold') return;
    if (verdict === 'not-wanted') {
      this.#forget(symbol);
      return;
    }
    const state = this.#stateOf(symbol, startedAt);
    if (verdict === 'naked') this.#dropProof(symbol);
    if (verdict === 'guarded') this.#onProtected(symbol, state, startedAt);
    else this.#onUnprotected(symbol, state, startedAt);
  }

  #judge(symbol: string): StopVerdict {
    const { positions, currency } = this.#parts;
    const row = this.#row(symbol);
    return judgeStop({
      required: this.#requiredStop(symbol),
      own: positions.ownQuantity(symbol, currency),
      row,
      stop: this.#stops.of(row),
    });
  }

  /**
   * Reported once until its order is known: the state is neither guarded nor naked, so no other report
   * follows.
   */
  #warnUnconfirmedStop(symbol: string): void {
    const stop = this.#row(symbol)?.stopLoss;
    const isUnproved = stop !== undefined && stop.orderId === undefined;
    if (!isUnproved || this.#requiredStop(symbol) === undefined)
      this.#unconfirmedStops.delete(symbol);
    else if (!this.#unconfirmedStops.has(symbol)) {
      this.#unconfirmedStops.add(symbol);
      const price = textFromFixed(stop.price);
      this.#warn(symbol, `its stop at ${price} is shown without an order: it may not stand`);
    }
  }

  /** A row may show a stop whose own order is the proof against it: it must not count as live any more. */
  #dropProof(symbol: string): void {
    const { protectiveOrders, currency } = this.#parts;
    const orderId = this.#row(symbol)?.stopLoss?.orderId;
    protectiveOrders.dropProof(symbol, currency, 'stopLoss', orderId);
  }

  #onProtected(symbol: string, state: StopState, startedAt: number): void {
    state.protectedAt = Math.max(state.protectedAt, startedAt);
    state.nakedReadAt = undefined;
    this.#restorer.onRestored(symbol);
  }

  /** An unreadable list counts for neither side. */
  #onUnprotected(symbol: string, state: StopState, startedAt: number): void {
    const { positions, currency, requests, readPositions } = this.#parts;
    const filledAt = positions.filledAt(symbol, currency);
    // A read that began before our fill, or right after it, cannot show the stop that comes with it.
    if (startedAt - filledAt < APPEARS_WITHIN_MS) return;
    if (state.nakedReadAt === undefined) {
      state.nakedReadAt = this.#readAt;
      requests.after(CONFIRMING_READ_MS, readPositions);
    } else if (this.#readAt > state.nakedReadAt)
      this.#restorer.onMissing(symbol, state.protectedAt);
  }

  /** The stop or target that our position should have; undefined: none was decided. */
  decidedTrigger(symbol: string, slot: ProtectiveOrderSlot): Price | undefined {
    const { ledger, positions, currency, protectiveOrders } = this.#parts;
    const own = positions.ownQuantity(symbol, currency);
    if (own === 0) return undefined;
    const moved = protectiveOrders.decidedPrice(symbol, currency, slot);
    return decidedTrigger(ledger.all, { symbol, currency, own }, slot, moved);
  }

  #requiredStop(symbol: string): Price | undefined {
    return this.decidedTrigger(symbol, 'stopLoss');
  }

  #row(symbol: string): PositionReport | undefined {
    return this.#rows.find((row) => row.symbol === symbol);
  }

  #stateOf(symbol: string, startedAt: number): StopState {
    let state = this.#states.get(symbol);
    if (state === undefined) {
      const { positions, currency } = this.#parts;
      const filledAt = positions.filledAt(symbol, currency);
      const protectedAt = Number.isFinite(filledAt) ? filledAt : startedAt;
      this.#states.set(symbol, (state = { protectedAt, nakedReadAt: undefined }));
    }
    return state;
  }

  #forget(symbol: string): void {
    this.#restorer.forget(symbol);
    this.#states.delete(symbol);
    this.#stops.forget(symbol);
  }

  #warn(symbol: string, text: string): void {
    this.#parts.journal.accountNote('warn', `${symbol}: ${text}`);
    this.#parts.effects.notify({ level: 'warn', text: `${symbol}: ${text}` });
  }
}

export interface ProtectionMonitorParts extends Omit<StopRestorerParts, 'requiredStop' | 'row'> {
  readonly protocol: OrderProtocol;
  readonly protectiveOrders: Pick<
    ProtectiveOrderManager,
    'protect' | 'states' | 'onPositionRead' | 'dropProof' | 'decidedPrice'
  >;
  /** Reads the positions beside their polls. */
  readonly readPositions: () => void;
}
