import type { Currency } from '../../core/currency.js';
import type { Stamp } from '../../core/events.js';
import type { OrderReport } from '../../core/order.js';
import type { Outcome, Priority } from '../../core/request.js';
import {
  HISTORY_LIMIT,
  HISTORY_SLACK_MS,
  READ_VISIBILITY_MS,
  spaced,
} from '../../execution/constants.js';
import type { Desk } from '../../execution/desk.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { Protecting } from '../../execution/protection/protecting.js';
import { judgeHistoryRow } from '../reconciliation/reconcile-history.js';
import type { UnreadableSymbols } from '../unreadable-symbols.js';
import type { SecondWriter, Stray } from './second-writer.js';

/** Monotonic ms between two reads that failed. */
const RETRY_SPACING_MS: readonly number[] = [2_000, 5_000, 15_000, 30_000, 60_000, 300_000];
/** Venue ms before the newest record of a journal that does not tell how far history was judged. */
const BEFORE_START_MS = 600_000;
/** Venue ms after which the journal is told again how far history was judged. */
const TELL_MS = 600_000;
/** Details that answer "not found" before a row counts as somebody else's. */
const MOST_MISSES = 5;

/** A read of history. */
interface Begun extends Stamp {
  /** When the list of open orders began that was judged last before it. */
  readonly listedAt: number;
}

interface Earlier {
  readonly judgedUntil: number | undefined;
  readonly until: number | undefined;
}

export interface HistoryWatchParts {
  readonly stamp: Readonly<Stamp>;
  readonly currency: Currency;
  /** Monotonic ms between two reads. */
  readonly everyMs: number;
  /** Prefix of this account's client order ids. */
  readonly namespace: string;
  readonly desk: Desk;
  readonly journal: Pick<Journal, 'history'>;
  readonly ledger: OrderLedger;
  readonly protocol: Pick<OrderProtocol, 'listed'>;
  readonly protecting: Pick<Protecting, 'owns'>;
  readonly secondWriter: SecondWriter;
  readonly unreadable: UnreadableSymbols;
  /** A whole read has been judged. */
  readonly wasRead: () => void;
}

type HistoryPage = Extract<Outcome<readonly OrderReport[]>, { readonly kind: 'yes' }>;

/**
 * Reads order history of one currency again and again, and finds the orders of our namespace that are
 * not our journal's. An order that fills at once never rests: no list of open orders shows it.
 *
 * A read goes back to where everything has been judged. History tells of an order once it has ended, so
 * that it proves nothing of one that rests: a list of open orders must have been read too. What was made
 * `READ_VISIBILITY_MS` before that list is in it, or had ended; then a history that was read as much later
 * has it.
 */
export class HistoryWatch {
  readonly #parts: HistoryWatchParts;
  /** Order ids of rows that need no second look; of the newest read. */
  #judged = new Set<string>();
  readonly #misses = new Map<string, number>();
  /** Venue ms from which on rows are judged. */
  #from = Number.POSITIVE_INFINITY;
  /** The same, as the journal has it. */
  #journaled = Number.NEGATIVE_INFINITY;
  /** When whole reads began that do not prove anything yet, oldest first. */
  #begun: Begun[] = [];
  /** When the newest list of open orders began that has been judged. */
  #listedAt = Number.NEGATIVE_INFINITY;
  #isReading = false;
  /** The newest read has a row that does not read: it proves nothing of what came before it. */
  #isHiding = false;
  /** Asked for while one was under way. */
  #isWanted = false;
  #failures = 0;
  #timer: string | undefined;

  constructor(parts: HistoryWatchParts) {
    this.#parts = parts;
  }

  /**
   * @param left venue ms of an earlier life: until when it had judged history, and its newest record
   */
  start(left: Earlier, priority: Priority): void {
    const { venueTime } = this.#parts.stamp;
    const unjudged = Math.min(left.until ?? venueTime, venueTime) - BEFORE_START_MS;
    this.#journaled = left.judgedUntil ?? Number.NEGATIVE_INFINITY;
    this.#judgedUntil(left.judgedUntil ?? Math.max(0, unjudged));
    this.#read(priority);
  }

  /** Venue ms since which rows are news: whoever reads them hands them over. */
  get unjudgedSince(): number {
    return this.#from;
  }

  /** A list of open orders that was read from `startedAt` on (monotonic ms) has been judged. */
  listed(startedAt: number): void {
    this.#listedAt = startedAt;
  }

  /** A position moved, and no order of ours did it. */
  hurry(): void {
    if (this.#from !== Number.POSITIVE_INFINITY) this.#read('poll');
  }

  /**
   * Rows of a read that began at `startedAt`; undefined: who asked for them looks for his own order.
   * @returns those that do not tell whose they are
   */
  see(rows: readonly OrderReport[], startedAt?: number): readonly OrderReport[] {
    const strays: Stray[] = [];
    const untold = rows.filter(
      (row) => this.#isNews(row) && !this.#judge(row, row.orderId, startedAt, strays),
    );
    this.#parts.secondWriter.meet(strays);
    return untold;
  }

  /** By its last change: an order that was made long ago may have rested since, on no list that was read. */
  #isNews({ orderId, currency, ...row }: OrderReport): boolean {
    const { createdAt = Number.POSITIVE_INFINITY, updatedAt = createdAt } = row;
    const isSince = Math.max(createdAt, updatedAt) >= this.#from;
    return isSince && currency === this.#parts.currency && !this.#judged.has(orderId);
  }

