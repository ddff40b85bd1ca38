import type { AccountSnapshot, PositionMove, PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Stamp } from '../../core/events.js';
import { add, textFromFixed, ZERO, type Quantity } from '../../core/fixed.js';
import type { OrderReport } from '../../core/order.js';
import type { Desk } from '../../execution/desk.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { Protecting } from '../../execution/protection/protecting.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { PositionBook } from '../../execution/position-book.js';
import type { RecoveredPosition } from '../../execution/recovery/recovered-positions.js';
import type { Recovery } from '../../execution/recovery/recovery.js';
import type { AccountView } from '../account-view.js';
import { Attribution } from '../attribution.js';
import type { MovedBy } from '../../strategy/world.js';
import { Baseline } from './baseline.js';
import type { Exit } from '../engine-exit.js';
import type { ForeignBook } from './foreign-book.js';
import { InheritedFills } from './inherited-fills.js';
import { AccountHistory } from '../watch/account-history.js';
import { OrderWatch } from '../watch/order-watch.js';
import { PositionWatch } from '../watch/position-watch.js';
import { ProtectionWatch } from '../watch/protection-watch.js';
import { SecondWriter } from '../watch/second-writer.js';
import { Rounds } from './rounds.js';
import type { SymbolHalts } from '../symbol-halts.js';
import type { UnreadableSymbols } from '../unreadable-symbols.js';

/** Monotonic ms until the read that repeats a first picture of the positions, and how often at most. */
const SECOND_READ_MS = 300;
const MOST_EXTRA_READS = 5;
/** Pictures of the positions at a start that never agree: then a person must look (G13). */
const MAX_PICTURES = { polls: 60, ms: 120_000 };
const NEVER = Number.NEGATIVE_INFINITY;

export interface ReconciliationParts {
  readonly stamp: Readonly<Stamp>;
  readonly currency: Currency;
  /** As the configuration names it. */
  readonly accountName: string;
  /** Prefix of this account's client order ids. */
  readonly namespace: string;
  readonly account: AccountView;
  readonly desk: Desk;
  readonly journal: Journal;
  readonly positions: PositionBook;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly foreign: ForeignBook;
  readonly halts: SymbolHalts;
  readonly unreadable: UnreadableSymbols;
  /** Something of ours trades it. */
  readonly trades: (symbol: string) => boolean;
  readonly effects: EffectSink;
  readonly protecting: Protecting;
  /** Takes off a position that stays without its stop. */
  readonly close: (exit: Exit) => void;
  /** A position moved for a cause that is not ours. */
  readonly moved: (symbol: string, text: string, cause: PositionMove, by: MovedBy) => void;
  /** The same, while no process of ours ran. `before`: as the journal left it, signed. */
  readonly movedWhileDown: (symbol: string, before: Quantity) => void;
  readonly halt: (reason: string) => void;
}

/**
 * Holds what we believe against what the venue shows: at the start until they are one, and at every
 * poll after it.
 */
export class Reconciliation {
  readonly #parts: ReconciliationParts;
  readonly #watch: PositionWatch;
  readonly #guard: ProtectionWatch;
  readonly #secondWriter: SecondWriter;
  readonly #orders: OrderWatch;
  readonly #history: AccountHistory;
  readonly #attribution: Attribution;
  readonly #baseline = new Baseline();
  readonly #inherited = new InheritedFills();
  /** What the journal leaves. */
  #expected: readonly RecoveredPosition[] = [];
  /** What was read before this does not count: it may be from before a time of not seeing. */
  #since = NEVER;
  /** Orders of a time in which we saw nothing, until the venue has told where they stand. */
  #unsettled: OwnOrder[] = [];
  readonly #pictures = new Rounds(MAX_PICTURES);
  #started = false;
  /** The venue behind the engine is the account itself. */
  #current = false;
  /** A first picture is repeated at once, and so is one that differs; after some of them the polls do. */
  #extraReads = 0;
  #waitsToAsk = false;
  /** When a read began that showed the positions which we believe. */
  #agreedAt = NEVER;
  /** When what we believe last changed. */
  #changedAt = NEVER;

