import type {
  CloseReport,
  FeeReport,
  PositionReport,
  ProtectiveOrderReport,
  TransferReport,
  WalletReport,
} from '../core/account.js';
import type { Currency } from '../core/currency.js';
import type { Decimal } from '../core/fixed/decimal.js';
import type { Amount, Price, Quantity, Ratio } from '../core/fixed/fixed.js';
import type { Instrument, Listing } from '../core/instrument.js';
import type { OrderRef, OrderReport, OrderTerms, OrderType } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';
import type { MarketHandle } from './market-handle.js';
import type { SlippageModel } from './order/slippage.js';

export interface ExchangeOptions {
  readonly listings: readonly Listing[];
  /** Fraction of the traded value, GST included. */
  readonly takerFeeRate: Ratio;
  readonly makerFeeRate: Ratio;
  /** Adverse slippage of market fills and of triggered stops. Unset: none. */
  readonly slippage?: SlippageModel | undefined;
  readonly spot: Readonly<Record<Currency, Amount>>;
  readonly futures: Readonly<Record<Currency, Amount>>;
  /** INR per USDT at the start; `setHedgeRate` changes it. */
  readonly hedgeRate: Ratio;
  /** Unset: no funding is exchanged. */
  readonly funding?: FundingTerms;
  /** Unset: every order is retained, as backtests need it. */
  readonly retention?: Retention;
  /** Limit fills: when the price trades through by one step (default), or when it touches. */
  readonly limitFill?: 'through' | 'touch';
  /** New ids, UUID-shaped; deterministic under simulation. */
  readonly nextId: () => string;
  /** Venue ms UTC. */
  readonly startMs: number;
}

/** Retention of ended orders. Orders with fills and their consequences are always retained. */
export interface Retention {
  /**
   * Number of orders without a fill to retain, newest end first; at least 1. No lookup or list finds
   * an evicted order, but its client order id stays used.
   */
  readonly endedOrders: number;
}

/** Interval and rate of funding. */
export interface FundingTerms {
  /** Settlements are at its multiples since the epoch, UTC: 8 h gives 00:00, 08:00 and 16:00. */
  readonly intervalMs: number;
  /** Fraction of the notional that longs pay; below 0 shorts pay. Must be pure. */
  readonly rate: (symbol: string, settlementMs: number) => Ratio;
  /** Price that the payment is counted at; undefined: the current price of `fundingPrice`. Must be pure. */
  readonly mark?: (symbol: string, settlementMs: number) => Price | undefined;
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
  /** ms UTC of the final status; absent while the order is open. */
  readonly endedAt?: number;
}

export interface Execution {
  /** Unique per fill. */
  readonly id: string;
  readonly price: Price;
  readonly quantity: Quantity;
  /** In the order's currency. */
  readonly fee: Amount;
  readonly maker: boolean;
  /** Credited back, in the order's currency; absent: none. */
  readonly rebate?: Amount;
  /** Part of the price that is slippage, USDT per unit; absent: none. */
  readonly slippage?: Price;
  /** ms UTC */
  readonly time: number;
}

/** The fields of an order that no execution changes. */
export type TradedOrder = Pick<
  ExchangeOrder,
  'orderId' | 'symbol' | 'currency' | 'role' | 'type' | 'reduceOnly' | 'leverage' | 'hedgeRate'
>;

/** An execution with its order. */
export interface OrderExecution {
  readonly order: TradedOrder;
  readonly execution: Execution;
}

export interface ExchangePosition extends PositionReport {
  readonly stopLoss?: Required<ProtectiveOrderReport>;
  readonly takeProfit?: Required<ProtectiveOrderReport>;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly entryHedgeRate: Ratio;
}

/**
 * Sums since the start, per currency. Exactly: change of (spot + balance + locked) =
 * realisedPnl − fees − funding + transfers. Fees are net of rebates. Transfers are deposits from
 * outside both wallets; a transfer between them does not count.
 */
export interface LedgerTotals {
  readonly realisedPnl: Amount;
  readonly fees: Amount;
  readonly funding: Amount;
  readonly transfers: Amount;
}

export type ExchangeResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: RejectionCode };

