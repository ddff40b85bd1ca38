import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import type { OrderReport } from '../../core/order.js';
import type { Outcome, Priority } from '../../core/request.js';
import {
  HISTORY_LIMIT,
  HISTORY_SLACK_MS,
  READ_VISIBILITY_MS,
  backoffDelay,
} from '../../execution/constants.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { ProtectiveOrderManager } from '../../execution/protection/protective-order-manager.js';
import { judgeHistoryRow } from '../reconciliation/reconcile-history.js';
import type { UnreadableSymbols } from '../account/unreadable-symbols.js';
import type { SecondWriterDetector, StrayOrder } from './second-writer-detector.js';

/** Monotonic ms between two failed reads. */
const READ_BACKOFF_MS: readonly number[] = [2_000, 5_000, 15_000, 30_000, 60_000, 300_000];
/** Slack before the newest journal record, venue ms, where the journal has no checked time. */
const BEFORE_START_MS = 600_000;
/** Venue ms after which the checked time is journaled again. */
const JOURNAL_INTERVAL_MS = 600_000;
/** "Not found" answers to a detail query before a row counts as external. */
const MAX_MISSES = 5;

/** A complete read of history. */
interface PendingRead extends EventTime {
  /** Start of the last compared list of open orders before it. */
  readonly listedAt: number;
}

interface PreviousRun {
  readonly judgedUntil: number | undefined;
  readonly until: number | undefined;
}

export interface HistoryMonitorParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  /** Monotonic ms between two reads. */
  readonly everyMs: number;
  /** Prefix of this account's client order ids. */
  readonly namespace: string;
  readonly requests: RequestTracker;
  readonly journal: Pick<Journal, 'history'>;
  readonly ledger: OrderLedger;
  readonly protocol: Pick<OrderProtocol, 'onListed'>;
  readonly protectiveOrders: Pick<ProtectiveOrderManager, 'owns'>;
  readonly secondWriter: SecondWriterDetector;
  readonly unreadable: UnreadableSymbols;
  /** A complete read has been checked. */
  readonly onRead: () => void;
}

type HistoryPage = Extract<Outcome<readonly OrderReport[]>, { readonly kind: 'yes' }>;

/**
 * Reads order history of one currency periodically, and finds orders of our namespace that our journal did
 * not send. An order that fills at once never rests, so no list of open orders shows it.
 *
 * A read goes back to the time until which everything is checked. History shows an order only after its end,
 * so it proves nothing about a resting order: a list of open orders must be read too. An order made
 * `READ_VISIBILITY_MS` before that list is in it, or had ended. A history read that much later then shows it.
 */
export class HistoryMonitor {
  readonly #parts: HistoryMonitorParts;
  /** Order ids of checked rows, of the newest read. */
  #checked = new Set<string>();
  readonly #misses = new Map<string, number>();
  /** Venue ms; rows since then are checked. */
  #checkedFrom = Number.POSITIVE_INFINITY;
  /** The same, as journaled. */
  #journaledUntil = Number.NEGATIVE_INFINITY;
  /** Complete reads that prove nothing yet, by start, oldest first. */
  #pendingReads: PendingRead[] = [];
  /** Start of the newest compared list of open orders. */
  #listedAt = Number.NEGATIVE_INFINITY;
  #isReading = false;
  /** The newest read has an unreadable row: it proves nothing about earlier rows. */
  #hasUnreadableRow = false;
  /** Another read was requested during the current one. */
  #isReadRequested = false;
  #failures = 0;
  #timer: string | undefined;

  constructor(parts: HistoryMonitorParts) {
    this.#parts = parts;
  }

