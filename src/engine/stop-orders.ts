import type { PositionReport } from '../core/account.js';
import { ZERO, type Quantity } from '../core/fixed.js';
import type { Stamp } from '../core/events.js';
import type { Desk } from '../execution/desk.js';
import type { StopOrder } from './reconciliation/reconcile-protection.js';

/** Lists of open orders in a row that lack a stop, until its own order is asked for. */
const MISSED_LISTS = 2;
/** Monotonic ms between two reads of one stop's order, whatever the lists say. */
const LEAST_SPACING_MS = 10_000;

interface Known {
  readonly orderId: string;
  /** Of the position, when the order was last asked for: a stop may not follow it (D7). */
  quantity: Quantity;
  order: StopOrder;
  misses: number;
  askedAt: number;
  asking: boolean;
}

/**
 * The orders behind the stops that positions show. A row may go on showing one that was canceled (D13),
 * or that covers less than there is by now (D7): its own order tells.
 */
export class StopOrders {
  readonly #parts: StopOrdersParts;
  readonly #known = new Map<string, Known>();

  constructor(parts: StopOrdersParts) {
    this.#parts = parts;
  }

  /** The order of the stop that this row shows, as last read. */
  of(row: PositionReport | undefined): StopOrder {
    const known = row === undefined ? undefined : this.#known.get(row.symbol);
    return known?.orderId === row?.stopLoss?.orderId ? known?.order : undefined;
  }

  seePosition(symbol: string, row: PositionReport | undefined): void {
    const orderId = row?.stopLoss?.orderId;
    if (row === undefined || orderId === undefined) return;
    const known = this.#known.get(symbol);
    if (known?.orderId === orderId) {
      if (known.quantity !== row.quantity) this.#ask(symbol, known, row.quantity);
      return;
    }
    const fresh: Known = {
      orderId,
      quantity: ZERO as Quantity,
      order: undefined,
      misses: 0,
      askedAt: Number.NEGATIVE_INFINITY,
      asking: false,
    };
    this.#known.set(symbol, fresh);
    this.#ask(symbol, fresh, row.quantity);
  }

  /** Ids of all stops and targets that open orders list. */
  seeList(listed: ReadonlySet<string>): void {
    const { monotonic } = this.#parts.stamp;
    for (const [symbol, known] of this.#known) {
      known.misses = listed.has(known.orderId) ? 0 : known.misses + 1;
      if (known.misses < MISSED_LISTS || monotonic - known.askedAt < LEAST_SPACING_MS) continue;
      this.#ask(symbol, known, known.quantity);
    }
  }

  forget(symbol: string): void {
    this.#known.delete(symbol);
  }

  #ask(symbol: string, known: Known, quantity: Quantity): void {
    if (known.asking) return;
    known.asking = true;
    known.askedAt = this.#parts.stamp.monotonic;
    this.#parts.desk.ask<'find-order'>({
      request: { kind: 'find-order', order: { orderId: known.orderId } },
      priority: 'verify',
      answered: (outcome) => {
        known.asking = false;
        if (outcome.kind !== 'yes') return;
        known.quantity = quantity;
        known.order = outcome.value;
        if (this.#known.get(symbol) === known) this.#parts.told(symbol);
      },
    });
  }
}

export interface StopOrdersParts {
  readonly stamp: Readonly<Stamp>;
  readonly desk: Desk;
  /** More is known of the stop of a symbol's position. */
  readonly told: (symbol: string) => void;
}
