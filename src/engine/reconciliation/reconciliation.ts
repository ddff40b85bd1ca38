import type { AccountSnapshot, PositionChangeReason, PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Quantity } from '../../core/fixed/fixed.js';
import type { OrderReport } from '../../core/order.js';
import { READ_VISIBILITY_MS } from '../../execution/constants.js';
import type { ProtectiveOrderManager } from '../../execution/protection/protective-order-manager.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { RecoveredPosition } from '../../execution/recovery/recovered-positions.js';
import type { Recovery } from '../../execution/recovery/recovery.js';
import type { ExternalClose } from '../account/trade-results.js';
import type { AccountView } from '../account/account-view.js';
import { Attribution } from '../order/attribution.js';
import type { ExternalChangeSource } from '../../strategy/contract/strategy-port.js';
import { AccountReader } from './account-reader.js';
import type { TradingState } from '../trading-state.js';
import type { ExternalActivity } from './external-activity.js';
import { StartupPositions } from './startup-positions.js';
import { UnresolvedOrders } from './unresolved-orders.js';
import { AccountHistoryMonitor } from '../watch/account-history-monitor.js';
import { OrderMonitor } from '../watch/order-monitor.js';
import { PositionMonitor } from '../watch/position-monitor.js';
import { ProtectionMonitor, type ProtectionMonitorParts } from '../watch/protection-monitor.js';
import { SecondWriterDetector } from '../watch/second-writer-detector.js';
import type { SymbolHalts } from '../account/symbol-halts.js';
import type { UnreadableSymbols } from '../account/unreadable-symbols.js';

const NEVER = Number.NEGATIVE_INFINITY;

export interface ReconciliationParts extends Omit<
  ProtectionMonitorParts,
  'readPositions' | 'protectiveOrders'
> {
  /** As the configuration names it. */
  readonly accountName: string;
  /** Prefix of this account's client order ids. */
  readonly namespace: string;
  readonly account: AccountView;
  readonly external: ExternalActivity;
  readonly halts: SymbolHalts;
  readonly unreadable: UnreadableSymbols;
  /** Whether a configured strategy or session trades it. */
  readonly isTraded: (symbol: string) => boolean;
  readonly protectiveOrders: ProtectiveOrderManager;
  readonly tradingState: TradingState;
  /** A position changed for an external cause. */
  readonly onPositionChanged: (
    symbol: string,
    text: string,
    cause: PositionChangeReason,
    by: ExternalChangeSource,
  ) => void;
  /** Called before a position closes, in part or in full, without an order of ours. */
  readonly onExternalClose: (close: ExternalClose) => void;
  /** The same, while no run of ours was active. `before`: as the journal left it, signed. */
  readonly onPositionChangedWhileDown: (symbol: string, before: Quantity) => void;
  readonly halt: (reason: string) => void;
}

/** Compares our orders and positions with the venue's: at the start until both agree, then at every poll. */
export class Reconciliation {
  readonly protection: ProtectionMonitor;
  readonly #parts: ReconciliationParts;
  readonly #positionMonitor: PositionMonitor;
  readonly #secondWriter: SecondWriterDetector;
  readonly #orderMonitor: OrderMonitor;
  readonly #historyMonitor: AccountHistoryMonitor;
  readonly #attribution: Attribution;
  readonly #unresolved: UnresolvedOrders;
  readonly #reader: AccountReader;
  readonly #startupPositions: StartupPositions;
  #started = false;
  /** The venue behind the engine is the account itself. */
  #isAccountCurrent = false;
  /** Start of the newest read of our currency's positions. */
  #readAt = NEVER;
  /** Start of the read that last showed our positions. */
  #agreedAt = NEVER;
  /** Monotonic ms of the last change of our positions. */
  #changedAt = NEVER;

