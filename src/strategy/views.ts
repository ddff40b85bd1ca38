import type { Candle, CandlePrice } from '../core/candle.js';
import type { Currency } from '../core/currency.js';
import type { Interval } from '../core/interval.js';
import type { OrderType, Side } from '../core/order.js';

/** What strategies read: numbers for models, not for books. */

/** The believed position. */
export interface PositionView {
  /** Base units; above 0 is long, below 0 short, 0 flat. */
  readonly quantity: number;
  /** Average entry in USDT; undefined while flat or not known. */
  readonly entryPrice: number | undefined;
}

/** The rules of an instrument, as numbers (units as in core/instrument.ts). */
export interface InstrumentView {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quantityStep: number;
  readonly minQuantity: number;
  readonly maxQuantity: number;
  readonly maxMarketQuantity: number;
  readonly priceStep: number;
  readonly minPrice: number;
  readonly maxPrice: number;
  readonly minNotional: number;
}

/** An own order that may still trade. */
export interface OrderView {
  /** For `cancel`. */
  readonly key: number;
  readonly side: Side;
  readonly type: OrderType;
  readonly reduceOnly: boolean;
  /** Base units not yet filled. */
  readonly remaining: number;
  /** USDT; limit orders only. */
  readonly price: number | undefined;
}

/** One execution of an own order. */
export interface FillView {
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: number;
  readonly price: number;
  readonly orderKey: number;
  /** Venue ms. */
  readonly time: number;
}

/** How an own order ended. */
export interface OrderEndView {
  readonly symbol: string;
  readonly orderKey: number;
  readonly side: Side;
  readonly reduceOnly: boolean;
  readonly end: 'filled' | 'canceled' | 'rejected' | 'dropped';
  readonly filledQuantity: number;
  readonly reason: string | undefined;
}

/** One second; volume is 0 for mark prices. An object of its own. */
export interface SecondView extends Candle {
  readonly price: CandlePrice;
}

export interface TickerView {
  readonly symbol: string;
  readonly last: number;
  /** Absent when the venue does not know it. */
  readonly mark: number | undefined;
}

export interface WalletView {
  readonly currency: Currency;
  /** Wallet with unrealised PnL. */
  readonly equity: number;
}

/** The closed candles of one symbol and interval that have been seen so far, the newest last. */
export interface CandleHistory {
  readonly interval: Interval;
  /** At least the warm-up, once that is over; a backtest keeps all since its beginning. */
  readonly length: number;
  /** A reused view: copy what you keep. */
  readonly last: Candle | undefined;
  /** The candle so many before the last (0 is the last): an object of its own. */
  ago(count: number): Candle | undefined;
  /** The last `count` closes, oldest first; fewer while there are fewer. */
  closes(count: number): readonly number[];
}

/** The believed position of a symbol has changed, by own fills or without them. */
export interface PositionChange extends PositionView {
  readonly symbol: string;
  /** Signed base units before it. */
  readonly before: number;
}

/** The funding that is exchanged next. */
export interface FundingView {
  readonly symbol: string;
  /** Of the position's value, as a fraction; above 0 longs pay shorts. */
  readonly rate: number;
  /** Venue ms. */
  readonly nextSettlementMs: number;
}

/** A timer that has come due. */
export interface TimerView {
  readonly key: string;
  /** Venue ms that it was set for; the present may be later. */
  readonly at: number;
}

/** One close time over all symbols of a strategy. */
export interface CandleRound {
  readonly interval: Interval;
  /** Venue ms. */
  readonly closedAt: number;
  /** Symbols whose candle of that time did not come, or came too late for it. */
  readonly missing: readonly string[];
  /** The candle of that time: a reused view, one a symbol. undefined where it is missing. */
  candle(symbol: string): Candle | undefined;
}
