import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Stamp } from '../../core/events.js';
import {
  absolute,
  isAtLeast,
  negate,
  subtract,
  textFromFixed,
  type Price,
} from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import type { OrderReport } from '../../core/order.js';
import { spaced } from '../../execution/constants.js';
import type { Desk } from '../../execution/desk.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { PositionBook } from '../../execution/position-book.js';
import type { Protecting } from '../../execution/protection/protecting.js';
import { restoring } from '../../execution/protection/protection-leg.js';
import type { Exit } from '../engine-exit.js';
import {
  judgeGuard,
  wantedStop,
  type GuardVerdict,
} from '../reconciliation/reconcile-protection.js';
import { StopOrders } from '../stop-orders.js';

/** How long a position may stand without the stop that it should have (R18), monotonic ms. */
const MAX_NAKED_MS = 5_000;
/** Setting a stop and seeing it takes this long on a good day: it is tried before the position goes. */
const LEAST_TRY_MS = 3_000;
/** The stop that came with an entry shows with the position, or soon after. */
const APPEARS_WITHIN_MS = 1_000;
/** Monotonic ms between the rounds of a close that does not come to its end at once. */
const ROUNDS_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000];

interface Guard {
  /** Monotonic ms at which a read began that last showed it guarded, or of the fill that opened it. */
  guardedAt: number;
  /** Since a read showed that it is not. */
  naked: Naked | undefined;
}

interface Naked {
  /** When it was seen first: part of the ids of what is done about it. */
  readonly venueTime: number;
  asked: boolean;
  rounds: number;
  timer: string | undefined;
}

/**
 * No position that should have a stop is without one for long: a stop is canceled by a hand or by the
 * venue, or never came (D1, D6, D13). What is missing is set again; what cannot be proved set in time is
 * closed. Positions that are not ours are not guarded.
 */
export class ProtectionWatch {
  readonly #parts: ProtectionWatchParts;
  readonly #guards = new Map<string, Guard>();
  readonly #stops: StopOrders;
  /** Whose stop is shown without its order, and told so. */
  readonly #unproved = new Set<string>();
  #rows: readonly PositionReport[] = [];

