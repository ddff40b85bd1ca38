import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import { add, textFromFixed, ZERO, type Quantity } from '../../core/fixed/fixed.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { RecoveredPosition } from '../../execution/recovery/recovered-positions.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { UnreadableSymbols } from '../account/unreadable-symbols.js';
import type { Attribution } from '../order/attribution.js';
import type { TradingState } from '../trading-state.js';
import type { AccountReader } from './account-reader.js';
import { InitialPositions } from './initial-positions.js';
import { RepeatedPollCounter } from './repeated-poll-counter.js';
import { SnapshotFillDedup } from './snapshot-fill-dedup.js';
import type { UnresolvedOrders } from './unresolved-orders.js';

/** Monotonic ms until a first snapshot of the positions is read again, and the most such reads. */
const REREAD_DELAY_MS = 300;
const MAX_EXTRA_READS = 5;
/** Snapshots at a start that never agree latch the account: a person must review it. */
const MAX_SNAPSHOTS = { polls: 60, ms: 120_000 };

export interface StartupPositionsParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  readonly requests: RequestTracker;
  readonly positions: PositionLedger;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly unreadable: UnreadableSymbols;
  readonly attribution: Attribution;
  readonly unresolved: UnresolvedOrders;
  readonly reader: AccountReader;
  readonly tradingState: TradingState;
}

/** One poll of the positions. */
export interface StartupRead {
  readonly rows: readonly PositionReport[];
  /** Monotonic ms at which its request left, and at which a fill of ours last moved a position. */
  readonly startedAt: number;
  readonly changedAt: number;
  /** The venue behind the engine is the account itself: the read cannot lag. */
  readonly isCurrent: boolean;
}

/** Makes the venue's first snapshots our positions, compared with the journal's and the fills since. */
export class StartupPositions {
  readonly #parts: StartupPositionsParts;
  readonly #initialPositions = new InitialPositions();
  readonly #fillDedup = new SnapshotFillDedup();
  readonly #snapshotCounter = new RepeatedPollCounter(MAX_SNAPSHOTS);
  /** As the journal leaves them. */
  #expected: readonly RecoveredPosition[] = [];
  #isAccepted = false;
  /** After these the regular polls repeat the snapshot. */
  #extraReads = 0;
  #isRereadScheduled = false;

  constructor(parts: StartupPositionsParts) {
    this.#parts = parts;
  }

  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** Positions of the journal, with the fills reported since, that no list has confirmed yet; undefined: one has. */
  get unconfirmed(): readonly RecoveredPosition[] | undefined {
    if (this.#isAccepted) return undefined;
    const { currency } = this.#parts;
    return [...this.#expectedNow()].map(([symbol, quantity]) => {
      const foreign = this.#expected.find((each) => each.symbol === symbol)?.foreign;
      return { symbol, currency, quantity, ...(foreign !== undefined && { foreign }) };
    });
  }

  restore(positions: readonly RecoveredPosition[]): void {
    this.#expected = positions.filter(({ currency }) => currency === this.#parts.currency);
  }

  /** @returns how much of this fill the accepted snapshot holds already */
  alreadyCounted(order: OwnOrder, quantity: Quantity): Quantity {
    return this.#fillDedup.consume(order, quantity);
  }

  /** An order has ended, and all its fills are reported. */
  onOrderEnded(order: OwnOrder): void {
    const unexplained = this.#fillDedup.onEnded(order);
    if (unexplained === 0) return;
    const { symbol } = order.terms;
    const remaining = this.#fillDedup.remainingOf(symbol);
    this.#parts.attribution.disown({ symbol, unexplained, remaining });
  }

  /** The venue's report of a symbol was accepted: later fills of it all count. */
  forget(symbol: string): void {
    this.#fillDedup.forget(symbol);
  }

  /** @returns whether the positions are accepted now */
  onPositions(read: StartupRead): boolean {
    if (this.#parts.unresolved.hasPending()) {
      this.#rereadOnceQueried();
      return false;
    }
    return this.#onSnapshot(read);
  }

