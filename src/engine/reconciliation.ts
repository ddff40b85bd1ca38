import type { AccountSnapshot, PositionReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import type { Stamp } from '../core/events.js';
import { fixed, type Quantity } from '../core/fixed.js';
import type { OrderReport } from '../core/order.js';
import type { Desk } from '../execution/desk.js';
import type { Journal } from '../execution/journal.js';
import type { OrderLedger } from '../execution/order-ledger.js';
import type { OrderProtocol } from '../execution/order-protocol.js';
import type { OwnOrder } from '../execution/own-order.js';
import type { PositionBook } from '../execution/position-book.js';
import type { RecoveredPosition } from '../execution/recovered-positions.js';
import type { AccountView } from './account-view.js';
import { Baseline } from './baseline.js';
import { InheritedFills } from './inherited-fills.js';
import { PositionWatch } from './position-watch.js';

/** Monotonic ms until the read that repeats a first picture of the positions. */
const SECOND_READ_MS = 300;
const NEVER = Number.NEGATIVE_INFINITY;

export interface ReconciliationParts {
  readonly stamp: Readonly<Stamp>;
  readonly currency: Currency;
  /** Prefix of this account's client order ids. */
  readonly namespace: string;
  readonly account: AccountView;
  readonly desk: Desk;
  readonly journal: Journal;
  readonly positions: PositionBook;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  /** A position moved for a cause that is not ours. */
  readonly moved: (symbol: string, text: string) => void;
  readonly halt: (reason: string) => void;
}

/**
 * Holds what we believe against what the venue shows: at the start until they are one, and at every
 * poll after it.
 */
export class Reconciliation {
  readonly #parts: ReconciliationParts;
  readonly #watch: PositionWatch;
  readonly #baseline = new Baseline();
  readonly #inherited = new InheritedFills();
  /** What the journal leaves. */
  #expected: readonly RecoveredPosition[] = [];
  /** What was read before this does not count: it may be from before a time of not seeing. */
  #since = NEVER;
  /** Orders of a time in which we saw nothing, until the venue has told where they stand. */
  #unsettled: OwnOrder[] = [];
  #started = false;
  /** The venue behind the engine is the account itself. */
  #current = false;
  /** A first picture is repeated at once; after that the polls do. */
  #askedTwice = false;
  /** When a read began that showed the positions which we believe. */
  #agreedAt = NEVER;
  /** When what we believe last changed. */
  #changedAt = NEVER;

  constructor(parts: ReconciliationParts) {
    this.#parts = parts;
    this.#watch = new PositionWatch({
      ...parts,
      moved: (symbol, text) => {
        this.#changedAt = parts.stamp.monotonic;
        this.#inherited.forget(symbol);
        const { currency, journal, positions } = parts;
        journal.position(symbol, currency, positions.quantity(symbol, currency), text);
        parts.moved(symbol, text);
      },
    });
  }

  /** The venue's positions, read after our last change, are the ones that we believe. */
  get agreed(): boolean {
    return this.#agreedAt > this.#changedAt;
  }

  /** Everything was read since it began, and what was under way then has been found. */
  get complete(): boolean {
    const { account, currency } = this.#parts;
    const read = account.complete(currency, this.#since) && this.#agreedAt > this.#since;
    return read && !this.#waitsForOrders();
  }

  /** What an earlier life left: its orders wait until the venue has told of all of them. */
  takeOver(orders: readonly OwnOrder[], positions: readonly RecoveredPosition[]): void {
    this.#expected = positions.filter(({ currency }) => currency === this.#parts.currency);
    this.#unsettled = orders.filter((order) => !order.ended);
    if (this.#unsettled.length > 0) this.#parts.protocol.pause();
  }

  start(): void {
    this.#started = true;
    for (const order of this.#unsettled) this.#parts.protocol.resume(order);
  }

  /** Looks again at everything: the account could not be read for a while. */
  again(): void {
    const { stamp, ledger, protocol } = this.#parts;
    this.#since = stamp.monotonic;
    this.#unsettled = [...ledger.allActive()];
    for (const { terms } of this.#unsettled) protocol.hurry(terms.symbol, terms.currency);
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
          this.#seeOrders(snapshot.orders, currency, startedAt);
        }
        return;
      case 'positions':
        if (account.seePositions(currency, startedAt)) {
          this.#seePositions(snapshot.positions, currency, startedAt);
        }
    }
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
        this.see({ kind: 'positions', currency, startedAt, positions: outcome.value });
      },
    });
  }

  /** Whether open orders and positions, read since then, show nothing that could be this order. */
  absent(order: OwnOrder, since: number): boolean {
    const view = this.#parts.account.of(order.terms.currency);
    const read = view.ordersAt > since && view.positionsAt > since && this.#agreedAt > since;
    return read && !view.openOrders.some((report) => this.#parts.protocol.couldBe(order, report));
  }

  #seeOrders(orders: readonly OrderReport[], currency: Currency, startedAt: number): void {
    const { ledger, protocol, namespace, halt } = this.#parts;
    const listed = new Set<string>();
    for (const report of orders) {
      listed.add(report.orderId);
      const id = report.clientOrderId;
      const order = id === undefined ? undefined : ledger.byClientOrderId(id);
      if (order !== undefined) protocol.listed(order, report, startedAt);
      else if (id?.startsWith(`${namespace}-`) === true) {
        // Our ids are our journal's: another process, or another journal, trades here (J13, J14).
        halt(`the venue has an open order ${id} of this account that the journal does not know`);
      }
    }
    for (const order of [...ledger.allActive()]) {
      if (order.terms.currency !== currency || order.orderId === undefined) continue;
      protocol.unlisted(order, !listed.has(order.orderId), startedAt);
    }
  }

  #seePositions(positions: readonly PositionReport[], currency: Currency, startedAt: number): void {
    if (!this.#started) return;
    if (this.#agreedAt === NEVER) {
      if (!this.#waitsForOrders()) this.#seeFirst(positions, startedAt);
    } else if (this.#watch.see(positions, currency, startedAt)) this.#agreedAt = startedAt;
  }

  #seeFirst(positions: readonly PositionReport[], startedAt: number): void {
    const { currency, ledger, stamp, protocol } = this.#parts;
    const answeredAt = stamp.monotonic;
    const lookedSince = (since: number): boolean =>
      [...ledger.allActive()].every((o) => o.state !== 'accepted' || o.lookedAt >= since);
    const accepted =
      this.#current ||
      this.#baseline.accepts(
        { positions, startedAt, answeredAt },
        { changedAt: this.#changedAt, lookedSince, expected: this.#expected },
      );
    if (accepted) {
      this.#begin(positions, answeredAt);
      this.#agreedAt = startedAt;
      return;
    }
    for (const { terms } of [...ledger.allActive()]) protocol.hurry(terms.symbol, currency);
    if (this.#askedTwice) return;
    this.#askedTwice = true;
    this.#parts.desk.after(SECOND_READ_MS, () => {
      this.readPositions();
    });
  }

  #begin(rows: readonly PositionReport[], answeredAt: number): void {
    const { positions, currency, ledger, journal } = this.#parts;
    positions.begin(rows, currency, answeredAt);
    const shown = [...positions.open()].filter((each) => each.currency === currency);
    const expected = this.#expected;
    const orders = [...ledger.allActive()].filter(({ attempts }) => attempts > 0);
    this.#inherited.begin({ currency, expected, shown, orders });
    for (const symbol of new Set([...expected, ...shown].map((each) => each.symbol))) {
      const told = positions.quantity(symbol, currency) - this.#inherited.untold(symbol);
      const before = expected.find((each) => each.symbol === symbol)?.quantity ?? 0;
      if (told !== before)
        journal.position(symbol, currency, fixed(told), 'the first picture of the venue');
    }
  }

  /** Orders of which the venue has not yet told anything since we began to look. */
  #waitsForOrders(): boolean {
    if (this.#unsettled.length > 0) {
      this.#unsettled = this.#unsettled.filter((order) => waitsForLook(order, this.#since));
    }
    return this.#unsettled.length > 0;
  }
}

const waitsForLook = ({ state, lookedAt }: OwnOrder, since: number): boolean =>
  state === 'sent' || ((state === 'verifying' || state === 'accepted') && lookedAt <= since);
