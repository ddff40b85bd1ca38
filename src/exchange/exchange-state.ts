import type { Listing } from '../core/instrument.js';
import { assert, AssertionError } from '../core/assert.js';
import { CURRENCIES, type Currency } from '../core/currency.js';
import { fixed, SCALE, type Ratio } from '../core/fixed/fixed.js';
import { ExchangeEventQueue } from './exchange-event-queue.js';
import type { Assumptions } from './assumptions.js';
import { CloseLog } from './account/close-log.js';
import { ExecutionLog } from './account/execution-log.js';
import { OrderRegister } from './order/order-register.js';
import type { ExchangeOptions } from './simulated-exchange.js';
import {
  SymbolState,
  type ExchangeOrderState,
  type ExchangePositionState,
} from './price/symbol-state.js';
import { Wallet } from './account/wallet.js';

export const RATIO_ONE = fixed<'ratio'>(SCALE);

/** The state that all parts of the exchange share and change, one call at a time. */
export class ExchangeState {
  readonly options: ExchangeOptions;
  readonly assumptions: Assumptions;
  readonly eventQueue = new ExchangeEventQueue();
  readonly symbolStates = new Map<string, SymbolState>();
  readonly wallets: Readonly<Record<Currency, Wallet>>;
  readonly executions = new ExecutionLog();
  readonly orders: OrderRegister;
  readonly closes = new CloseLog();
  /** Venue ms UTC. A cell, because a backtest sets it at each candle: a field would box each number. */
  readonly #now = new Float64Array(1);
  /** Current INR per USDT. */
  #hedgeRate: Ratio;

  constructor(options: ExchangeOptions, assumptions: Assumptions) {
    this.options = options;
    this.assumptions = assumptions;
    this.orders = new OrderRegister(assumptions.orderHistory, this.executions, options.retention);
    this.nowMs = options.startMs;
    this.#hedgeRate = options.hedgeRate;
    for (const listing of options.listings) this.setListing(listing);
    this.wallets = {
      USDT: new Wallet('USDT', options.spot.USDT, options.futures.USDT),
      INR: new Wallet('INR', options.spot.INR, options.futures.INR),
    };
  }

  get nowMs(): number {
    return this.#now[0] as number;
  }
  set nowMs(ms: number) {
    this.#now[0] = ms;
  }

  /** Orders and positions keep the terms under which they were accepted. */
  setListing(listing: Listing): void {
    const { symbol } = listing.instrument;
    const symbolState = this.symbolStates.get(symbol);
    if (symbolState === undefined) this.symbolStates.set(symbol, new SymbolState(listing));
    else {
      symbolState.listing = listing;
      symbolState.idleBand = undefined;
    }
  }

  /** @throws AssertionError for a symbol that is not listed */
  symbolState(symbol: string): SymbolState {
    return this.symbolStates.get(symbol) ?? unlisted(symbol);
  }

  /** Current INR per USDT; 1 for USDT. */
  hedgeRate(currency: Currency): Ratio {
    return currency === 'INR' ? this.#hedgeRate : RATIO_ONE;
  }

  /** Converts a gain in USDT to the position's currency. Its margin stays as booked. */
  pnlRate({ currency, entryHedgeRate }: ExchangePositionState): Ratio {
    return this.assumptions.pnlHedgeRate === 'entry' ? entryHedgeRate : this.hedgeRate(currency);
  }

  setHedgeRate(rate: Ratio): void {
    assert(rate > 0, 'A hedge rate is above 0');
    this.#hedgeRate = rate;
  }

  /** Open positions only. */
  position(positionId: string): ExchangePositionState | undefined {
    for (const symbolState of this.symbolStates.values()) {
      for (const currency of CURRENCIES) {
        const position = symbolState.positions.get(currency);
        if (position?.id === positionId) return position;
      }
    }
    return undefined;
  }

  /** Open, closed at least in part, or named by an order. */
  isKnownPosition(positionId: string): boolean {
    return (
      this.position(positionId) !== undefined ||
      this.closes.hasPosition(positionId) ||
      this.orders.hasPosition(positionId)
    );
  }

  accept(order: ExchangeOrderState): void {
    this.orders.add(order);
    this.queueOrderEvent(order);
  }

  /** Emitted by the next `eventQueue.flush`, like every event. */
  queueOrderEvent(order: ExchangeOrderState): void {
    if (this.eventQueue.hasListeners)
      this.eventQueue.add({ kind: 'order', order: order.snapshot() });
  }

  queuePositionEvent({ symbolState, currency }: ExchangePositionState): void {
    if (!this.eventQueue.hasListeners) return;
    this.eventQueue.add({ kind: 'position', symbol: symbolState.symbol, currency });
  }
}

function unlisted(symbol: string): never {
  throw new AssertionError(`The exchange lists ${symbol}`);
}
