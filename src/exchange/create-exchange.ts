import type { CloseReport, FeeReport, TransferReport, WalletReport } from '../core/account.js';
import { assert } from '../core/assert.js';
import { CURRENCIES, type Currency } from '../core/currency.js';
import type { Decimal } from '../core/decimal.js';
import type { Amount, Price, Quantity, Ratio } from '../core/fixed.js';
import type { OrderRef } from '../core/order.js';
import { AccountReads } from './account-reads.js';
import { Affordability } from './affordability.js';
import { DEFAULT_ASSUMPTIONS, type Assumptions } from './assumptions.js';
import { ExchangeState } from './exchange-state.js';
import type { FeeLedger } from './fee-ledger.js';
import { Funding } from './funding.js';
import { OrderDesk } from './order-desk.js';
import { checkLeverage } from './placement-checks.js';
import { Placing } from './placing.js';
import { PositionDesk } from './position-desk.js';
import { PriceWalk } from './price-walk.js';
import { ProtectionDesk } from './protection-desk.js';
import { Settling } from './settling.js';
import type {
  Answer,
  ExchangeEvent,
  ExchangeOptions,
  ExchangeOrder,
  ExchangePosition,
  LedgerTotals,
  LegChange,
  Legs,
  LegTerms,
  Listing,
  PartialCloseTerms,
  PlaceCommand,
  SimulatedExchange,
} from './simulated-exchange.js';
import type { SymbolBook } from './symbol-book.js';
import { Transfers } from './transfers.js';
import { createBookkeeper, createMatcher } from './wiring.js';

/** The venue as a pure state machine. */
export const createExchange = (
  options: ExchangeOptions,
  assumptions: Partial<Assumptions> = {},
): SimulatedExchange => new Exchange(options, { ...DEFAULT_ASSUMPTIONS, ...assumptions });

class Exchange implements SimulatedExchange {
  readonly #state: ExchangeState;
  readonly #walk: PriceWalk;
  readonly #settling: Settling;
  readonly #placing: Placing;
  readonly #orders: OrderDesk;
  readonly #positions: PositionDesk;
  readonly #protection: ProtectionDesk;
  readonly #reads: AccountReads;
  readonly #fees: FeeLedger;
  readonly #funding: Funding;
  readonly #transfers: Transfers;

  constructor(options: ExchangeOptions, assumptions: Assumptions) {
    const state = new ExchangeState(options, assumptions);
    const bookkeeper = createBookkeeper(state);
    const matcher = createMatcher(state, bookkeeper);
    const affordability = new Affordability(state, bookkeeper);
    const limitFill = options.limitFill ?? 'through';
    this.#state = state;
    this.#walk = new PriceWalk({ matcher, assumptions, limitFill });
    this.#settling = new Settling(state, matcher, this.#walk);
    const stand = (book: SymbolBook): void => this.#walk.stand(book);
    const placing = new Placing(state, affordability);
    const reads = new AccountReads(state);
    this.#placing = placing;
    this.#reads = reads;
    this.#orders = new OrderDesk({ state, matcher, affordability, stand });
    this.#positions = new PositionDesk({ state, placing, affordability, reads, stand });
    this.#protection = new ProtectionDesk({ state, placing, matcher, reads });
    this.#fees = bookkeeper.fees;
    this.#funding = new Funding(state, bookkeeper.fees, stand);
    this.#transfers = new Transfers(state);
  }

  // --- time and price ------------------------------------------------------------------------------

  get nowMs(): number {
    return this.#state.nowMs;
  }

