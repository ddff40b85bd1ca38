import type {
  CloseReport,
  FeeReport,
  PositionReport,
  ProtectionLeg,
  TransferReport,
  WalletReport,
} from '../core/account.js';
import type { Currency } from '../core/currency.js';
import type { Decimal } from '../core/decimal.js';
import type { Amount, Price, Quantity, Ratio } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderRef, OrderReport, OrderTerms, OrderType } from '../core/order.js';
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
  /** INR per USDT at the start; `setHedgeRate` changes it. */
  readonly hedgeRate: Ratio;
  /** None: no funding is exchanged. */
  readonly funding?: FundingTerms;
  /** Unset: every order is kept, as backtests need it. */
  readonly retention?: Retention;
  /** Limit fills: when the price trades through by one step (default), or when it touches. */
  readonly limitFill?: 'through' | 'touch';
  /** New ids, UUID-shaped; deterministic under simulation. */
  readonly nextId: () => string;
  /** Venue ms UTC. */
  readonly startMs: number;
}

/** What is remembered of what is over; fills and all that came of them always are. */
export interface Retention {
  /**
   * Orders that ended without any fill: so many of them, the newest by their end, at least 1. The
   * client order id of a forgotten one stays used; no lookup or list finds the order.
   */
  readonly endedOrders: number;
}

/** When funding is exchanged, and at which rate. */
export interface FundingTerms {
  /** Settlements lie at its multiples since the epoch, UTC: 8 h gives 00:00, 08:00 and 16:00. */
  readonly intervalMs: number;
  /** Fraction of the notional that longs pay to shorts; below 0 shorts pay. Pure. */
  readonly rate: (symbol: string, settlementMs: number) => Ratio;
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
  /** ms UTC of its last status; absent while it may still trade. */
  readonly endedAt?: number;
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
  readonly stopLoss?: Required<ProtectionLeg>;
  readonly takeProfit?: Required<ProtectionLeg>;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly entryHedgeRate: Ratio;
}

/**
 * Sums since the start, per currency: change of (spot + balance + locked) =
 * realisedPnl − fees − funding + transfers, exactly. Fees are net of rebates. Transfers are what came
 * from outside both wallets: between them nothing is gained or lost.
 */
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
  | { readonly kind: 'close'; readonly close: CloseReport }
  | { readonly kind: 'funding'; readonly fee: FeeReport };

export interface PlaceCommand {
  readonly terms: OrderTerms;
  /** Unset: not checked for uniqueness, not found by it. */
  readonly clientOrderId?: string;
  /**
   * v1 only: judged like `setLeverage` and stored for (asset, currency) once the order is accepted.
   * Its balance check counts unsettled PnL too (interface, v2 order). Unset: v2, the stored leverage.
   */
  readonly leverage?: Ratio;
}

/** A stop or target that is to be set on an open position. */
export interface LegTerms {
  /** Trigger, USDT. */
  readonly price: Price;
  /** Same uniqueness as of any order. */
  readonly clientOrderId?: string;
}

/** A stop or target that exists, and where it shall trigger from now on. */
export interface LegChange {
  readonly price: Price;
  /** The order type that it has once it triggers; unset: as before. */
  readonly type?: OrderType;
  /** Without it nothing moves: `protection-order-missing`. */
  readonly order?: OrderRef;
}

export interface Legs<T> {
  readonly stopLoss?: T;
  readonly takeProfit?: T;
}

export interface PartialCloseTerms {
  readonly type: OrderType;
  /** Less than the position's. */
  readonly quantity: Quantity;
  /** Limit closes only, USDT. */
  readonly price?: Price;
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
  /** A new instrument, or other rules for a listed one from now on. */
  list(listing: Listing): void;
  /** Matches accepted orders that wait for their first match, at the present price. */
  settle(symbol?: string): void;
  /** Whether any order waits or rests, or any position is open, on the symbol. */
  isActive(symbol: string): boolean;

  /** Accepted orders wait for `settle`: fills are asynchronous. Checks in the order of design part 8. */
  place(command: PlaceCommand): Answer<ExchangeOrder>;
  cancel(ref: OrderRef): Answer<ExchangeOrder>;
  /** A resting order without a fill gets both at once; it keeps its id and loses its place in time. */
  amend(
    ref: OrderRef,
    to: { readonly price: Price; readonly quantity: Quantity },
  ): Answer<ExchangeOrder>;
  /** Fills so much of an order now, at its own or the present price: liquidity given by hand. */
  fillPart(ref: OrderRef, quantity: Quantity): Answer<ExchangeOrder>;
  /** No new positions on the symbol from now on; what reduces is accepted. */
  setDelisting(symbol: string, delisting: boolean): void;
  /** INR per USDT from now on. */
  setHedgeRate(rate: Ratio): void;
  hedgeRate(currency: Currency): Ratio;
  /**
   * Holds the user-and-asset lock of 423: while held, what acts on the symbol's orders and positions
   * answers `locked`. Without a currency: both.
   */
  setLocked(symbol: string, locked: boolean, currency?: Currency): void;
  /** An accepted order is not taken after all, for `reason`: the asynchronous refusal after a 202. */
  refuse(ref: OrderRef, reason: string): Answer<ExchangeOrder>;
  /** The id counts as used from now on, though no order has it (client_order_id rule 4). */
  burn(clientOrderId: string): void;
  /** As if it had never been set. */
  unsetLeverage(symbol: string, currency: Currency): void;

  /** New stop and target orders on an open position. All or nothing. */
  protect(positionId: string, legs: Legs<LegTerms>): Answer<ExchangePosition>;
  /** Moves the trigger of orders that `protect` or an entry made. All or nothing. */
  moveProtection(positionId: string, legs: Legs<LegChange>): Answer<ExchangePosition>;
  /** Above 0 adds from the free balance, below 0 gives back; in the position's currency. */
  adjustMargin(positionId: string, change: Amount): Answer<ExchangePosition>;
  closePartially(positionId: string, terms: PartialCloseTerms): Answer<ExchangeOrder>;
  /** A market order over the whole position; fills asynchronously like any. */
  close(positionId: string): Answer<ExchangeOrder>;
  /** A market order over twice the position: closes it and opens as much on the other side. */
  reverse(positionId: string): Answer<ExchangeOrder>;
  /** USDT, unrounded: where it would be liquidated with so much more margin (position's currency). */
  liquidationPriceWith(positionId: string, extraMargin: Amount): Answer<Decimal>;
  /** Whether any remembered order initiated or traded on this position. */
  knowsPosition(positionId: string): boolean;

  /** Spot to futures or back; instant, without fee. */
  transfer(
    currency: Currency,
    direction: TransferReport['direction'],
    amount: Amount,
  ): Answer<TransferReport>;
  /** Newest first. */
  transfers(currency: Currency): readonly TransferReport[];
  /** Newest first. */
  fees(currency: Currency): readonly FeeReport[];

  leverage(symbol: string, currency: Currency): Ratio | undefined;
  setLeverage(symbol: string, currency: Currency, leverage: Ratio): Answer<Ratio>;

  order(ref: OrderRef): ExchangeOrder | undefined;
  /** Newest first, stops and targets among them; so many at most, created by then (ms UTC). */
  openOrders(currency: Currency, most?: number, untilMs?: number): readonly ExchangeOrder[];
  /** Newest first, bounded likewise; without system-cancelled stops and targets. */
  orderHistory(currency: Currency, most?: number, untilMs?: number): readonly ExchangeOrder[];
  /** Every order that is remembered, oldest first. */
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