  constructor(parts: ReconciliationParts) {
    this.#parts = parts;
    this.protection = new ProtectionMonitor({
      ...parts,
      readPositions: this.readPositions.bind(this),
    });
    const secondWriter = new SecondWriterDetector(parts);
    this.#secondWriter = secondWriter;
    this.#orderMonitor = new OrderMonitor({ ...parts, secondWriter });
    this.#historyMonitor = new AccountHistoryMonitor({ ...parts, secondWriter });
    const attribution = new Attribution(parts);
    this.#attribution = attribution;
    const unresolved = new UnresolvedOrders(parts.unreadable);
    this.#unresolved = unresolved;
    const onSnapshot = this.onSnapshot.bind(this);
    const reader = new AccountReader({ ...parts, onSnapshot });
    this.#reader = reader;
    this.#startupPositions = new StartupPositions({ ...parts, attribution, unresolved, reader });
    this.#positionMonitor = new PositionMonitor({
      ...parts,
      decidedTrigger: (symbol, slot) => this.protection.decidedTrigger(symbol, slot),
      onPositionChanged: (symbol, text, cause, by) => {
        this.#changedAt = parts.stamp.monotonic;
        this.#historyMonitor.queryNow();
        this.#startupPositions.forget(symbol);
        this.protection.onPositionChanged(symbol);
        // Suspends the target durably before the position that explains it.
        parts.onPositionChanged(symbol, text, cause, by);
        parts.journal.position(this.#attribution.held(symbol), text);
      },
      onGrown: (symbol, text) => {
        this.#historyMonitor.queryNow();
        if (parts.isTraded(symbol)) parts.halts.onExposureGrown(symbol, text);
      },
      onUnsettled: (symbol, text) => {
        if (parts.isTraded(symbol)) parts.halts.halt(symbol, text);
      },
    });
  }

  /** See `StartupPositions.unconfirmed`. */
  get unconfirmedPositions(): readonly RecoveredPosition[] | undefined {
    return this.#startupPositions.unconfirmed;
  }

  /** The venue's positions, read after our last change, equal ours. */
  get positionsAgree(): boolean {
    return this.#agreedAt > this.#changedAt && !this.#hasUnreadableOwnSymbol();
  }

  /** The newest read of the positions showed ours. */
  get newestReadAgrees(): boolean {
    return this.positionsAgree && this.#agreedAt === this.#readAt;
  }

  /** The newest read of the wallet began after our last change of a position. */
  get isWalletCurrent(): boolean {
    const { account, currency } = this.#parts;
    return account.of(currency).walletAt > this.#changedAt;
  }

  /** Positions read after `startedAt` (monotonic ms) agree, and lists read then showed our last change. */
  hasSettledSince(startedAt: number): boolean {
    return this.#agreedAt > startedAt && startedAt - this.#changedAt >= READ_VISIBILITY_MS;
  }

  /** Positions were read since the start and agree, and every order that was open then has been found. */
  get isComplete(): boolean {
    return this.#agreedAt > this.#unresolved.since && !this.#unresolved.hasPending();
  }

  /** A part of the account that was not read since the start, and that entries alone need; undefined: none. */
  get unreadPart(): 'open orders' | 'wallet' | undefined {
    const { account, currency } = this.#parts;
    const { since } = this.#unresolved;
    const { ordersAt, walletAt } = account.of(currency);
    if (ordersAt <= since) return 'open orders';
    return walletAt <= since ? 'wallet' : undefined;
  }

  /** Restores previous runs: their orders wait until the venue has reported all of them. */
  restore(
    orders: readonly OwnOrder[],
    recovered: Pick<
      Recovery,
      'positions' | 'adopted' | 'filledAt' | 'strays' | 'judgedUntil' | 'until'
    >,
  ): void {
    const { positions, filledAt } = recovered;
    this.#historyMonitor.restore(recovered);
    this.#attribution.restore(filledAt);
    this.#startupPositions.restore(positions);
    const unresolved = orders.filter((order) => !order.ended);
    this.#unresolved.track(unresolved);
    if (unresolved.length > 0) this.#parts.protocol.pauseSubmission();
  }

  start(): void {
    this.#started = true;
    this.#historyMonitor.start();
    for (const order of this.#unresolved.all) this.#parts.protocol.resume(order);
  }

  /** Reconciles again, after a time in which the account could not be read. */
  restart(): void {
    const { stamp, ledger } = this.#parts;
    this.#unresolved.track([...ledger.allOpenOrders()], stamp.monotonic);
    this.#reader.readOrders();
    this.#parts.protocol.queryPaused();
  }

  /** A person's command: a symbol's whole position is ours from now on, or a stray order is known. */
  adopt(what: string): void {
    this.#secondWriter.adopt(what);
    this.#attribution.adopt(what);
  }

  /** Whether a person has adopted an external order under the id of one of ours. */
  isAdopted(clientOrderId: string): boolean {
    return this.#secondWriter.adoptIfInHistory(clientOrderId);
  }

  onSnapshot(snapshot: AccountSnapshot): void {
    const { account } = this.#parts;
    const { currency, startedAt } = snapshot;
    switch (snapshot.kind) {
      case 'wallet':
        account.updateWallet(snapshot.wallet, startedAt);
        return;
      case 'open-orders':
        if (account.updateOpenOrders(currency, snapshot.orders, startedAt)) {
          this.#parts.unreadable.update('open orders', currency, snapshot.unreadable);
          this.#onOpenOrders(snapshot.orders, currency, startedAt);
          // An unreadable row may be an external order.
          if ((snapshot.unreadable ?? []).length === 0)
            this.#historyMonitor.onOpenOrdersListed(currency, startedAt);
        }
        return;
      case 'positions':
        if (!account.updatePositions(currency, startedAt)) return;
        this.#parts.unreadable.update('positions', currency, snapshot.unreadable);
        if (currency === this.#parts.currency) {
          this.#onPositions(snapshot.positions, currency, startedAt);
        } else this.#onOtherCurrencyPositions(snapshot.positions, currency);
    }
  }

  /** Venue ms since which order history is unchecked; undefined before the start, and in a backtest. */
  historyUncheckedSince(currency: Currency): number | undefined {
    return this.#historyMonitor.uncheckedSince(currency);
  }

  /** Rows of order history from any request. */
  onOrderHistory(rows: readonly OrderReport[]): void {
    this.#historyMonitor.onRows(rows);
  }

  /** Snapshots of this account are never stale or incomplete. */
  markCurrent(): void {
    this.#isAccountCurrent = true;
    const { account, currency, stamp, tradingState } = this.#parts;
    account.markAllCurrent(currency, stamp.monotonic);
    tradingState.onCleanReconciliation(stamp.monotonic);
  }

  /** A fill of ours moved a position. @returns the part of it that the first snapshot holds already */
  onFilled(order: OwnOrder, quantity: Quantity): Quantity {
    this.#changedAt = this.#parts.stamp.monotonic;
    return this.#startupPositions.alreadyCounted(order, quantity);
  }

  /** Before anything is decided on its end: what it did not fill may turn out to be external. */
  onOrderEnded(order: OwnOrder): void {
    this.#startupPositions.onOrderEnded(order);
  }

  readPositions(): void {
    this.#reader.readPositions();
  }

  /** Whether open orders and positions, read since then, show no order that could be this one. */
  isAbsentFromLists(order: OwnOrder, since: number): boolean {
    if (this.#parts.unreadable.reason(order.terms.symbol) !== undefined) return false;
    const view = this.#parts.account.of(order.terms.currency);
    const read = view.ordersAt > since && view.positionsAt > since && this.#agreedAt > since;
    return (
      read && !view.openOrders.some((report) => this.#parts.protocol.mayBeOrder(order, report))
    );
  }

  #onOpenOrders(orders: readonly OrderReport[], currency: Currency, startedAt: number): void {
    this.#orderMonitor.onOpenOrders(orders, currency, startedAt);
    if (currency !== this.#parts.currency) return;
    this.protection.onProtectiveOrders(orders.filter(({ role }) => role !== 'trade'));
  }

  #onPositions(positions: readonly PositionReport[], currency: Currency, startedAt: number): void {
    if (!this.#started) return;
    const agreed = this.#startupPositions.isAccepted
      ? this.#positionMonitor.onPositions(positions, currency, startedAt)
      : this.#startupPositions.onPositions({
          rows: positions,
          startedAt,
          changedAt: this.#changedAt,
          isCurrent: this.#isAccountCurrent,
        });
    this.#readAt = startedAt;
    if (agreed) this.#agreedAt = startedAt;
    const { ledger, stamp, tradingState } = this.#parts;
    // An order that only a person can end holds its symbol and its room, and no restriction of another cause.
    const isClean = this.newestReadAgrees && ledger.isSettled(stamp.monotonic);
    if (isClean && !tradingState.isKeyRefused) tradingState.onCleanReconciliation(startedAt);
    if (this.#agreedAt !== NEVER && !this.#isAccountCurrent)
      this.protection.onPositions(positions, startedAt);
  }

  /** A symbol that we trade or hold is unreadable. */
  #hasUnreadableOwnSymbol(): boolean {
    const { unreadable, positions, currency, isTraded } = this.#parts;
    return [...unreadable.all.keys()].some(
      (symbol) => isTraded(symbol) || positions.ownQuantity(symbol, currency) !== 0,
    );
  }

  /** Positions of a currency in which we do not trade. An unreadable row keeps its last state. */
  #onOtherCurrencyPositions(positions: readonly PositionReport[], currency: Currency): void {
    const { external, unreadable } = this.#parts;
    const unreadableRows = external.positions.filter(
      (row) => row.currency === currency && unreadable.reason(row.symbol) !== undefined,
    );
    const shown = new Set(positions.map(({ symbol }) => symbol));
    external.setPositions(currency, [
      ...positions,
      ...unreadableRows.filter((row) => !shown.has(row.symbol)),
    ]);
  }
}
