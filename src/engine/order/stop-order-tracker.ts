import type { PositionReport } from '../../core/account.js';
import { ZERO, type Quantity } from '../../core/fixed/fixed.js';
import type { EventTime } from '../../core/events.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { StopOrder } from '../reconciliation/reconcile-protection.js';

/** Consecutive lists of open orders without a stop, until its order is queried. */
const MAX_MISSED_LISTS = 2;
/** Minimum monotonic ms between two reads of one stop's order. */
const MIN_QUERY_INTERVAL_MS = 10_000;

interface TrackedStop {
  readonly orderId: string;
  /** Of the position at the last query: a stop may not follow its size (hazard D7). */
  quantity: Quantity;
  order: StopOrder;
  misses: number;
  queriedAt: number;
  isQuerying: boolean;
}

/**
 * Orders behind the stops that positions show. A position row may still show a canceled stop (hazard
 * D13), or one that covers less than the position (hazard D7); only the stop's own order is proof.
 */
export class StopOrderTracker {
  readonly #parts: StopOrderTrackerParts;
  readonly #tracked = new Map<string, TrackedStop>();

  constructor(parts: StopOrderTrackerParts) {
    this.#parts = parts;
  }

  /** Order of the stop in this row, as last read. */
  of(row: PositionReport | undefined): StopOrder {
    const tracked = row === undefined ? undefined : this.#tracked.get(row.symbol);
    return tracked?.orderId === row?.stopLoss?.orderId ? tracked?.order : undefined;
  }

  onPosition(symbol: string, row: PositionReport | undefined): void {
    const orderId = row?.stopLoss?.orderId;
    if (row === undefined || orderId === undefined) return;
    const tracked = this.#tracked.get(symbol);
    if (tracked?.orderId === orderId) {
      if (tracked.quantity !== row.quantity) this.#query(symbol, tracked, row.quantity);
      return;
    }
    const fresh: TrackedStop = {
      orderId,
      quantity: ZERO as Quantity,
      order: undefined,
      misses: 0,
      queriedAt: Number.NEGATIVE_INFINITY,
      isQuerying: false,
    };
    this.#tracked.set(symbol, fresh);
    this.#query(symbol, fresh, row.quantity);
  }

  /** Ids of all stops and targets in the list of open orders. */
  onOpenOrders(listed: ReadonlySet<string>): void {
    const { monotonic } = this.#parts.stamp;
    for (const [symbol, tracked] of this.#tracked) {
      tracked.misses = listed.has(tracked.orderId) ? 0 : tracked.misses + 1;
      if (
        tracked.misses < MAX_MISSED_LISTS ||
        monotonic - tracked.queriedAt < MIN_QUERY_INTERVAL_MS
      )
        continue;
      this.#query(symbol, tracked, tracked.quantity);
    }
  }

  forget(symbol: string): void {
    this.#tracked.delete(symbol);
  }

  #query(symbol: string, tracked: TrackedStop, quantity: Quantity): void {
    if (tracked.isQuerying) return;
    tracked.isQuerying = true;
    tracked.queriedAt = this.#parts.stamp.monotonic;
    this.#parts.requests.enqueue<'find-order'>({
      request: { kind: 'find-order', order: { orderId: tracked.orderId } },
      priority: 'verify',
      onReply: (outcome) => {
        tracked.isQuerying = false;
        if (outcome.kind !== 'yes') return;
        tracked.quantity = quantity;
        tracked.order = outcome.value;
        if (this.#tracked.get(symbol) === tracked) this.#parts.onUpdated(symbol);
      },
    });
  }
}

export interface StopOrderTrackerParts {
  readonly stamp: Readonly<EventTime>;
  readonly requests: RequestTracker;
  /** The stop of a symbol's position was read. */
  readonly onUpdated: (symbol: string) => void;
}
