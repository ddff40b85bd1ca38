import type { Currency } from '../core/currency.js';
import type { Amount, Price, Quantity } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Cause, OrderIntent } from '../core/intent.js';
import type { OrderType, Side } from '../core/order.js';

/** An order of this strategy that may still trade. */
export interface WorkingOrder {
  /** The engine's handle of it. */
  readonly key: number;
  readonly side: Side;
  readonly type: OrderType;
  readonly reduceOnly: boolean;
  /** Not yet filled; above 0. */
  readonly remaining: Quantity;
  readonly price?: Price;
  /** Given up on without proof: never sent again, and may still land. Absent: false. */
  readonly abandoned?: boolean;
}

/** Where a position is to go. */
export interface RoomQuery {
  readonly symbol: string;
  readonly side: Side;
  /** The highest worth of a unit at its fill. */
  readonly price: Price;
  /** The quantity of it that the strategy holds, signed; 0 for an order that comes on top. */
  readonly held: Quantity;
}

/** The most that the limits leave for a position of one side, what is held among it. */
export interface Room {
  /** Base units, not below 0. */
  readonly units: number;
  /** The limit that binds, for people. */
  readonly limit: string;
}

/** How an order of this strategy ended. `dropped`: never sent (too late, stopped, halted). */
export interface OrderEnd {
  readonly key: number;
  readonly intent: OrderIntent;
  readonly end: 'filled' | 'canceled' | 'rejected' | 'dropped';
  readonly filledQuantity: Quantity;
  readonly reason?: string;
  /** It was not sent for a reason that passes. Absent: false. */
  readonly forNow?: boolean;
}

/** `refused-for-now`: for a reason that passes, such as data that is too old. */
export type SubmitResult = 'accepted' | 'refused' | 'refused-for-now';

/** One execution, as far as order reports tell it. */
export interface FillEvent {
  readonly symbol: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly quantity: Quantity;
  readonly price: Price;
  /** Client-side handle of the order. */
  readonly key: number;
  /** Venue ms. */
  readonly time: number;
}

/** An absent one stays as it is. */
export interface ProtectionWish {
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
}

/**
 * The mover of a position that no order of its strategy moved: a person (`hand`, and every doubtful case), or
 * the venue itself by a stop, a target or a liquidation.
 */
export type MovedBy = 'hand' | 'venue';

/** The funding that is exchanged next. */
export interface FundingFact {
  /** Of the position's value; above 0 longs pay. */
  readonly rate: number;
  /** Venue ms. */
  readonly nextSettlementMs: number;
}

/** Durable state as it was last kept: JSON text. */
export interface KeptState {
  readonly version: number;
  readonly value: string;
  /** Candles that are in it (seen-candles.ts). Absent: not known. */
  readonly seen?: Readonly<Record<string, number>>;
}

/** What a host may see and do during a step. The engine implements it, one per strategy. */
export interface StrategyWorld {
  readonly currency: Currency;
  /** Venue ms of the event being handled. */
  readonly venueTime: number;
  /** Monotonic ms of the same. */
  readonly monotonic: number;
  /** Kept state outlives this process: live, and not in a backtest. */
  readonly isDurable: boolean;
  instrument(symbol: string): Instrument | undefined;
  /** Believed position, signed. */
  position(symbol: string): Quantity;
  /** Average entry of the believed position, where known. */
  entryPrice(symbol: string): Price | undefined;
  working(symbol: string): readonly WorkingOrder[];
  /** Wallet balance + locked + unrealised; undefined until the wallet was read. */
  equity(): Amount | undefined;
  /** The room that the risk limits leave; undefined where nothing limits, or too little is known to say. */
  room?(query: RoomQuery): Room | undefined;
  /** Last traded price from ticker or candle, the newer. */
  lastPrice(symbol: string): number | undefined;
  /** undefined until it was told. */
  funding(symbol: string): FundingFact | undefined;
  /** Of this life or one before it; undefined: nothing was kept under the key. */
  kept(key: string): KeptState | undefined;
  /** Durable with whatever else the step makes durable. */
  keep(key: string, state: KeptState): void;
  /** Trigger prices of the open position, at the venue; an absent one stays as it is. */
  protect(symbol: string, prices: ProtectionWish, cause: Cause): void;
  /** To the gate. A refusal has been journaled and explained when this returns. */
  submit(intent: OrderIntent): SubmitResult;
  cancel(key: number): void;
  /** For people: an explanation, a warning. */
  note(level: 'info' | 'warn' | 'error', text: string): void;
  /** Asks for `StrategyHost.timer(key)` at a venue time. */
  timer(venueTime: number, key: string): void;
  /** The same, after monotonic ms. A backtest, in which nothing is late, never fires it. */
  timerAfter(delayMs: number, key: string): void;
}
