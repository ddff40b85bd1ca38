import type { CloseReport, PositionReport, WalletReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import type { Amount, Price, Quantity, Ratio } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderRef, OrderReport, OrderTerms } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';

/** What the exchange knows of an instrument beyond what it tells. */
export interface Listing {
  readonly instrument: Instrument;
  /** Maintenance margin rate; not exposed by the venue (supplement part 12). */
  readonly maintenanceRate: Ratio;
}

export interface ExchangeOptions {
  readonly listings: readonly Listing[];
  /** Of the traded value, GST included. */
  readonly takerFeeRate: Ratio;
  readonly makerFeeRate: Ratio;
  /** Adverse slippage of market fills, in basis points of the price. Default 0. */
  readonly slippageBps?: number;
  readonly spot: Readonly<Record<Currency, Amount>>;
  readonly futures: Readonly<Record<Currency, Amount>>;
  /** INR per USDT. */
  readonly hedgeRate: Ratio;
  /** Limit fills: when the price trades through by one step (default), or when it touches. */
  readonly limitFill?: 'through' | 'touch';
  /** New ids, UUID-shaped; deterministic under simulation. */
  readonly nextId: () => string;
  /** Venue ms UTC. */
  readonly startMs: number;
}

export interface ExchangeOrder extends OrderReport {
  readonly symbol: string;
  readonly reduceOnly: boolean;
  readonly leverage: Ratio;
  /** INR per USDT at placing; 1 for USDT orders. */
  readonly hedgeRate: Ratio;
  /** ms UTC */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
  readonly executions: readonly Execution[];
}

export interface Execution {
  /** One per fill. */
  readonly id: string;
  readonly price: Price;
  readonly quantity: Quantity;
  /** In the order's currency. */
  readonly fee: Amount;
  readonly maker: boolean;
  /** ms UTC */
  readonly time: number;
}

export interface ExchangePosition extends PositionReport {
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly entryHedgeRate: Ratio;
}

/** Sums since the start, per currency: change of (spot + balance + locked) =
 * realisedPnl − fees − funding + transfers, exactly. */
export interface LedgerTotals {
  readonly realisedPnl: Amount;
  readonly fees: Amount;
  readonly funding: Amount;
  readonly transfers: Amount;
}

export type Answer<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: RejectionCode };

/** Told as it happens, in order; the backtest and the god view listen. */
export type ExchangeEvent =
  | { readonly kind: 'order'; readonly order: ExchangeOrder }
  | { readonly kind: 'fill'; readonly order: ExchangeOrder; readonly execution: Execution }
  | { readonly kind: 'position'; readonly symbol: string; readonly currency: Currency }
  | { readonly kind: 'close'; readonly close: CloseReport };

export interface PlaceCommand {
  readonly terms: OrderTerms;
  /** Unset: not checked for uniqueness, not found by it. */
  readonly clientOrderId?: string;
}

/**
 * The venue as a pure state machine: no clock, no random source, no I/O. Time and prices are told to
 * it; what follows from them happens before the call returns.
 */
export interface SimulatedExchange {
  readonly nowMs: number;
  /** Never backwards. */
  setTime(nowMs: number): void;

  /**
   * The price is now here and was nowhere between: stops it passed fill at it, limits it passed at
   * their own price.
   */
  jump(symbol: string, last: Price, mark: Price): void;
  /** The price moved here without a gap: stops and limits it passed fill at their own price. */
  sweep(symbol: string, last: Price, mark: Price): void;
  prices(symbol: string): { readonly last: Price; readonly mark: Price } | undefined;
  /** Matches accepted orders that wait for their first match, at the present price. */
  settle(symbol?: string): void;
  /** Whether any order waits or rests, or any position is open, on the symbol. */
  isActive(symbol: string): boolean;

  /** Accepted orders wait for `settle`: fills are asynchronous. Checks in the order of design part 8. */
  place(command: PlaceCommand): Answer<ExchangeOrder>;
  cancel(ref: OrderRef): Answer<ExchangeOrder>;
  /** Holds the user-and-asset lock of 423: `place` on the symbol answers `locked` while held. */
  setLocked(symbol: string, locked: boolean): void;

  leverage(symbol: string, currency: Currency): Ratio | undefined;
  setLeverage(symbol: string, currency: Currency, leverage: Ratio): Answer<Ratio>;

  order(ref: OrderRef): ExchangeOrder | undefined;
  /** Newest first, stops and targets among them. */
  openOrders(currency: Currency): readonly ExchangeOrder[];
  /** Newest first; without system-cancelled stops and targets. */
  orderHistory(currency: Currency): readonly ExchangeOrder[];
  /** Every order ever accepted, oldest first. */
  allOrders(): readonly ExchangeOrder[];
  positions(currency: Currency): readonly ExchangePosition[];
  /** Signed, 0 when flat; makes no object. */
  quantity(symbol: string, currency: Currency): Quantity;
  /** Newest open time first. */
  positionHistory(currency: Currency): readonly CloseReport[];
  futuresWallet(currency: Currency): WalletReport;
  spotBalance(currency: Currency): Amount;
  /** Wallet balance + locked + unrealised PnL at the last price, in `currency`. */
  equity(currency: Currency): Amount;
  totals(currency: Currency): LedgerTotals;

  /** Listeners run inside the call that caused the event, after its state is whole. */
  listen(listener: (event: ExchangeEvent) => void): void;
}