/** Emitted in order. The backtest and the sandbox's state view listen. */
export type ExchangeEvent =
  | { readonly kind: 'order'; readonly order: ExchangeOrder }
  | { readonly kind: 'fill'; readonly order: ExchangeOrder; readonly execution: Execution }
  | { readonly kind: 'position'; readonly symbol: string; readonly currency: Currency }
  | { readonly kind: 'close'; readonly close: CloseReport }
  | { readonly kind: 'funding'; readonly fee: FeeReport };

export interface PlaceCommand {
  readonly terms: OrderTerms;
  /** Unset: no uniqueness check and no lookup by it. */
  readonly clientOrderId?: string;
  /**
   * v1 only: checked like `setLeverage` and stored for (asset, currency) once the order is accepted.
   * The v1 balance check counts unsettled PnL too (interface: order create v2).
   * Unset: v2, with the stored leverage.
   */
  readonly leverage?: Ratio;
}

/** A stop or target to set on an open position. */
export interface ProtectiveOrderTerms {
  /** Trigger price, USDT. */
  readonly price: Price;
  /** Unique among all orders. */
  readonly clientOrderId?: string;
}

/** A new trigger price for an existing stop or target. */
export interface ProtectiveOrderChange {
  readonly price: Price;
  /** Order type after triggering; unset: unchanged. */
  readonly type?: OrderType;
  /** Unset: refused with `protection-order-missing`. */
  readonly order?: OrderRef;
}

export interface Bracket<T> {
  readonly stopLoss?: T;
  readonly takeProfit?: T;
}

export interface PartialCloseTerms {
  readonly type: OrderType;
  /** Less than the position's quantity. */
  readonly quantity: Quantity;
  /** Limit closes only, USDT. */
  readonly price?: Price;
  readonly clientOrderId?: string;
}

/** Last and mark price at one moment. */
export interface PricePoint {
  readonly last: Price;
  readonly mark: Price;
}

/** The prices of a candle after its open. Its extremes come in an assumed order. */
export interface CandleMove {
  readonly low: PricePoint;
  readonly high: PricePoint;
  readonly close: PricePoint;
  readonly isLowFirst: boolean;
}

/**
 * The venue as a pure state machine: no clock, no random source, no I/O. Callers set time and prices;
 * every consequence is complete before the call returns.
 */
export interface SimulatedExchange {
  readonly nowMs: number;
  /** Time never goes back. */
  setTime(nowMs: number): void;
  /** Venue ms of the next funding settlement; Infinity without funding. */
  readonly dueMs: number;
  /** Backtest: quantity that the orders of a symbol may trade until the next call. Stops and liquidations fill whole. */
  limitVolume(symbol: string, quantity: Quantity): void;

  /**
   * Moves the price with a gap: passed stops fill at the new price, passed limits at their own price.
   */
  gapTo(symbol: string, last: Price, mark: Price): void;
  /** Moves the price without a gap: passed stops and limits fill at their own price. */
  moveThrough(symbol: string, last: Price, mark: Price): void;
  /**
   * Moves the price through both extremes of a candle and to its close.
   * @returns whether the order of its prices may matter
   */
  moveThroughCandle(symbol: string, candle: CandleMove): boolean;
  /** Backtest: one symbol, without a look-up for each candle. */
  market(symbol: string): MarketHandle;
  prices(symbol: string): { readonly last: Price; readonly mark: Price } | undefined;
  /** Adds an instrument, or changes the rules of a listed one from now on. */
  setListing(listing: Listing): void;
  /** Rules of a listed instrument. */
  instrument(symbol: string): Instrument | undefined;
  /** Matches accepted orders for the first time, at the current price. Unset: of every symbol. */
  matchPending(symbol?: string): void;
  /** Whether the symbol has an open order or position. */
  isActive(symbol: string): boolean;

