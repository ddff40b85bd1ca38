import { assert } from '../core/assert.js';
import { CURRENCIES, type Currency } from '../core/currency.js';
import type { Amount, Price, Quantity, Ratio } from '../core/fixed/fixed.js';
import { AccountReads } from './account/account-reads.js';
import { Affordability } from './account/affordability.js';
import { DEFAULT_ASSUMPTIONS, type Assumptions } from './assumptions.js';
import { ExchangeState } from './exchange-state.js';
import { Bookkeeper } from './account/bookkeeper.js';
import { FeeLedger, type TradeCharge } from './account/fee-ledger.js';
import { FundingSettler } from './account/funding-settler.js';
import { DependentOrders } from './order/dependent-orders.js';
import { Matcher } from './order/matcher.js';
import { ExchangeOrderCanceler } from './order/order-canceler.js';
import { OrderHandler } from './order/order-handler.js';
import { checkLeverage } from './order/placement-checks.js';
import { OrderAcceptor } from './order/order-acceptor.js';
import { PositionHandler } from './position/position-handler.js';
import type { MarketHandle } from './market-handle.js';
import { ExchangeMarket } from './price/exchange-market.js';
import { PriceMover } from './price/price-mover.js';
import { BracketHandler } from './position/bracket-handler.js';
import { PendingMatcher } from './price/pending-matcher.js';
import type {
  CandleMove,
  ExchangeEvent,
  ExchangeOptions,
  ExchangeResult,
  SimulatedExchange,
} from './simulated-exchange.js';
import type { SymbolState } from './price/symbol-state.js';
import { Transfers } from './account/transfers.js';

/** @param assumptions answers that differ from the defaults (docs/assumptions.md) */
export const createExchange = (
  options: ExchangeOptions,
  assumptions: Partial<Assumptions> = {},
): SimulatedExchange => new Exchange(options, { ...DEFAULT_ASSUMPTIONS, ...assumptions });

type Api = SimulatedExchange;

/** Cold methods are one-line forwards to the part that does the work. */
class Exchange implements SimulatedExchange {
  readonly #state: ExchangeState;
  readonly #priceMover: PriceMover;
  readonly #pendingMatcher: PendingMatcher;
  readonly #orderAcceptor: OrderAcceptor;
  readonly #orderHandler: OrderHandler;
  readonly #positionHandler: PositionHandler;
  readonly #bracketHandler: BracketHandler;
  readonly #reads: AccountReads;
  readonly #fees: FeeLedger;
  readonly #fundingSettler: FundingSettler;
  readonly #transfers: Transfers;