  /** @param previous venue ms from a previous run: its checked time, and its newest record */
  start(previous: PreviousRun, priority: Priority): void {
    const { venueTime } = this.#parts.stamp;
    const uncheckedFrom = Math.min(previous.until ?? venueTime, venueTime) - BEFORE_START_MS;
    this.#journaledUntil = previous.judgedUntil ?? Number.NEGATIVE_INFINITY;
    this.#advanceCheckedFrom(previous.judgedUntil ?? Math.max(0, uncheckedFrom));
    this.#read(priority);
  }

  /** Venue ms since which rows are unchecked: every reader of history passes them on. */
  get uncheckedSince(): number {
    return this.#checkedFrom;
  }

  /** A list of open orders, read from monotonic ms `startedAt` on, has been compared. */
  onOpenOrdersListed(startedAt: number): void {
    this.#listedAt = startedAt;
  }

  /** A position changed without an order of ours. */
  queryNow(): void {
    if (this.#checkedFrom !== Number.POSITIVE_INFINITY) this.#read('poll');
  }

  /**
   * Rows of a read that began at `startedAt`; undefined: the read was a query for one order.
   * @returns the rows that do not identify their owner
   */
  onRows(rows: readonly OrderReport[], startedAt?: number): readonly OrderReport[] {
    const strays: StrayOrder[] = [];
    const unattributed = rows.filter(
      (row) => this.#isNew(row) && !this.#judge(row, row.orderId, startedAt, strays),
    );
    this.#parts.secondWriter.onStrayOrders(strays);
    return unattributed;
  }

  /** By its last change: an old order may have rested since on no list that was read. */
  #isNew({ orderId, currency, ...row }: OrderReport): boolean {
    const { createdAt = Number.POSITIVE_INFINITY, updatedAt = createdAt } = row;
    const isSince = Math.max(createdAt, updatedAt) >= this.#checkedFrom;
    return isSince && currency === this.#parts.currency && !this.#checked.has(orderId);
  }