  /** Fills are asynchronous: an accepted order waits for `matchPending`. */
  place(command: PlaceCommand): ExchangeResult<ExchangeOrder>;
  cancel(ref: OrderRef): ExchangeResult<ExchangeOrder>;
  /** Sets both on a resting order without a fill. The order keeps its id and loses time priority. */
  amend(
    ref: OrderRef,
    to: { readonly price: Price; readonly quantity: Quantity },
  ): ExchangeResult<ExchangeOrder>;
  /** Admin action: fills exactly this quantity now, at the order's own or the current price. */
  fillPart(ref: OrderRef, quantity: Quantity): ExchangeResult<ExchangeOrder>;
  /** While set, the symbol opens no new positions; reducing orders are accepted. */
  setDelisting(symbol: string, delisting: boolean): void;
  /** Sets INR per USDT. */
  setHedgeRate(rate: Ratio): void;
  hedgeRate(currency: Currency): Ratio;
  /**
   * Holds or releases the user-and-asset lock of 423. While held, actions on the symbol's orders and
   * positions answer `locked`. Without a currency: both currencies.
   */
  setLocked(symbol: string, locked: boolean, currency?: Currency): void;
  /** Refuses an accepted order for `reason`: the asynchronous refusal after a 202. */
  reject(ref: OrderRef, reason: string): ExchangeResult<ExchangeOrder>;
  /** Marks an id as used although no order has it (interface: client_order_id rule 4). */
  burn(clientOrderId: string): void;
  /** Restores the state before the leverage was first set. */
  unsetLeverage(symbol: string, currency: Currency): void;

  /** Sets new stop and target orders on an open position. All or nothing. */
  protect(
    positionId: string,
    bracket: Bracket<ProtectiveOrderTerms>,
  ): ExchangeResult<ExchangePosition>;
  /** Moves the triggers of existing stop and target orders. All or nothing. */
  moveProtection(
    positionId: string,
    bracket: Bracket<ProtectiveOrderChange>,
  ): ExchangeResult<ExchangePosition>;
  /** Above 0 adds margin from the free balance, below 0 returns it; in the position's currency. */
  adjustMargin(positionId: string, change: Amount): ExchangeResult<ExchangePosition>;
  closePartially(positionId: string, terms: PartialCloseTerms): ExchangeResult<ExchangeOrder>;
  /** Places a market order for the whole position; it fills asynchronously. */
  close(positionId: string): ExchangeResult<ExchangeOrder>;
  /** Places a market order for twice the position: closes it and opens as much on the other side. */
  reverse(positionId: string): ExchangeResult<ExchangeOrder>;
  /**
   * Liquidation price with `extraMargin` added, in USDT, unrounded.
   * @param extraMargin in the position's currency
   */
  liquidationPriceWith(positionId: string, extraMargin: Amount): ExchangeResult<Decimal>;
  /** Whether the position is open, was closed, or is named by a retained order. */
  isKnownPosition(positionId: string): boolean;

  /** Spot to futures or back; instant, without fee. */
  transfer(
    currency: Currency,
    direction: TransferReport['direction'],
    amount: Amount,
  ): ExchangeResult<TransferReport>;
  /** Newest first. */
  transfers(currency: Currency): readonly TransferReport[];
  /** Newest first. */
  fees(currency: Currency): readonly FeeReport[];

  leverage(symbol: string, currency: Currency): Ratio | undefined;
  setLeverage(symbol: string, currency: Currency, leverage: Ratio): ExchangeResult<Ratio>;

  order(ref: OrderRef): ExchangeOrder | undefined;
  /** Newest first, stops and targets included: at most `limit`, created up to `untilMs` (ms UTC). */
  openOrders(currency: Currency, limit?: number, untilMs?: number): readonly ExchangeOrder[];
  /** As `openOrders`; without system-cancelled stops and targets. */
  orderHistory(currency: Currency, limit?: number, untilMs?: number): readonly ExchangeOrder[];
  /** Every execution since the start, in booking order: that of the fill events. */
  executions(): readonly OrderExecution[];
  /** Every retained order, oldest first. */
  allOrders(): readonly ExchangeOrder[];
  positions(currency: Currency): readonly ExchangePosition[];
  /** Signed, 0 when flat; allocates nothing. */
  quantity(symbol: string, currency: Currency): Quantity;
  /** Newest open time first: at most `limit`, opened from `from` on (ms UTC). */
  positionHistory(currency: Currency, limit?: number, from?: number): readonly CloseReport[];
  futuresWallet(currency: Currency): WalletReport;
  spotBalance(currency: Currency): Amount;
  /** Wallet balance + locked + unrealised PnL at the last price, in `currency`. */
  equity(currency: Currency): Amount;
  totals(currency: Currency): LedgerTotals;

  /** Listeners run inside the call that caused the event, after its state change is complete. */
  listen(listener: (event: ExchangeEvent) => void): void;
}
