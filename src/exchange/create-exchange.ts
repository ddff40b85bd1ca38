import type { CloseReport, WalletReport } from '../core/account.js';
import { assert, AssertionError } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import {
  add,
  fixed,
  isMultipleOf,
  multiplyExact,
  SCALE,
  subtract,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
} from '../core/fixed.js';
import { opposite, type OrderRef } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';
import { Announcer } from './announcer.js';
import { DEFAULT_ASSUMPTIONS, type Assumptions } from './assumptions.js';
import { Bookkeeper } from './bookkeeper.js';
import { Matcher } from './matcher.js';
import { OrderRecord } from './order-record.js';
import { OrderRegister } from './order-register.js';
import { checkIdentifier, checkPlacement } from './placement-checks.js';
import { PriceWalk } from './price-walk.js';
import type {
  Answer,
  ExchangeEvent,
  ExchangeOptions,
  ExchangeOrder,
  ExchangePosition,
  LedgerTotals,
  PlaceCommand,
  SimulatedExchange,
} from './simulated-exchange.js';
import { SymbolBook, type BookOrder } from './symbol-book.js';
import { Wallet } from './wallet.js';

const ONE = fixed<'ratio'>(SCALE);
const NONE = fixed<'quantity'>(0);

/** The venue as a pure state machine. */
export const createExchange = (
  options: ExchangeOptions,
  assumptions: Partial<Assumptions> = {},
): SimulatedExchange => new Exchange(options, { ...DEFAULT_ASSUMPTIONS, ...assumptions });

class Exchange implements SimulatedExchange {
  readonly #options: ExchangeOptions;
  readonly #assumptions: Assumptions;
  readonly #announcer = new Announcer();
  readonly #bookkeeper: Bookkeeper;
  readonly #matcher: Matcher;
  readonly #walk: PriceWalk;
  readonly #books = new Map<string, SymbolBook>();
  readonly #wallets: Readonly<Record<Currency, Wallet>>;
  readonly #orders = new OrderRegister();
  readonly #closes: CloseReport[] = [];
  #nowMs: number;