  /** @returns whether the row identifies its owner */
  #judge(
    row: OrderReport,
    orderId: string,
    startedAt: number | undefined,
    strays: StrayOrder[],
  ): boolean {
    const { namespace, ledger, protocol, protectiveOrders, secondWriter } = this.#parts;
    const verdict = judgeHistoryRow(
      {
        namespace,
        known: (id) => ledger.known(id),
        hasOrderId: (id) => ledger.hasOrderId(id),
        ownsProtection: (id) => protectiveOrders.owns(id),
        isAdopted: (id) => secondWriter.isAdopted(id),
      },
      row,
    );
    if (verdict.kind === 'untold') return false;
    // An unproved order is checked again: the row may lag behind it.
    if (verdict.kind !== 'unproved') this.#checked.add(orderId);
    else if (startedAt !== undefined) protocol.onListed(verdict.order, row, startedAt);
    if (verdict.kind === 'stray') strays.push({ clientOrderId: verdict.clientOrderId, orderId });
    return true;
  }

  #read(priority: Priority): void {
    const { requests, currency, stamp } = this.#parts;
    this.#isReadRequested = this.#isReading;
    if (this.#isReading) return;
    this.#isReading = true;
    requests.cancelTimer(this.#timer);
    const { venueTime, monotonic } = stamp;
    const read: PendingRead = { venueTime, monotonic, listedAt: this.#listedAt };
    const from = this.#checkedFrom;
    requests.enqueue<'read-order-history'>({
      request: {
        kind: 'read-order-history',
        currency,
        limit: HISTORY_LIMIT,
        from,
        bypassCache: true,
      },
      priority,
      onReply: (outcome) => {
        if (outcome.kind !== 'yes') this.#failed();
        else this.#onPage(outcome, read);
      },
    });
  }

  #onPage({ value: rows, unreadable = [] }: HistoryPage, read: PendingRead): void {
    const { ledger, currency } = this.#parts;
    // Our own orders report their own changes.
    const hidden = unreadable.filter(({ id }) => id === undefined || !ledger.hasOrderId(id));
    this.#parts.unreadable.update('order history', currency, hidden);
    this.#hasUnreadableRow = hidden.length > 0;
    const unattributed = this.onRows(rows, read.monotonic);
    const ids = new Set(rows.map(({ orderId }) => orderId));
    this.#checked = new Set([...this.#checked].filter((id) => ids.has(id)));
    for (const id of [...this.#misses.keys()]) if (!ids.has(id)) this.#misses.delete(id);
    this.#readDetails([...unattributed], read, true);
  }

  /** One by one: external trades must not use up the rate budget. */
  #readDetails(rows: OrderReport[], read: PendingRead, isWhole: boolean): void {
    const row = rows.shift();
    if (row === undefined) {
      this.#done(read, isWhole);
      return;
    }
    const { orderId } = row;
    const startedAt = this.#parts.stamp.monotonic;
    this.#parts.requests.enqueue<'find-order'>({
      request: { kind: 'find-order', order: { orderId } },
      priority: 'poll',
      onReply: (outcome) => {
        if (outcome.kind === 'unknown') this.#failed();
        else this.#readDetails(rows, read, this.#onDetail(outcome, orderId, startedAt) && isWhole);
      },
    });
  }

  /** @returns whether its owner is known now */
  #onDetail(
    outcome: Exclude<Outcome<OrderReport>, { readonly kind: 'unknown' }>,
    orderId: string,
    startedAt: number,
  ): boolean {
    if (outcome.kind === 'yes') {
      const strays: StrayOrder[] = [];
      // Without an id in its details either, it is a manual order.
      if (!this.#judge(outcome.value, orderId, startedAt, strays)) this.#checked.add(orderId);
      this.#parts.secondWriter.onStrayOrders(strays);
      return true;
    }
    const misses = (this.#misses.get(orderId) ?? 0) + 1;
    this.#misses.set(orderId, misses);
    if (misses >= MAX_MISSES) this.#checked.add(orderId);
    return misses >= MAX_MISSES;
  }

  #done(read: PendingRead, isWhole: boolean): void {
    this.#failures = 0;
    if (isWhole && !this.#hasUnreadableRow) this.#prove(read);
    if (isWhole) this.#parts.onRead();
    this.#scheduleRead(isWhole ? this.#parts.everyMs : backoffDelay(READ_BACKOFF_MS, 1));
  }

  /** Of a complete read. */
  #prove(read: PendingRead): void {
    // A read without a newer list would prove no more.
    if (read.listedAt !== this.#pendingReads.at(-1)?.listedAt) this.#pendingReads.push(read);
    const listed = this.#visibleAt(read.monotonic);
    const proof = listed && this.#visibleAt(listed.listedAt);
    if (proof === undefined) return;
    this.#advanceCheckedFrom(Math.max(this.#checkedFrom, proof.venueTime - HISTORY_SLACK_MS));
    this.#pendingReads = this.#pendingReads.filter(({ monotonic }) => monotonic > proof.monotonic);
  }

  /** The newest read that began early enough for its state to be visible at `at`. */
  #visibleAt(at: number): PendingRead | undefined {
    return this.#pendingReads.findLast(({ monotonic }) => monotonic <= at - READ_VISIBILITY_MS);
  }

  #advanceCheckedFrom(from: number): void {
    const { journal, currency } = this.#parts;
    this.#checkedFrom = from;
    if (from < this.#journaledUntil + JOURNAL_INTERVAL_MS) return;
    this.#journaledUntil = from;
    journal.history(currency, from);
  }

  #failed(): void {
    this.#scheduleRead(backoffDelay(READ_BACKOFF_MS, this.#failures));
    this.#failures += 1;
  }

  #scheduleRead(delayMs: number): void {
    this.#isReading = false;
    const soon = Math.min(delayMs, backoffDelay(READ_BACKOFF_MS, this.#failures));
    this.#timer = this.#parts.requests.after(this.#isReadRequested ? soon : delayMs, () => {
      this.#read('poll');
    });
  }
}
