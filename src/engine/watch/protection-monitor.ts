import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import {
  absolute,
  isAtLeast,
  negate,
  subtract,
  textFromFixed,
  type Price,
} from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import type { OrderReport } from '../../core/order.js';
import { backoffDelay } from '../../execution/constants.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { ProtectiveOrderManager } from '../../execution/protection/protective-order-manager.js';
import { restoreCause } from '../../execution/protection/managed-protective-order.js';
import type { EngineExit } from '../engine-exit.js';
import {
  judgeStop,
  requiredStop,
  type StopVerdict,
} from '../reconciliation/reconcile-protection.js';
import { StopOrderTracker } from '../order/stop-order-tracker.js';

/** Maximum time of a position without its required stop (control R18), monotonic ms. */
const MAX_UNPROTECTED_MS = 5_000;
/** Typical time to set a stop and read it back: a new stop is attempted before the position is closed. */
const MIN_RESTORE_MS = 3_000;
/** A stop that came with an entry shows with the position, or within this time. */
const APPEARS_WITHIN_MS = 1_000;
/** Monotonic ms between the rounds of an unfinished close. */
const CLOSE_RETRY_DELAYS_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000];

interface StopState {
  /** Start of the last read that showed its stop, or time of the fill that opened it, monotonic ms. */
  protectedAt: number;
  /** Present since a read showed no stop. */
  missing: MissingStop | undefined;
}

interface MissingStop {
  /** Venue ms of its first detection: part of the ids of the orders that fix it. */
  readonly venueTime: number;
  requested: boolean;
  attempts: number;
  timer: string | undefined;
}

/**
 * Ensures that no position stays without its required stop. A person or the venue may cancel a stop, or it
 * may never have arrived (hazards D1, D6, D13). A missing stop is set again; a position whose stop cannot be
 * proved in time is closed. External positions are not guarded.
 */
export class ProtectionMonitor {
  readonly #parts: ProtectionMonitorParts;
  readonly #states = new Map<string, StopState>();
  readonly #stops: StopOrderTracker;
  /** Symbols whose stop is shown without its order, and reported so. */
  readonly #unconfirmedStops = new Set<string>();
  #rows: readonly PositionReport[] = [];

  constructor(parts: ProtectionMonitorParts) {
    this.#parts = parts;
    this.#stops = new StopOrderTracker({
      ...parts,
      onUpdated: (symbol) => {
        this.#check(symbol, this.#parts.stamp.monotonic);
      },
    });
  }

  /** One poll of positions. */
  onPositions(rows: readonly PositionReport[], startedAt: number): void {
    const { positions, currency, protectiveOrders } = this.#parts;
    this.#rows = rows;
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

  #onProtected(symbol: string, state: StopState, startedAt: number): void {
    state.protectedAt = Math.max(state.protectedAt, startedAt);
    if (state.missing === undefined) return;
    this.#parts.requests.cancelTimer(state.missing.timer);
    state.missing = undefined;
    this.#warn(symbol, 'its position has its stop again');
  }

  #onUnprotected(symbol: string, state: StopState, startedAt: number): void {
    const { positions, currency, stamp, requests } = this.#parts;
    const filledAt = positions.filledAt(symbol, currency);
    // A read that began before our fill, or right after it, cannot show the stop that comes with it.
    if (startedAt - filledAt < APPEARS_WITHIN_MS) return;
    const { monotonic, venueTime } = stamp;
    if (state.missing === undefined) {
      const text = textFromFixed(positions.ownQuantity(symbol, currency));
      this.#warn(symbol, `its position of ${text} has no stop: one is set`);
      const remainingMs = state.protectedAt + MAX_UNPROTECTED_MS - monotonic;
      state.missing = { venueTime, requested: false, attempts: 0, timer: undefined };
      state.missing.timer = requests.after(Math.max(remainingMs, MIN_RESTORE_MS), () => {
        this.#closeUnprotected(symbol, state);
      });
    }
    this.#restoreStop(symbol, state);
  }

  #restoreStop(symbol: string, state: StopState): void {
    const { protectiveOrders, currency } = this.#parts;
    const { missing } = state;
    const stopLoss = this.#requiredStop(symbol);
    if (stopLoss === undefined || missing === undefined) return;
    if (missing.requested && protectiveOrders.states(symbol, currency).stopLoss === 'refused') {
      this.#closeUnprotected(symbol, state);
      return;
    }
    missing.requested = true;
    protectiveOrders.protect(
      symbol,
      currency,
      { stopLoss },
      restoreCause(symbol, missing.venueTime),
    );
  }

  #closeUnprotected(symbol: string, state: StopState): void {
    const { protectiveOrders, currency, stamp, requests, positions, ledger, close } = this.#parts;
    const { missing } = state;
    if (missing === undefined) return;
    if (protectiveOrders.states(symbol, currency).stopLoss === 'live') {
      this.#onProtected(symbol, state, stamp.monotonic);
      return;
    }
    const own = positions.ownQuantity(symbol, currency);
    const remaining = subtract(absolute(own), ledger.of(symbol, currency).reducingQuantity);
    const ordinal = missing.attempts;
    missing.attempts += 1;
    if (own !== 0 && remaining > 0) {
      if (ordinal === 0) this.#warn(symbol, 'its stop could not be proved in time: it is closed');
      const cause: DecisionCause = {
        kind: 'timer',
        venueTime: missing.venueTime,
        key: `naked:${symbol}`,
      };
      close({
        cause,
        ordinal,
        symbol,
        currency,
        quantity: own < 0 ? negate(remaining) : remaining,
      });
    }
    requests.cancelTimer(missing.timer);
    missing.timer = requests.after(backoffDelay(CLOSE_RETRY_DELAYS_MS, ordinal), () => {
      this.#closeUnprotected(symbol, state);
    });
  }

  #requiredStop(symbol: string): Price | undefined {
    const { ledger, positions, currency, protectiveOrders } = this.#parts;
    const own = positions.ownQuantity(symbol, currency);
    if (own === 0) return undefined;
    const moved = protectiveOrders.decidedPrice(symbol, currency, 'stopLoss');
    return requiredStop(ledger.all, { symbol, currency, own }, moved);
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
      this.#states.set(symbol, (state = { protectedAt, missing: undefined }));
    }
    return state;
  }

  #forget(symbol: string): void {
    this.#parts.requests.cancelTimer(this.#states.get(symbol)?.missing?.timer);
    this.#states.delete(symbol);
    this.#stops.forget(symbol);
  }

  #warn(symbol: string, text: string): void {
    this.#parts.journal.accountNote('warn', `${symbol}: ${text}`);
    this.#parts.effects.notify({ level: 'warn', text: `${symbol}: ${text}` });
  }
}

export interface ProtectionMonitorParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  readonly requests: RequestTracker;
  readonly journal: Journal;
  readonly effects: EffectSink;
  readonly positions: PositionLedger;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly protectiveOrders: Pick<
    ProtectiveOrderManager,
    'protect' | 'states' | 'onPositionRead' | 'decidedPrice'
  >;
  readonly close: (exit: EngineExit) => void;
}