  /** The snapshot was read before the orders were: the next read follows as soon as they are known. */
  #rereadOnceQueried(): void {
    if (this.#isRereadScheduled) return;
    this.#isRereadScheduled = true;
    this.#parts.requests.after(REREAD_DELAY_MS, () => {
      this.#isRereadScheduled = false;
      if (this.#parts.unresolved.hasPending()) this.#rereadOnceQueried();
      else this.#parts.reader.readPositions();
    });
  }

  #onSnapshot(read: StartupRead): boolean {
    const { stamp, protocol, attribution, reader, tradingState } = this.#parts;
    const { rows, startedAt } = read;
    const answeredAt = stamp.monotonic;
    const before = this.#readable(this.#expectedNow());
    const accepted = read.isCurrent || this.#agrees(read, answeredAt, before);
    const mayLag = !read.isCurrent && attribution.mayBeStale(rows, before);
    if (accepted && !mayLag) {
      this.#accept(rows, answeredAt);
      this.#isAccepted = true;
      return true;
    }
    if (this.#snapshotCounter.count('', startedAt))
      tradingState.restrict({
        control: 'R22',
        to: 'HALTED',
        class: 'latching',
        cause: snapshotText(rows),
      });
    reader.readOrders();
    if (mayLag) protocol.queryPaused();
    this.#scheduleReread();
    return false;
  }

  #agrees(
    { rows: positions, startedAt, changedAt }: StartupRead,
    answeredAt: number,
    before: ReadonlyMap<string, Quantity>,
  ): boolean {
    const { ledger, unreadable } = this.#parts;
    const readSince = (since: number): boolean =>
      [...ledger.allOpenOrders()].every(
        ({ state, lastReadAt, terms }) =>
          state !== 'accepted' ||
          lastReadAt >= since ||
          unreadable.reason(terms.symbol) !== undefined,
      );
    const expected = [...before.keys()].map((symbol) => ({ symbol }));
    const facts = { changedAt, readSince, expected };
    return this.#initialPositions.accepts({ positions, startedAt, answeredAt }, facts);
  }

  #scheduleReread(): void {
    if (this.#isRereadScheduled || this.#extraReads >= MAX_EXTRA_READS) return;
    this.#isRereadScheduled = true;
    this.#extraReads += 1;
    this.#parts.requests.after(REREAD_DELAY_MS, () => {
      this.#isRereadScheduled = false;
      if (!this.#isAccepted) this.#parts.reader.readPositions();
    });
  }

  /** The journal's positions plus the fills reported since. */
  #expectedNow(): ReadonlyMap<string, Quantity> {
    const { positions, currency } = this.#parts;
    const reported = [...positions.openPositions()].filter((each) => each.currency === currency);
    const now = new Map(reported.map(({ symbol, quantity }) => [symbol, quantity]));
    for (const { symbol, quantity } of this.#expected) {
      now.set(symbol, add(now.get(symbol) ?? (ZERO as Quantity), quantity));
    }
    return new Map([...now].filter(([, quantity]) => quantity !== 0));
  }

  #readable(quantities: ReadonlyMap<string, Quantity>): ReadonlyMap<string, Quantity> {
    const { unreadable } = this.#parts;
    return new Map([...quantities].filter(([symbol]) => unreadable.reason(symbol) === undefined));
  }

  #accept(rows: readonly PositionReport[], answeredAt: number): void {
    const { positions, currency, ledger, unreadable, attribution } = this.#parts;
    const expected = this.#expected;
    const before = this.#expectedNow();
    const expectedOf = (symbol: string): Quantity => before.get(symbol) ?? (ZERO as Quantity);
    positions.initialize(rows, currency, answeredAt);
    // No report shows that the journal's positions of these symbols have closed.
    for (const symbol of unreadable.all.keys())
      positions.initializeQuantity(symbol, currency, expectedOf(symbol), answeredAt);
    attribution.restoreFillTimes();
    const shown = [...positions.openPositions()].filter((each) => each.currency === currency);
    const orders = [...ledger.allOpenOrders()].filter(({ attempts }) => attempts > 0);
    // With the fills reported since the start: they are not reported again.
    const believed = [...before].map(([symbol, quantity]) => ({ symbol, currency, quantity }));
    this.#fillDedup.start({ currency, expected: believed, shown, orders });
    for (const symbol of new Set([...expected, ...shown].map((each) => each.symbol))) {
      attribution.attribute({
        symbol,
        believed: expectedOf(symbol),
        journaled: expected.find((each) => each.symbol === symbol),
        remaining: this.#fillDedup.remainingOf(symbol),
      });
    }
  }
}

const snapshotText = (rows: readonly PositionReport[]): string => {
  const shown = rows.map(
    ({ symbol, side, quantity }) => `${side} ${textFromFixed(quantity)} ${symbol}`,
  );
  return `the venue's pictures of the positions do not settle; the last one: ${shown.length === 0 ? 'nothing' : shown.join(', ')}`;
};