  constructor(options: ExchangeOptions, assumptions: Assumptions) {
    const state = new ExchangeState(options, assumptions);
    const fees = new FeeLedger((row) => tradeChargeOf(state, row));
    const bookkeeper = createBookkeeper(state, fees);
    const canceler = new ExchangeOrderCanceler(state);
    const dependents = new DependentOrders(state, canceler);
    const matcher = new Matcher({ state, bookkeeper, canceler, dependents });
    const affordability = new Affordability(state, bookkeeper);
    const limitFill = options.limitFill ?? 'through';
    this.#state = state;
    this.#priceMover = new PriceMover({ matcher, assumptions, limitFill });
    this.#pendingMatcher = new PendingMatcher(state, matcher, this.#priceMover);
    const triggerAtPrice = (symbolState: SymbolState): void =>
      this.#priceMover.triggerAtPrice(symbolState);
    const orderAcceptor = new OrderAcceptor(state, affordability);
    const reads = new AccountReads(state);
    this.#orderAcceptor = orderAcceptor;
    this.#reads = reads;
    this.#orderHandler = new OrderHandler({
      state,
      matcher,
      canceler,
      affordability,
      triggerAtPrice,
    });
    this.#positionHandler = new PositionHandler({
      state,
      orderAcceptor,
      affordability,
      reads,
      triggerAtPrice,
    });
    this.#bracketHandler = new BracketHandler({ state, orderAcceptor, canceler, reads });
    this.#fees = fees;
    this.#fundingSettler = new FundingSettler(state, fees, triggerAtPrice);
    this.#transfers = new Transfers(state);
  }

  // --- the backtest loop ---------------------------------------------------------------------------

  get nowMs(): number {
    return this.#state.nowMs;
  }

  setTime(nowMs: number): void {
    assert(nowMs >= this.#state.nowMs, 'Venue time never goes back');
    if (nowMs >= this.#fundingSettler.dueMs) this.#fundingSettler.settleUntil(nowMs);
    this.#state.nowMs = nowMs;
  }

  get dueMs(): number {
    return this.#fundingSettler.dueMs;
  }

  limitVolume(symbol: string, quantity: Quantity): void {
    this.#state.symbolState(symbol).limitVolume(quantity);
  }

  gapTo(symbol: string, last: Price, mark: Price): void {
    this.#priceMover.gapTo(this.#state.symbolState(symbol), last, mark);
    this.#state.eventQueue.flush();
  }

  moveThrough(symbol: string, last: Price, mark: Price): void {
    this.#priceMover.moveThrough(this.#state.symbolState(symbol), last, mark);
    this.#state.eventQueue.flush();
  }

  moveThroughCandle(symbol: string, candle: CandleMove): boolean {
    const isAmbiguous = this.#priceMover.moveThroughCandle(this.#state.symbolState(symbol), candle);
    this.#state.eventQueue.flush();
    return isAmbiguous;
  }

  market(symbol: string): MarketHandle {
    return new ExchangeMarket(this.#state, this.#state.symbolState(symbol), this.#priceMover);
  }

  matchPending(symbol?: string): void {
    const { symbolStates } = this.#state;
    if (symbol === undefined) this.#pendingMatcher.matchPending([...symbolStates.values()]);
    else this.#pendingMatcher.matchSymbol(this.#state.symbolState(symbol));
  }

  isActive(symbol: string): boolean {
    return this.#state.symbolState(symbol).active;
  }

  quantity(symbol: string, currency: Currency): Quantity {
    return this.#reads.quantity(symbol, currency);
  }

  equity(currency: Currency): Amount {
    return this.#reads.equity(currency);
  }

  // --- symbols -------------------------------------------------------------------------------------

  readonly setListing: Api['setListing'] = (listing) => this.#state.setListing(listing);
  readonly instrument: Api['instrument'] = (symbol) =>
    this.#state.symbolStates.get(symbol)?.listing.instrument;
  readonly leverage: Api['leverage'] = (symbol, currency) =>
    this.#state.symbolStates.get(symbol)?.leverage.get(currency);

  prices(symbol: string): { readonly last: Price; readonly mark: Price } | undefined {
    const symbolState = this.#state.symbolStates.get(symbol);
    return symbolState === undefined || symbolState.last === 0
      ? undefined
      : { last: symbolState.last, mark: symbolState.mark };
  }

  setLeverage(symbol: string, currency: Currency, leverage: Ratio): ExchangeResult<Ratio> {
    const symbolState = this.#state.symbolStates.get(symbol);
    if (symbolState === undefined) return { ok: false, code: 'asset-not-found' };
    const refusal = checkLeverage(symbolState, currency, leverage, this.#state.assumptions);
    if (refusal !== undefined) return { ok: false, code: refusal };
    symbolState.leverage.set(currency, leverage);
    return { ok: true, value: leverage };
  }

  // --- orders --------------------------------------------------------------------------------------

  readonly place: Api['place'] = (command) => this.#orderAcceptor.place(command);
  readonly cancel: Api['cancel'] = (ref) => this.#orderHandler.cancel(ref);
  readonly amend: Api['amend'] = (ref, to) => this.#orderHandler.amend(ref, to);
  readonly order: Api['order'] = (ref) => this.#state.orders.find(ref)?.snapshot();
  readonly openOrders: Api['openOrders'] = (currency, limit, untilMs) =>
    this.#state.orders.open(currency, limit, untilMs);
  readonly orderHistory: Api['orderHistory'] = (currency, limit, untilMs) =>
    this.#state.orders.history(currency, limit, untilMs);
  readonly executions: Api['executions'] = () => {
    const { executions, orders } = this.#state;
    return Array.from({ length: executions.length }, (_, row) => ({
      order: orders.filledOrder(executions.orderOf(row)),
      execution: executions.at(row),
    }));
  };
  readonly allOrders: Api['allOrders'] = () => this.#state.orders.all();

  // --- positions -----------------------------------------------------------------------------------

  readonly protect: Api['protect'] = (positionId, bracket) =>
    this.#bracketHandler.protect(positionId, bracket);
  readonly moveProtection: Api['moveProtection'] = (positionId, bracket) =>
    this.#bracketHandler.moveProtection(positionId, bracket);
  readonly adjustMargin: Api['adjustMargin'] = (positionId, change) =>
    this.#positionHandler.adjustMargin(positionId, change);
  readonly closePartially: Api['closePartially'] = (positionId, terms) =>
    this.#positionHandler.closePartially(positionId, terms);
  readonly close: Api['close'] = (positionId) => this.#positionHandler.close(positionId);
  readonly reverse: Api['reverse'] = (positionId) => this.#positionHandler.reverse(positionId);
  readonly liquidationPriceWith: Api['liquidationPriceWith'] = (positionId, extraMargin) =>
    this.#positionHandler.liquidationPriceWith(positionId, extraMargin);
  readonly isKnownPosition: Api['isKnownPosition'] = (positionId) =>
    this.#state.isKnownPosition(positionId);
  readonly positions: Api['positions'] = (currency) => this.#reads.positions(currency);
  readonly positionHistory: Api['positionHistory'] = (currency, limit, from) =>
    this.#state.closes.newestFirst(currency, limit, from);

  // --- money ---------------------------------------------------------------------------------------

  readonly futuresWallet: Api['futuresWallet'] = (currency) =>
    this.#state.wallets[currency].report();
  readonly spotBalance: Api['spotBalance'] = (currency) => this.#state.wallets[currency].spot;
  readonly totals: Api['totals'] = (currency) => this.#state.wallets[currency].totals();
  readonly transfer: Api['transfer'] = (currency, direction, amount) =>
    this.#transfers.transfer(currency, direction, amount);
  readonly transfers: Api['transfers'] = (currency) => this.#transfers.rows(currency);
  readonly fees: Api['fees'] = (currency) => this.#fees.rows(currency);
  readonly hedgeRate: Api['hedgeRate'] = (currency) => this.#state.hedgeRate(currency);

  // --- admin actions -------------------------------------------------------------------------------

  readonly fillPart: Api['fillPart'] = (ref, quantity) =>
    this.#orderHandler.fillPart(ref, quantity);
  readonly reject: Api['reject'] = (ref, reason) => this.#orderHandler.reject(ref, reason);
  readonly burn: Api['burn'] = (clientOrderId) => this.#state.orders.burn(clientOrderId);
  readonly setHedgeRate: Api['setHedgeRate'] = (rate) => this.#state.setHedgeRate(rate);
  readonly unsetLeverage: Api['unsetLeverage'] = (symbol, currency) => {
    this.#state.symbolState(symbol).leverage.delete(currency);
  };

  setLocked(symbol: string, locked: boolean, currency?: Currency): void {
    const { locks } = this.#state.symbolState(symbol);
    for (const each of currency === undefined ? CURRENCIES : [currency]) {
      if (locked) locks.add(each);
      else locks.delete(each);
    }
  }

  setDelisting(symbol: string, delisting: boolean): void {
    const symbolState = this.#state.symbolState(symbol);
    symbolState.delisting = delisting;
    if (delisting) this.#orderHandler.delist(symbolState);
  }

  listen(listener: (event: ExchangeEvent) => void): void {
    this.#state.eventQueue.listen(listener);
  }
}

function tradeChargeOf({ executions, orders }: ExchangeState, row: number): TradeCharge {
  const order = orders.byOrdinal(executions.orderOf(row));
  return { order, execution: executions.at(row), ...executions.chargeOf(row) };
}

function createBookkeeper(state: ExchangeState, fees: FeeLedger): Bookkeeper {
  const { nextId, takerFeeRate, makerFeeRate } = state.options;
  return new Bookkeeper({
    executions: state.executions,
    fees,
    assumptions: state.assumptions,
    wallet: (currency) => state.wallets[currency],
    nextId,
    nowMs: () => state.nowMs,
    takerFeeRate,
    makerFeeRate,
    hedgeRate: (currency) => state.hedgeRate(currency),
    pnlRate: (position) => state.pnlRate(position),
  });
}
