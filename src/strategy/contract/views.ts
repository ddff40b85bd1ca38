import type { PositionChangeReason } from '../../core/account.js';
import type { Candle, CandlePrice } from '../../core/candle.js';
import type { Currency } from '../../core/currency.js';
import type { Interval } from '../../core/interval.js';
import type { OrderType, Side } from '../../core/order.js';

// Views hold floating-point numbers, for models; money is computed in fixed point elsewhere.

/** The believed position. */
export interface PositionView {
  /** Base units; above 0 is long, below 0 short, 0 flat. */
  readonly quantity: number;
  /** Average entry in USDT; undefined while flat or not known. */
  readonly entryPrice: number | undefined;
}

/** The venue's rules of an instrument, as numbers. Orders are rounded onto them by the host. */
export interface InstrumentView {
  /** Upper case: BTCUSDT. */
  readonly symbol: string;
  /** The asset that a quantity counts: BTC. */
  readonly baseAsset: string;
  /** Base units that a quantity is a multiple of. */
  readonly quantityStep: number;
  /** Base units: the least that an order may have. */
  readonly minQuantity: number;
  /** Base units: the most that a limit order may have. */
  readonly maxQuantity: number;
  /** Base units: the most that a market order may have. */
  readonly maxMarketQuantity: number;
  /** USDT that a price is a multiple of. */
  readonly priceStep: number;
  /** USDT: the least price of an order. */
  readonly minPrice: number;
  /** USDT: the highest price of an order. */
  readonly maxPrice: number;
  /** USDT: the least value of an order that is not a reduction. */
  readonly minNotional: number;
}

/** An own order that may still trade. */
export interface OrderView {
  /** For `cancel`. */
  readonly key: number;
  /** Its direction. */
  readonly side: Side;
  /** Its type. */
  readonly type: OrderType;
  /** Whether it can only make the position smaller. */
  readonly reduceOnly: boolean;
  /** Base units not yet filled. */
  readonly remaining: number;
  /** USDT; limit orders only. */
  readonly price: number | undefined;
}

/** One execution of an own order. */
export interface FillView {
  /** The symbol that was traded. */
  readonly symbol: string;
  /** Its direction. */
  readonly side: Side;
  /** Base units, above 0. */
  readonly quantity: number;
  /** USDT. */
  readonly price: number;
  /** The key of its order, as in `orders`. */
  readonly orderKey: number;
  /** Venue ms. */
  readonly time: number;
}

/** The end of an own order. */
export interface OrderEndView {
  /** The symbol that it was to trade. */
  readonly symbol: string;
  /** As in `orders`. */
  readonly orderKey: number;
  /** Its direction. */
  readonly side: Side;
  /** Whether it could only make the position smaller. */
  readonly reduceOnly: boolean;
  /** `rejected` by the venue; `dropped`: it never left, or was proved not to have arrived. */
  readonly end: 'filled' | 'canceled' | 'rejected' | 'dropped';
  /** Base units; a filled part stays filled after every end. */
  readonly filledQuantity: number;
  /** Text of the venue or of the engine; undefined where there is none. */
  readonly reason: string | undefined;
}

/** One second; volume is 0 for mark prices. An object of its own. */
export interface SecondView extends Candle {
  /** Price type of its values. */
  readonly price: CandlePrice;
}

/** Latest prices of a symbol. */
export interface TickerView {
  /** The symbol that it concerns. */
  readonly symbol: string;
  /** Price of the last trade, USDT. */
  readonly last: number;
  /** USDT; undefined when the venue does not know it. */
  readonly mark: number | undefined;
}

/** The futures wallet. */
export interface WalletView {
  /** The currency of `equity`. */
  readonly currency: Currency;
  /** Wallet with unrealised PnL, in `currency`. */
  readonly equity: number;
}

/** The closed candles of one symbol and interval so far, the newest last. */
export interface CandleHistory {
  /** The interval of its candles. */
  readonly interval: Interval;
  /** Number of candles: at least the warm-up, once that is over. A backtest has all since its beginning. */
  readonly length: number;
  /** A reused view: copy what you keep. */
  readonly last: Candle | undefined;
  /** The candle `count` before the last (0 is the last): an object of its own; undefined where there is none. */
  ago(count: number): Candle | undefined;
  /** The last `count` closes, oldest first; fewer while there are fewer. */
  closes(count: number): readonly number[];
}

/** The believed position of a symbol has changed, by own fills or without them. */
export interface PositionChange extends PositionView {
  /** The symbol that it concerns. */
  readonly symbol: string;
  /** Signed base units before it. */
  readonly before: number;
  /**
   * The cause: a fill of an own order, the stop or target at the venue, a liquidation, or an external
   * trade. A fill of a stop whose history row has not arrived yet is `external` too.
   */
  readonly reason: 'fill' | PositionChangeReason;
}

/** The funding that is exchanged next. */
export interface FundingView {
  /** The symbol that it concerns. */
  readonly symbol: string;
  /** Fraction of the position's value; above 0 longs pay shorts. */
  readonly rate: number;
  /** Venue ms. */
  readonly nextSettlementMs: number;
}

/** A timer that has come due. */
export interface TimerView {
  /** As given to `timer`. */
  readonly key: string;
  /** Venue ms that it was set for; now may be later. */
  readonly at: number;
}

/** One close time over all symbols of a strategy. */
export interface SyncedCandles {
  /** The strategy's own interval. */
  readonly interval: Interval;
  /** Venue ms. */
  readonly closedAt: number;
  /** Symbols whose candle of that time did not arrive, or arrived too late. */
  readonly missing: readonly string[];
  /** The candle of that time: a reused view per symbol; undefined where it is missing. */
  candle(symbol: string): Candle | undefined;
}
