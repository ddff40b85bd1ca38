import type { Currency } from '../../core/currency.js';
import type { Amount, Price, Quantity } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { DecisionCause, OrderIntent } from '../../core/intent.js';
import type { OrderType, Side } from '../../core/order.js';

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
  /** Outcome unknown and no longer queried: never sent again, and may still land. Absent: false. */
  readonly abandoned?: boolean;
}

/** The position for which headroom is requested. */
export interface PositionHeadroomQuery {
  readonly symbol: string;
  readonly side: Side;
  /** Highest possible price at the fill. */
  readonly price: Price;
  /** Signed quantity that the strategy holds already; 0 for an order on top of it. */
  readonly held: Quantity;
}

/** Largest position of one side within the risk limits, the held quantity included. */
export interface PositionHeadroom {
  /** Base units, at least 0. */
  readonly units: number;
  /** Name of the binding limit, for people. */
  readonly limit: string;
}

/** How an order of this strategy ended. `dropped`: never sent (too late, stopped, halted). */
export interface OrderEnd {
  readonly key: number;
  readonly intent: OrderIntent;
  readonly end: 'filled' | 'canceled' | 'rejected' | 'dropped';
  readonly filledQuantity: Quantity;
  readonly reason?: string;
  /** It was not sent, for a transient reason. Absent: false. */
  readonly isTransient?: boolean;
}

/** `refused-for-now`: for a transient reason, such as data that is too old. */
export type SubmitResult = 'accepted' | 'refused' | 'refused-for-now';

/** One execution, as derived from order reports. */
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
export interface ProtectionRequest {
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
}

/**
 * Source of a position change that no order of the strategy made: manual trading (`hand`, and every unclear
 * case), or the venue itself by a stop, a target or a liquidation.
 */
export type ExternalChangeSource = 'hand' | 'venue';

/** The funding that is exchanged next. */
export interface NextFunding {
  /** Fraction of the position's value; above 0 longs pay. */
  readonly rate: number;
  /** Venue ms. */
  readonly nextSettlementMs: number;
}

/** Durable state as last persisted: JSON text. */
export interface PersistedState {
  readonly version: number;
  readonly value: string;
  /** Candles already processed in it (`ProcessedCandles`). Absent: not known. */
  readonly seen?: Readonly<Record<string, number>>;
}

/** The host's access to engine state and orders while it handles an event. The engine implements one per strategy. */
export interface StrategyPort {
  readonly currency: Currency;
  /** Venue ms of the event being handled. */
  readonly venueTime: number;
  /** Monotonic ms of the same. */
  readonly monotonic: number;
  /** Persisted state outlives this process: live, and not in a backtest. */
  readonly isDurable: boolean;
  instrument(symbol: string): Instrument | undefined;
  /** Believed position, signed. */
  position(symbol: string): Quantity;
  /** Average entry of the believed position, where known. */
  entryPrice(symbol: string): Price | undefined;
  workingOrders(symbol: string): readonly WorkingOrder[];
  /** Venue ms of the decision behind an order, also of a previous run; undefined: it is not known. */
  decidedAt?(key: number): number | undefined;
  /** Wallet balance + locked + unrealised; undefined until the wallet was read. */
  equity(): Amount | undefined;
  /** Headroom under the risk limits; undefined where none applies, or too little is known. */
  headroom?(query: PositionHeadroomQuery): PositionHeadroom | undefined;
  /** Last traded price from ticker or candle, the newer. */
  lastPrice(symbol: string): number | undefined;
  /** undefined until the venue has reported it. */
  funding(symbol: string): NextFunding | undefined;
  /** State of this run or a previous one; undefined: none under the key. */
  persisted(key: string): PersistedState | undefined;
  /** Durable together with the event's other records. */
  persist(key: string, state: PersistedState): void;
  /** Trigger prices of the open position, at the venue; an absent one stays as it is. */
  protect(symbol: string, prices: ProtectionRequest, cause: DecisionCause): void;
  /** Submits to the risk gate. A refusal has been journaled and logged when this returns. */
  submit(intent: OrderIntent): SubmitResult;
  cancel(key: number): void;
  /** For people: an explanation, a warning. */
  note(level: 'info' | 'warn' | 'error', text: string): void;
  /** Requests `StrategyHost.onTimer(key)` at a venue time. */
  setTimer(venueTime: number, key: string): void;
  /** The same, after monotonic ms. A backtest never fires it, because nothing in it is late. */
  setTimerAfter(delayMs: number, key: string): void;
}