  setTime(nowMs: number): void {
    assert(nowMs >= this.#state.nowMs, 'Venue time never goes back');
    if (nowMs >= this.#funding.dueMs) this.#funding.settleUntil(nowMs);
    this.#state.nowMs = nowMs;
  }

  jump(symbol: string, last: Price, mark: Price): void {
    this.#walk.jump(this.#state.book(symbol), last, mark);
    this.#state.announcer.tell();
  }

  sweep(symbol: string, last: Price, mark: Price): void {
    this.#walk.sweep(this.#state.book(symbol), last, mark);
    this.#state.announcer.tell();
  }

  prices(symbol: string): { readonly last: Price; readonly mark: Price } | undefined {
    const book = this.#state.books.get(symbol);
    return book === undefined || book.last === 0 ? undefined : { last: book.last, mark: book.mark };
  }

  list(listing: Listing): void {
    this.#state.list(listing);
  }

  settle(symbol?: string): void {
    const { books } = this.#state;
    this.#settling.settle(symbol === undefined ? [...books.values()] : [this.#state.book(symbol)]);
  }

  isActive(symbol: string): boolean {
    return this.#state.book(symbol).active;
  }

  // --- orders --------------------------------------------------------------------------------------

  place(command: PlaceCommand): Answer<ExchangeOrder> {
    return this.#placing.place(command);
  }

  cancel(ref: OrderRef): Answer<ExchangeOrder> {
    return this.#orders.cancel(ref);
  }

  amend(
    ref: OrderRef,
    to: { readonly price: Price; readonly quantity: Quantity },
  ): Answer<ExchangeOrder> {
    return this.#orders.amend(ref, to);
  }

  // --- the venue's own hand ------------------------------------------------------------------------

  fillPart(ref: OrderRef, quantity: Quantity): Answer<ExchangeOrder> {
    return this.#orders.fillPart(ref, quantity);
  }

  refuse(ref: OrderRef, reason: string): Answer<ExchangeOrder> {
    return this.#orders.refuse(ref, reason);
  }

  burn(clientOrderId: string): void {
    this.#state.orders.burn(clientOrderId);
  }

  setLocked(symbol: string, locked: boolean, currency?: Currency): void {
    const { locks } = this.#state.book(symbol);
    for (const each of currency === undefined ? CURRENCIES : [currency]) {
      if (locked) locks.add(each);
      else locks.delete(each);
    }
  }

  setDelisting(symbol: string, delisting: boolean): void {
    const book = this.#state.book(symbol);
    book.delisting = delisting;
    if (delisting) this.#orders.delist(book);
  }

  setHedgeRate(rate: Ratio): void {
    this.#state.setHedgeRate(rate);
  }

  hedgeRate(currency: Currency): Ratio {
    return this.#state.hedgeRate(currency);
  }

  // --- positions -----------------------------------------------------------------------------------

  protect(positionId: string, legs: Legs<LegTerms>): Answer<ExchangePosition> {
    return this.#protection.protect(positionId, legs);
  }

  moveProtection(positionId: string, legs: Legs<LegChange>): Answer<ExchangePosition> {
    return this.#protection.moveProtection(positionId, legs);
  }

  adjustMargin(positionId: string, change: Amount): Answer<ExchangePosition> {
    return this.#positions.adjustMargin(positionId, change);
  }

  closePartially(positionId: string, terms: PartialCloseTerms): Answer<ExchangeOrder> {
    return this.#positions.closePartially(positionId, terms);
  }

  close(positionId: string): Answer<ExchangeOrder> {
    return this.#positions.close(positionId);
  }

  reverse(positionId: string): Answer<ExchangeOrder> {
    return this.#positions.reverse(positionId);
  }

  liquidationPriceWith(positionId: string, extraMargin: Amount): Answer<Decimal> {
    return this.#positions.liquidationPriceWith(positionId, extraMargin);
  }

  knowsPosition(positionId: string): boolean {
    return this.#state.knowsPosition(positionId);
  }

  // --- settings ------------------------------------------------------------------------------------

  leverage(symbol: string, currency: Currency): Ratio | undefined {
    return this.#state.books.get(symbol)?.leverage.get(currency);
  }

  setLeverage(symbol: string, currency: Currency, leverage: Ratio): Answer<Ratio> {
    const book = this.#state.books.get(symbol);
    if (book === undefined) return { ok: false, code: 'asset-not-found' };
    const refusal = checkLeverage(book, currency, leverage, this.#state.assumptions);
    if (refusal !== undefined) return { ok: false, code: refusal };
    book.leverage.set(currency, leverage);
    return { ok: true, value: leverage };
  }

  unsetLeverage(symbol: string, currency: Currency): void {
    this.#state.book(symbol).leverage.delete(currency);
  }

  // --- reads ---------------------------------------------------------------------------------------

  order(ref: OrderRef): ExchangeOrder | undefined {
    return this.#state.orders.find(ref)?.snapshot();
  }

  openOrders(currency: Currency, most?: number, untilMs?: number): readonly ExchangeOrder[] {
    return this.#state.orders.open(currency, most, untilMs);
  }

  orderHistory(currency: Currency, most?: number, untilMs?: number): readonly ExchangeOrder[] {
    return this.#state.orders.history(currency, most, untilMs);
  }

  allOrders(): readonly ExchangeOrder[] {
    return this.#state.orders.all();
  }

  positions(currency: Currency): readonly ExchangePosition[] {
    return this.#reads.positions(currency);
  }

  quantity(symbol: string, currency: Currency): Quantity {
    return this.#reads.quantity(symbol, currency);
  }

  positionHistory(currency: Currency): readonly CloseReport[] {
    return this.#reads.positionHistory(currency);
  }

  equity(currency: Currency): Amount {
    return this.#reads.equity(currency);
  }

  // --- money ---------------------------------------------------------------------------------------

  futuresWallet(currency: Currency): WalletReport {
    return this.#state.wallets[currency].report();
  }

  spotBalance(currency: Currency): Amount {
    return this.#state.wallets[currency].spot;
  }

  totals(currency: Currency): LedgerTotals {
    return this.#state.wallets[currency].totals();
  }

  transfer(
    currency: Currency,
    direction: TransferReport['direction'],
    amount: Amount,
  ): Answer<TransferReport> {
    return this.#transfers.make(currency, direction, amount);
  }

  transfers(currency: Currency): readonly TransferReport[] {
    return this.#transfers.rows(currency);
  }

  fees(currency: Currency): readonly FeeReport[] {
    return this.#fees.rows(currency);
  }

  listen(listener: (event: ExchangeEvent) => void): void {
    this.#state.announcer.listen(listener);
  }
}