  constructor(parts: ProtectionWatchParts) {
    this.#parts = parts;
    this.#stops = new StopOrders({
      ...parts,
      told: (symbol) => {
        this.#consider(symbol, this.#parts.stamp.monotonic);
      },
    });
  }

  /** One poll of positions. */
  see(rows: readonly PositionReport[], startedAt: number): void {
    const { positions, currency, protecting } = this.#parts;
    this.#rows = rows;
    for (const row of rows) protecting.seen(row.symbol, currency, row, startedAt);
    const symbols = new Set([...this.#guards.keys()]);
    for (const each of positions.open()) symbols.add(each.symbol);
    for (const symbol of symbols) {
      this.#stops.seePosition(symbol, this.#row(symbol));
      this.#consider(symbol, startedAt);
    }
  }

  /** One poll of open orders: the stops and targets in it. */
  seeOrders(protective: readonly OrderReport[]): void {
    this.#stops.seeList(new Set(protective.map(({ orderId }) => orderId)));
  }

  /**
   * A position moved without us: where a stop has fired, what is left of the entry that brought it would
   * fill without one.
   */
  moved(symbol: string): void {
    const { ledger, currency, protocol, positions } = this.#parts;
    for (const order of [...ledger.active(symbol, currency)]) {
      const { terms, filledQuantity } = order;
      if (terms.reduceOnly || terms.stopLoss === undefined || filledQuantity === 0) continue;
      const own = positions.own(symbol, currency);
      if (isAtLeast(absolute(own), filledQuantity)) continue;
      this.#say(symbol, `the rest of ${order.clientOrderId} is canceled: its stop has fired`);
      protocol.cancel(order);
    }
  }

  #consider(symbol: string, startedAt: number): void {
    const verdict = this.#judge(symbol);
    this.#sayUnproved(symbol);
    if (verdict === 'untold') return;
    if (verdict === 'not-wanted') {
      this.#forget(symbol);
      return;
    }
    const guard = this.#guard(symbol, startedAt);
    if (verdict === 'guarded') this.#guarded(symbol, guard, startedAt);
    else this.#naked(symbol, guard, startedAt);
  }

  #judge(symbol: string): GuardVerdict {
    const { positions, currency } = this.#parts;
    const row = this.#row(symbol);
    return judgeGuard({
      wanted: this.#wanted(symbol),
      own: positions.own(symbol, currency),
      row,
      stop: this.#stops.of(row),
    });
  }

  /** Once, until its order is told: neither guarded nor naked, so that nothing else would be said. */
  #sayUnproved(symbol: string): void {
    const stop = this.#row(symbol)?.stopLoss;
    const isUnproved = stop !== undefined && stop.orderId === undefined;
    if (!isUnproved || this.#wanted(symbol) === undefined) this.#unproved.delete(symbol);
    else if (!this.#unproved.has(symbol)) {
      this.#unproved.add(symbol);
      const price = textFromFixed(stop.price);
      this.#say(symbol, `its stop at ${price} is shown without an order: it may not stand`);
    }
  }

  #guarded(symbol: string, guard: Guard, startedAt: number): void {
    guard.guardedAt = Math.max(guard.guardedAt, startedAt);
    if (guard.naked === undefined) return;
    this.#parts.desk.cancel(guard.naked.timer);
    guard.naked = undefined;
    this.#say(symbol, 'its position has its stop again');
  }

  #naked(symbol: string, guard: Guard, startedAt: number): void {
    const { positions, currency, stamp, desk } = this.#parts;
    const filledAt = positions.filledAt(symbol, currency);
    // A read that began before our fill, or right after it, says nothing of the stop that comes with it.
    if (startedAt - filledAt < APPEARS_WITHIN_MS) return;
    const { monotonic, venueTime } = stamp;
    if (guard.naked === undefined) {
      const text = textFromFixed(positions.own(symbol, currency));
      this.#say(symbol, `its position of ${text} has no stop: one is set`);
      const left = guard.guardedAt + MAX_NAKED_MS - monotonic;
      guard.naked = { venueTime, asked: false, rounds: 0, timer: undefined };
      guard.naked.timer = desk.after(Math.max(left, LEAST_TRY_MS), () => {
        this.#tooLong(symbol, guard);
      });
    }
    this.#ask(symbol, guard);
  }

  #ask(symbol: string, guard: Guard): void {
    const { protecting, currency } = this.#parts;
    const { naked } = guard;
    const stopLoss = this.#wanted(symbol);
    if (stopLoss === undefined || naked === undefined) return;
    if (naked.asked && protecting.standing(symbol, currency).stopLoss === 'refused') {
      this.#tooLong(symbol, guard);
      return;
    }
    naked.asked = true;
    protecting.protect(symbol, currency, { stopLoss }, restoring(symbol, naked.venueTime));
  }

  #tooLong(symbol: string, guard: Guard): void {
    const { protecting, currency, stamp, desk, positions, ledger, close } = this.#parts;
    const { naked } = guard;
    if (naked === undefined) return;
    if (protecting.standing(symbol, currency).stopLoss === 'live') {
      this.#guarded(symbol, guard, stamp.monotonic);
      return;
    }
    const own = positions.own(symbol, currency);
    const left = subtract(absolute(own), ledger.of(symbol, currency).reducing);
    const ordinal = naked.rounds;
    naked.rounds += 1;
    if (own !== 0 && left > 0) {
      if (ordinal === 0) this.#say(symbol, 'its stop could not be proved in time: it is closed');
      const cause: Cause = { kind: 'timer', venueTime: naked.venueTime, key: `naked:${symbol}` };
      close({ cause, ordinal, symbol, currency, quantity: own < 0 ? negate(left) : left });
    }
    desk.cancel(naked.timer);
    naked.timer = desk.after(spaced(ROUNDS_MS, ordinal), () => {
      this.#tooLong(symbol, guard);
    });
  }

  #wanted(symbol: string): Price | undefined {
    const { ledger, positions, currency, protecting } = this.#parts;
    const own = positions.own(symbol, currency);
    if (own === 0) return undefined;
    const moved = protecting.decided(symbol, currency, 'stopLoss');
    return wantedStop(ledger.all, { symbol, currency, own }, moved);
  }

  #row(symbol: string): PositionReport | undefined {
    return this.#rows.find((row) => row.symbol === symbol);
  }

  #guard(symbol: string, startedAt: number): Guard {
    let guard = this.#guards.get(symbol);
    if (guard === undefined) {
      const { positions, currency } = this.#parts;
      const filledAt = positions.filledAt(symbol, currency);
      const guardedAt = Number.isFinite(filledAt) ? filledAt : startedAt;
      this.#guards.set(symbol, (guard = { guardedAt, naked: undefined }));
    }
    return guard;
  }

  #forget(symbol: string): void {
    this.#parts.desk.cancel(this.#guards.get(symbol)?.naked?.timer);
    this.#guards.delete(symbol);
    this.#stops.forget(symbol);
  }

  #say(symbol: string, text: string): void {
    this.#parts.journal.remark('warn', `${symbol}: ${text}`);
    this.#parts.effects.notify({ level: 'warn', text: `${symbol}: ${text}` });
  }
}

export interface ProtectionWatchParts {
  readonly stamp: Readonly<Stamp>;
  readonly currency: Currency;
  readonly desk: Desk;
  readonly journal: Journal;
  readonly effects: EffectSink;
  readonly positions: PositionBook;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly protecting: Pick<Protecting, 'protect' | 'standing' | 'seen' | 'decided'>;
  readonly close: (exit: Exit) => void;
}