  /** @returns whether it tells whose it is */
  #judge(
    row: OrderReport,
    orderId: string,
    startedAt: number | undefined,
    strays: Stray[],
  ): boolean {
    const { namespace, ledger, protocol, protecting, secondWriter } = this.#parts;
    const verdict = judgeHistoryRow(
      {
        namespace,
        byClientOrderId: (id) => ledger.byClientOrderId(id),
        hasOrderId: (id) => ledger.hasOrderId(id),
        ownsProtection: (id) => protecting.owns(id),
        isAdopted: (id) => secondWriter.isAdopted(id),
      },
      row,
    );
    if (verdict.kind === 'untold') return false;
    // An order that is not proved yet is looked at again: the row may lag behind it.
    if (verdict.kind !== 'unproved') this.#judged.add(orderId);
    else if (startedAt !== undefined) protocol.listed(verdict.order, row, startedAt);
    if (verdict.kind === 'stray') strays.push({ clientOrderId: verdict.clientOrderId, orderId });
    return true;
  }

  #read(priority: Priority): void {
    const { desk, currency, stamp } = this.#parts;
    this.#isWanted = this.#isReading;
    if (this.#isReading) return;
    this.#isReading = true;
    desk.cancel(this.#timer);
    const { venueTime, monotonic } = stamp;
    const begun: Begun = { venueTime, monotonic, listedAt: this.#listedAt };
    const from = this.#from;
    desk.ask<'read-order-history'>({
      request: { kind: 'read-order-history', currency, limit: HISTORY_LIMIT, from, afresh: true },
      priority,
      answered: (outcome) => {
        if (outcome.kind !== 'yes') this.#failed();
        else this.#take(outcome, begun);
      },
    });
  }

  #take({ value: rows, unreadable = [] }: HistoryPage, begun: Begun): void {
    const { ledger, currency } = this.#parts;
    // The answers of our own orders tell of them.
    const hidden = unreadable.filter(({ id }) => id === undefined || !ledger.hasOrderId(id));
    this.#parts.unreadable.see('order history', currency, hidden);
    this.#isHiding = hidden.length > 0;
    const untold = this.see(rows, begun.monotonic);
    const ids = new Set(rows.map(({ orderId }) => orderId));
    this.#judged = new Set([...this.#judged].filter((id) => ids.has(id)));
    for (const id of [...this.#misses.keys()]) if (!ids.has(id)) this.#misses.delete(id);
    this.#readDetails([...untold], begun, true);
  }

  /** One by one: what somebody else trades must not take the budget. */
  #readDetails(rows: OrderReport[], begun: Begun, isWhole: boolean): void {
    const row = rows.shift();
    if (row === undefined) {
      this.#done(begun, isWhole);
      return;
    }
    const { orderId } = row;
    const startedAt = this.#parts.stamp.monotonic;
    this.#parts.desk.ask<'find-order'>({
      request: { kind: 'find-order', order: { orderId } },
      priority: 'poll',
      answered: (outcome) => {
        if (outcome.kind === 'unknown') this.#failed();
        else this.#readDetails(rows, begun, this.#met(outcome, orderId, startedAt) && isWhole);
      },
    });
  }

  /** @returns whether it is known by now whose it is */
  #met(
    outcome: Exclude<Outcome<OrderReport>, { readonly kind: 'unknown' }>,
    orderId: string,
    startedAt: number,
  ): boolean {
    if (outcome.kind === 'yes') {
      const strays: Stray[] = [];
      // Without an id in detail either it was placed by hand.
      if (!this.#judge(outcome.value, orderId, startedAt, strays)) this.#judged.add(orderId);
      this.#parts.secondWriter.meet(strays);
      return true;
    }
    const misses = (this.#misses.get(orderId) ?? 0) + 1;
    this.#misses.set(orderId, misses);
    if (misses >= MOST_MISSES) this.#judged.add(orderId);
    return misses >= MOST_MISSES;
  }

  #done(begun: Begun, isWhole: boolean): void {
    this.#failures = 0;
    if (isWhole && !this.#isHiding) this.#prove(begun);
    if (isWhole) this.#parts.wasRead();
    this.#again(isWhole ? this.#parts.everyMs : spaced(RETRY_SPACING_MS, 1));
  }

  /** Of a whole read. */
  #prove(begun: Begun): void {
    // One more without a newer list would prove no more.
    if (begun.listedAt !== this.#begun.at(-1)?.listedAt) this.#begun.push(begun);
    const listed = this.#visibleAt(begun.monotonic);
    const proof = listed && this.#visibleAt(listed.listedAt);
    if (proof === undefined) return;
    this.#judgedUntil(Math.max(this.#from, proof.venueTime - HISTORY_SLACK_MS));
    this.#begun = this.#begun.filter(({ monotonic }) => monotonic > proof.monotonic);
  }

  /** The newest read that began so long before that whatever was so then is visible. */
  #visibleAt(at: number): Begun | undefined {
    return this.#begun.findLast(({ monotonic }) => monotonic <= at - READ_VISIBILITY_MS);
  }

  #judgedUntil(from: number): void {
    const { journal, currency } = this.#parts;
    this.#from = from;
    if (from < this.#journaled + TELL_MS) return;
    this.#journaled = from;
    journal.history(currency, from);
  }

  #failed(): void {
    this.#again(spaced(RETRY_SPACING_MS, this.#failures));
    this.#failures += 1;
  }

  #again(delayMs: number): void {
    this.#isReading = false;
    const soon = Math.min(delayMs, spaced(RETRY_SPACING_MS, this.#failures));
    this.#timer = this.#parts.desk.after(this.#isWanted ? soon : delayMs, () => {
      this.#read('poll');
    });
  }
}