  constructor(options: ExchangeOptions, assumptions: Assumptions) {
    this.#options = options;
    this.#assumptions = assumptions;
    this.#nowMs = options.startMs;
    for (const listing of options.listings) {
      this.#books.set(listing.instrument.symbol, new SymbolBook(listing));
    }
    this.#wallets = {
      USDT: new Wallet('USDT', options.spot.USDT, options.futures.USDT),
      INR: new Wallet('INR', options.spot.INR, options.futures.INR),
    };
    this.#bookkeeper = this.#createBookkeeper();
    this.#matcher = this.#createMatcher();
    this.#walk = new PriceWalk({
      matcher: this.#matcher,
      assumptions,
      limitFill: options.limitFill ?? 'through',
    });
  }

  #createBookkeeper(): Bookkeeper {
    const { nextId, takerFeeRate, makerFeeRate } = this.#options;
    return new Bookkeeper({
      assumptions: this.#assumptions,
      wallet: (currency) => this.#wallets[currency],
      nextId,
      nowMs: () => this.#nowMs,
      takerFeeRate,
      makerFeeRate,
      hedgeRate: (currency) => this.#hedgeRate(currency),
    });
  }

  #createMatcher(): Matcher {
    const slippageBps = this.#options.slippageBps ?? 0;
    assert(slippageBps >= 0 && slippageBps < 10_000, 'Slippage takes less than the whole price');
    return new Matcher({
      assumptions: this.#assumptions,
      announcer: this.#announcer,
      bookkeeper: this.#bookkeeper,
      wallet: (currency) => this.#wallets[currency],
      nextId: this.#options.nextId,
      nowMs: () => this.#nowMs,
      slippageBps,
      accepted: (order) => this.#accept(order),
      ended: (order) => this.#orders.end(order),
      closed: (close) => this.#closes.push(close),
    });
  }

  // --- time and price ------------------------------------------------------------------------------

  get nowMs(): number {
    return this.#nowMs;
  }

  setTime(nowMs: number): void {
    assert(nowMs >= this.#nowMs, 'Venue time never goes back');
    this.#nowMs = nowMs;
  }

  jump(symbol: string, last: Price, mark: Price): void {
    this.#walk.jump(this.#book(symbol), last, mark);
    this.#announcer.tell();
  }

  sweep(symbol: string, last: Price, mark: Price): void {
    this.#walk.sweep(this.#book(symbol), last, mark);
    this.#announcer.tell();
  }

  prices(symbol: string): { readonly last: Price; readonly mark: Price } | undefined {
    const book = this.#books.get(symbol);
    return book === undefined || book.last === 0 ? undefined : { last: book.last, mark: book.mark };
  }

  settle(symbol?: string): void {
    const books = symbol === undefined ? [...this.#books.values()] : [this.#book(symbol)];
    // A listener may place on a book that had its turn.
    while (books.filter((book) => this.#settleBook(book)).length > 0);
  }

  isActive(symbol: string): boolean {
    return this.#book(symbol).active;
  }

  /** Listeners may place: what they place can match at this same price. */
  #settleBook(book: SymbolBook): boolean {
    if (book.last === 0 || book.waiting.length === 0) return false;
    for (let order = book.waiting.shift(); order !== undefined; order = book.waiting.shift()) {
      this.#firstMatch(order);
      this.#walk.stand(book);
      this.#announcer.tell();
    }
    return true;
  }

  /** A limit order that the price has reached takes, at that price; any other rests. */
  #firstMatch(order: BookOrder): void {
    const { book, side, type, price } = order;
    const crosses = side === 'buy' ? book.last <= price : book.last >= price;
    if (type === 'market') {
      this.#matcher.fill(order, this.#matcher.takerPrice(book.last, side), false);
    } else if (crosses || this.#isPointless(order)) {
      this.#matcher.fill(order, book.last, false);
    } else {
      book.rest(order);
    }
  }

  /** Its position is gone: at rest it would wait for the next, and reduce that. */
  #isPointless({ book, currency, reduceOnly, side }: BookOrder): boolean {
    if (!reduceOnly || this.#assumptions.reduceOnlyAtClose === 'keep') return false;
    const position = book.positions.get(currency);
    return position === undefined || (position.longSign === 1) === (side === 'buy');
  }

  // --- orders --------------------------------------------------------------------------------------

  place(command: PlaceCommand): Answer<ExchangeOrder> {
    const { terms, clientOrderId } = command;
    const refusal = this.#refusalOf(command);
    if (refusal !== undefined) return { ok: false, code: refusal };
    const book = this.#book(terms.symbol);
    const order = new OrderRecord({
      orderId: this.#options.nextId(),
      clientOrderId,
      book,
      currency: terms.currency,
      role: 'trade',
      side: terms.side,
      type: terms.type,
      quantity: terms.quantity,
      price: terms.type === 'limit' ? (terms.price ?? book.last) : book.last,
      reduceOnly: terms.reduceOnly,
      leverage: book.leverage.get(terms.currency) ?? ONE,
      hedgeRate: this.#hedgeRate(terms.currency),
      positionId: book.positionId(terms.currency) ?? this.#options.nextId(),
      nowMs: this.#nowMs,
      ...(!terms.reduceOnly && { stopLoss: terms.stopLoss, takeProfit: terms.takeProfit }),
    });
    book.waiting.push(order);
    this.#accept(order);
    order.legs = this.#createLegs(order);
    const snapshot = order.snapshot();
    this.#announcer.tell();
    return { ok: true, value: snapshot };
  }

  cancel(ref: OrderRef): Answer<ExchangeOrder> {
    const order = this.#orders.find(ref);
    if (order === undefined) return { ok: false, code: 'order-not-found' };
    if (!order.open) return { ok: false, code: 'order-not-open' };
    this.#matcher.cancel(order, 'canceled');
    const snapshot = order.snapshot();
    this.#announcer.tell();
    return { ok: true, value: snapshot };
  }

  setLocked(symbol: string, locked: boolean): void {
    this.#book(symbol).locked = locked;
  }

  #refusalOf({ terms, clientOrderId }: PlaceCommand): RejectionCode | undefined {
    const identifier = checkIdentifier(clientOrderId, (id) => this.#orders.hasClientOrderId(id));
    if (identifier !== undefined) return identifier;
    const book = this.#books.get(terms.symbol);
    if (book === undefined) return 'asset-not-found';
    const price = terms.type === 'limit' ? (terms.price ?? fixed<'price'>(0)) : book.last;
    return checkPlacement({
      terms,
      book,
      price,
      assumptions: this.#assumptions,
      affordable: () => this.#affordable(book, terms, price),
    });
  }

  /** Margin and fee of what the order would open, against the free balance. */
  #affordable(book: SymbolBook, terms: PlaceCommand['terms'], price: Price): boolean {
    const { currency, side } = terms;
    const { flipMargin, oppositeExcess } = this.#assumptions;
    const position = book.positions.get(currency);
    const opposes = position !== undefined && (position.longSign === 1) !== (side === 'buy');
    if (opposes && oppositeExcess === 'drop') return true;
    const quantity = subtract(terms.quantity, opposes ? position.quantity : NONE);
    if (quantity <= 0) return true;
    const leverage = book.leverage.get(currency) ?? ONE;
    const margin = this.#bookkeeper.marginOf({ currency, side, price, quantity, leverage });
    const fee = this.#bookkeeper.feeOf(multiplyExact(price, quantity), currency, false);
    const released = opposes && flipMargin === 'with-released' ? position.margin : 0;
    return BigInt(this.#wallets[currency].balance + released) >= margin + fee;
  }

  /** Listed from the start, while the entry is unfilled (supplement part 6). */
  #createLegs(entry: BookOrder): readonly BookOrder[] {
    const legs = [
      { role: 'stop-loss', price: entry.stopLossPrice },
      { role: 'take-profit', price: entry.takeProfitPrice },
    ] as const;
    return legs.flatMap(({ role, price }) =>
      price === undefined ? [] : [this.#createLeg(entry, role, price)],
    );
  }

  #createLeg(entry: BookOrder, role: 'stop-loss' | 'take-profit', price: Price): BookOrder {
    const leg = new OrderRecord({
      orderId: this.#options.nextId(),
      clientOrderId: undefined,
      book: entry.book,
      currency: entry.currency,
      role,
      side: opposite(entry.side),
      type: 'market',
      quantity: NONE,
      price,
      reduceOnly: true,
      leverage: entry.leverage,
      hedgeRate: entry.hedgeRate,
      positionId: entry.positionId,
      nowMs: this.#nowMs,
    });
    this.#accept(leg);
    return leg;
  }

  #accept(order: BookOrder): void {
    this.#orders.add(order);
    if (this.#announcer.heard) this.#announcer.add({ kind: 'order', order: order.snapshot() });
  }

  // --- settings ------------------------------------------------------------------------------------

  leverage(symbol: string, currency: Currency): Ratio | undefined {
    return this.#books.get(symbol)?.leverage.get(currency);
  }

  setLeverage(symbol: string, currency: Currency, leverage: Ratio): Answer<Ratio> {
    const book = this.#books.get(symbol);
    if (book === undefined) return { ok: false, code: 'asset-not-found' };
    const { minLeverage, maxLeverage, leverageStep } = book.listing.instrument;
    const allowed =
      leverage > 0 &&
      leverage >= minLeverage &&
      leverage <= maxLeverage &&
      isMultipleOf(leverage, leverageStep);
    if (!allowed) return { ok: false, code: 'leverage-range' };
    book.leverage.set(currency, leverage);
    return { ok: true, value: leverage };
  }

  // --- reads ---------------------------------------------------------------------------------------

  order(ref: OrderRef): ExchangeOrder | undefined {
    return this.#orders.find(ref)?.snapshot();
  }

  openOrders(currency: Currency): readonly ExchangeOrder[] {
    return this.#orders.open(currency);
  }

  orderHistory(currency: Currency): readonly ExchangeOrder[] {
    return this.#orders.history(currency, this.#assumptions.orderHistory);
  }

  allOrders(): readonly ExchangeOrder[] {
    return this.#orders.all();
  }

  positions(currency: Currency): readonly ExchangePosition[] {
    const rows: ExchangePosition[] = [];
    const hedgeRate = this.#hedgeRate(currency);
    const { takerFeeRate } = this.#options;
    for (const book of this.#books.values()) {
      const position = book.positions.get(currency);
      if (position !== undefined) rows.push(position.snapshot({ takerFeeRate, hedgeRate }));
    }
    return rows;
  }

  quantity(symbol: string, currency: Currency): Quantity {
    const position = this.#book(symbol).positions.get(currency);
    return fixed(position === undefined ? 0 : position.longSign * position.quantity);
  }

  /** Newest open time first; closes of one position newest first. */
  positionHistory(currency: Currency): readonly CloseReport[] {
    return this.#closes
      .filter((close) => close.currency === currency)
      .reverse()
      .sort((a, b) => b.openedAt - a.openedAt);
  }

  futuresWallet(currency: Currency): WalletReport {
    return this.#wallets[currency].report();
  }

  spotBalance(currency: Currency): Amount {
    return this.#wallets[currency].spot;
  }

  equity(currency: Currency): Amount {
    const { balance, locked } = this.#wallets[currency];
    let equity = add(balance, locked);
    for (const book of this.#books.values()) {
      const position = book.positions.get(currency);
      if (position !== undefined)
        equity = add(equity, position.unrealised(book.last, this.#hedgeRate(currency)));
    }
    return equity;
  }

  totals(currency: Currency): LedgerTotals {
    return this.#wallets[currency].totals();
  }

  listen(listener: (event: ExchangeEvent) => void): void {
    this.#announcer.listen(listener);
  }

  #book(symbol: string): SymbolBook {
    return this.#books.get(symbol) ?? unlisted(symbol);
  }

  #hedgeRate(currency: Currency): Ratio {
    return currency === 'INR' ? this.#options.hedgeRate : ONE;
  }
}

function unlisted(symbol: string): never {
  throw new AssertionError(`The exchange lists ${symbol}`);
}