  constructor(parts: ReconciliationParts) {
    this.#parts = parts;
    this.#guard = new ProtectionWatch(parts);
    const secondWriter = new SecondWriter(parts);
    this.#secondWriter = secondWriter;
    this.#orders = new OrderWatch({ ...parts, secondWriter });
    this.#history = new AccountHistory({ ...parts, secondWriter });
    this.#attribution = new Attribution(parts);
    this.#watch = new PositionWatch({
      ...parts,
      moved: (symbol, text, cause, by) => {
        this.#changedAt = parts.stamp.monotonic;
        this.#history.hurry();
        this.#inherited.forget(symbol);
        this.#guard.moved(symbol);
        // A target that is given up is durable before the position that tells of it.
        parts.moved(symbol, text, cause, by);
        parts.journal.position(this.#attribution.held(symbol), text);
      },
      grown: (symbol, text) => {
        this.#history.hurry();
        if (parts.trades(symbol)) parts.halts.grown(symbol, text);
      },
      unsettled: (symbol, text) => {
        if (parts.trades(symbol)) parts.halts.halt(symbol, text);
      },
    });
  }

  /** The venue's positions, read after our last change, are the ones that we believe. */
  get agreed(): boolean {
    return this.#agreedAt > this.#changedAt && !this.#hidesOurs();
  }

  /** Everything was read since it began, and what was under way then has been found. */
  get complete(): boolean {
    const { account, currency } = this.#parts;
    const read = account.complete(currency, this.#since) && this.#agreedAt > this.#since;
    return read && !this.#waitsForOrders();
  }

  /** What an earlier life left: its orders wait until the venue has told of all of them. */
  takeOver(
    orders: readonly OwnOrder[],
    left: Pick<Recovery, 'positions' | 'adopted' | 'filledAt' | 'strays' | 'judgedUntil' | 'until'>,
  ): void {
    const { positions, filledAt } = left;
    this.#history.takeOver(left);
    this.#attribution.takeOver(filledAt);
    this.#expected = positions.filter(({ currency }) => currency === this.#parts.currency);
    this.#unsettled = orders.filter((order) => !order.ended);
    if (this.#unsettled.length > 0) this.#parts.protocol.pause();
  }

  start(): void {
    this.#started = true;
    this.#history.start();
    for (const order of this.#unsettled) this.#parts.protocol.resume(order);
  }

  /** Looks again at everything: the account could not be read for a while. */
  again(): void {
    const { stamp, ledger } = this.#parts;
    this.#since = stamp.monotonic;
    this.#unsettled = [...ledger.allActive()];
    this.#lookAgain();
    this.#parts.protocol.hurryHeld();
  }

  /** A person knows of it: what stands there is ours from now on, or an order that is no danger. */
  adopt(what: string): void {
    this.#secondWriter.adopt(what);
    this.#attribution.adopt(what);
  }

  /** Whether a person knows of an order that has the id of one of ours. */
  isAdopted(clientOrderId: string): boolean {
    return this.#secondWriter.adopts(clientOrderId);
  }

  see(snapshot: AccountSnapshot): void {
    const { account } = this.#parts;
    const { currency, startedAt } = snapshot;
    switch (snapshot.kind) {
      case 'wallet':
        account.seeWallet(snapshot.wallet, startedAt);
        return;
      case 'open-orders':
        if (account.seeOrders(currency, snapshot.orders, startedAt)) {
          this.#parts.unreadable.see('open orders', currency, snapshot.unreadable);
          this.#seeOrders(snapshot.orders, currency, startedAt);
          // A row that does not read may be an order of somebody else.
          if ((snapshot.unreadable ?? []).length === 0) this.#history.listed(currency, startedAt);
        }
        return;
      case 'positions':
        if (!account.seePositions(currency, startedAt)) return;
        this.#parts.unreadable.see('positions', currency, snapshot.unreadable);
        if (currency === this.#parts.currency) {
          this.#seePositions(snapshot.positions, currency, startedAt);
        } else this.#seeOthers(snapshot.positions, currency);
    }
  }

  /** Venue ms since which order history has not been judged; undefined before a start, and in a backtest. */
  historyUnjudgedSince(currency: Currency): number | undefined {
    return this.#history.unjudgedSince(currency);
  }

  /** Rows of order history, whoever asked for them. */
  seeHistory(rows: readonly OrderReport[]): void {
    this.#history.see(rows);
  }

  /** No snapshot of the account can be old, and none be a blip. */
  isCurrent(): void {
    this.#current = true;
    this.#parts.account.seenAll(this.#parts.currency, this.#parts.stamp.monotonic);
  }

  /** Our own fill moved a position. @returns how much of it the first picture held already */
  filled(order: OwnOrder, quantity: Quantity): Quantity {
    this.#changedAt = this.#parts.stamp.monotonic;
    return this.#inherited.tell(order, quantity);
  }

  readPositions(): void {
    const { currency, desk, stamp } = this.#parts;
    const startedAt = stamp.monotonic;
    desk.ask<'read-positions'>({
      request: { kind: 'read-positions', currency },
      priority: 'verify',
      answered: (outcome) => {
        if (outcome.kind !== 'yes') return;
        const { value: positions, unreadable = [] } = outcome;
        this.see({ kind: 'positions', currency, startedAt, positions, unreadable });
      },
    });
  }

  /** One list tells of all that rests; what it does not show is looked at by itself. */
  #lookAgain(): void {
    const { currency, desk, ledger, stamp, protocol } = this.#parts;
    const startedAt = stamp.monotonic;
    protocol.hurryUnlisted();
    if (![...ledger.allActive()].some(({ state }) => state === 'accepted')) return;
    desk.ask<'read-open-orders'>({
      request: { kind: 'read-open-orders', currency },
      priority: 'verify',
      answered: (outcome) => {
        if (outcome.kind !== 'yes') return;
        const { value: orders, unreadable = [] } = outcome;
        this.see({ kind: 'open-orders', currency, startedAt, orders, unreadable });
      },
    });
  }

  /** Whether open orders and positions, read since then, show nothing that could be this order. */
  absent(order: OwnOrder, since: number): boolean {
    if (this.#parts.unreadable.reason(order.terms.symbol) !== undefined) return false;
    const view = this.#parts.account.of(order.terms.currency);
    const read = view.ordersAt > since && view.positionsAt > since && this.#agreedAt > since;
    return read && !view.openOrders.some((report) => this.#parts.protocol.couldBe(order, report));
  }

  #seeOrders(orders: readonly OrderReport[], currency: Currency, startedAt: number): void {
    this.#orders.see(orders, currency, startedAt);
    if (currency !== this.#parts.currency) return;
    this.#guard.seeOrders(orders.filter(({ role }) => role !== 'trade'));
  }

  #seePositions(positions: readonly PositionReport[], currency: Currency, startedAt: number): void {
    if (!this.#started) return;
    if (this.#agreedAt === NEVER) {
      if (this.#waitsForOrders()) this.#askOnceLooked();
      else this.#seeFirst(positions, startedAt);
    } else if (this.#watch.see(positions, currency, startedAt)) this.#agreedAt = startedAt;
    if (this.#agreedAt !== NEVER && !this.#current) this.#guard.see(positions, startedAt);
  }

  /** The picture came before the orders were looked at: another is asked for as soon as they are. */
  #askOnceLooked(): void {
    if (this.#waitsToAsk) return;
    this.#waitsToAsk = true;
    this.#parts.desk.after(SECOND_READ_MS, () => {
      this.#waitsToAsk = false;
      if (this.#waitsForOrders()) this.#askOnceLooked();
      else this.readPositions();
    });
  }

  #seeFirst(positions: readonly PositionReport[], startedAt: number): void {
    const { ledger, stamp, protocol } = this.#parts;
    const answeredAt = stamp.monotonic;
    const lookedSince = (since: number): boolean =>
      [...ledger.allActive()].every(
        (o) => o.state !== 'accepted' || o.lookedAt >= since || this.#isHidden(o),
      );
    const before = this.#readable(this.#expectedNow());
    const expected = [...before.keys()].map((symbol) => ({ symbol }));
    const accepted =
      this.#current ||
      this.#baseline.accepts(
        { positions, startedAt, answeredAt },
        { changedAt: this.#changedAt, lookedSince, expected },
      );
    const mayLag = !this.#current && this.#attribution.mayLag(positions, before);
    if (accepted && !mayLag) {
      this.#begin(positions, answeredAt);
      this.#agreedAt = startedAt;
      return;
    }
    if (this.#pictures.count('', startedAt)) this.#parts.halt(pictureText(positions));
    this.#lookAgain();
    if (mayLag) protocol.hurryHeld();
    this.#askOnceMore();
  }

  #askOnceMore(): void {
    if (this.#waitsToAsk || this.#extraReads >= MOST_EXTRA_READS) return;
    this.#waitsToAsk = true;
    this.#extraReads += 1;
    this.#parts.desk.after(SECOND_READ_MS, () => {
      this.#waitsToAsk = false;
      if (this.#agreedAt === NEVER) this.readPositions();
    });
  }

  /** What the journal left, and on top of it the fills that were told since. */
  #expectedNow(): ReadonlyMap<string, Quantity> {
    const { positions, currency } = this.#parts;
    const told = [...positions.open()].filter((each) => each.currency === currency);
    const now = new Map(told.map(({ symbol, quantity }) => [symbol, quantity]));
    for (const { symbol, quantity } of this.#expected) {
      now.set(symbol, add(now.get(symbol) ?? (ZERO as Quantity), quantity));
    }
    return new Map([...now].filter(([, quantity]) => quantity !== 0));
  }

  #begin(rows: readonly PositionReport[], answeredAt: number): void {
    const { positions, currency, ledger } = this.#parts;
    const expected = this.#expected;
    const before = this.#expectedNow();
    positions.begin(rows, currency, answeredAt);
    // Nothing shows that what the journal leaves of these has gone.
    for (const symbol of this.#parts.unreadable.all.keys())
      positions.suppose(symbol, currency, before.get(symbol) ?? (ZERO as Quantity), answeredAt);
    this.#attribution.begin();
    const shown = [...positions.open()].filter((each) => each.currency === currency);
    const orders = [...ledger.allActive()].filter(({ attempts }) => attempts > 0);
    // With what was told since: those fills are no longer to be told.
    const told = [...before].map(([symbol, quantity]) => ({ symbol, currency, quantity }));
    this.#inherited.begin({ currency, expected: told, shown, orders });
    for (const symbol of new Set([...expected, ...shown].map((each) => each.symbol))) {
      this.#attribution.attribute({
        symbol,
        believed: before.get(symbol) ?? (ZERO as Quantity),
        journaled: expected.find((each) => each.symbol === symbol),
        untold: this.#inherited.untold(symbol),
      });
    }
  }

  /** Orders of which the venue has not yet told anything since we began to look. */
  #waitsForOrders(): boolean {
    if (this.#unsettled.length > 0) {
      this.#unsettled = this.#unsettled.filter((order) => waitsForLook(order, this.#since));
    }
    // The others do not wait for a row that may never read.
    return this.#unsettled.some((order) => !this.#isHidden(order));
  }

  #isHidden({ terms }: OwnOrder): boolean {
    return this.#parts.unreadable.reason(terms.symbol) !== undefined;
  }

  /** A symbol of ours is among those of which nothing is known. */
  #hidesOurs(): boolean {
    const { unreadable, positions, currency, trades } = this.#parts;
    return [...unreadable.all.keys()].some(
      (symbol) => trades(symbol) || positions.own(symbol, currency) !== 0,
    );
  }

  #readable(quantities: ReadonlyMap<string, Quantity>): ReadonlyMap<string, Quantity> {
    const { unreadable } = this.#parts;
    return new Map([...quantities].filter(([symbol]) => unreadable.reason(symbol) === undefined));
  }

  /** Positions of a currency that we do not trade in. A row that does not read stays as it was. */
  #seeOthers(positions: readonly PositionReport[], currency: Currency): void {
    const { foreign, unreadable } = this.#parts;
    const kept = foreign.positions.filter(
      (row) => row.currency === currency && unreadable.reason(row.symbol) !== undefined,
    );
    const shown = new Set(positions.map(({ symbol }) => symbol));
    foreign.seePositions(currency, [...positions, ...kept.filter((row) => !shown.has(row.symbol))]);
  }
}

const waitsForLook = ({ state, lookedAt }: OwnOrder, since: number): boolean =>
  state === 'sent' || ((state === 'verifying' || state === 'accepted') && lookedAt <= since);

const pictureText = (rows: readonly PositionReport[]): string => {
  const shown = rows.map(
    ({ symbol, side, quantity }) => `${side} ${textFromFixed(quantity)} ${symbol}`,
  );
  return `the venue's pictures of the positions do not settle; the last one: ${shown.length === 0 ? 'nothing' : shown.join(', ')}`;
};
