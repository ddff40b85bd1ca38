import type { Observable, SchedulerLike } from 'rxjs';
import type { z } from 'zod';
import type { Candle, CandlePrice } from '../core/candle.js';
import type { Currency } from '../core/currency.js';
import type { Interval } from '../core/interval.js';
import type { OrderType, Side } from '../core/order.js';
import type { Indicators } from '../market/indicators/indicators.js';
import type { EnterWish, Intent, LimitWish } from './intent.js';

export type { Indicators };

/** The believed position. Numbers: for models, not for books. */
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

/**
 * Market data beside candles and tickers; a strategy gets what its definition names, live only:
 * - `seconds`: one-second candles of trades, about one a second while there are trades. Only `close`
 *   is sure to be of that second: a venue was seen to send the running minute (supplement, part 1)
 * - `mark-seconds`: one-second candles of mark prices, for the seconds in which they changed
 * - `mark`: closed one-minute candles of mark prices
 *
 * Each is heard once and in order of open time; what comes late or again is dropped. Gaps are normal
 * and are not filled: a second that was missed says nothing that the next one does not.
 */
export const MARKET_STREAMS = ['seconds', 'mark', 'mark-seconds'] as const;
export type MarketStream = (typeof MARKET_STREAMS)[number];

/** One second; volume is 0 for mark prices. An object of its own. */
export interface SecondView extends Candle {
  readonly price: CandlePrice;
}

/** What a hook sees that may not act: start and stop. */
export interface StrategyView {
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Venue ms. */
  readonly time: number;
  /** Tells people why; changes nothing. */
  explain(text: string): void;
}

/**
 * What a hook sees and may ask for. Reused from call to call: copy what you keep. What is asked for
 * takes effect when the hook has returned; a hook that throws has asked for nothing.
 */
export interface StrategyContext extends StrategyView {
  /** The last closed candle of `symbol`: a reused view. */
  readonly candle: Candle;
  readonly symbol: string;
  readonly position: PositionView;
  readonly orders: readonly OrderView[];
  readonly instrument: InstrumentView;
  /** Wallet with unrealised PnL, in the wallet's currency; undefined until it was read. */
  readonly equity: number | undefined;

  /**
   * Wants `conviction` (−1 … 1) of the configured size; 0 is flat. Stands until changed: the same
   * conviction again asks for nothing new, so that a stop that fired is not traded against.
   */
  target(conviction: number, symbol?: string): void;
  /** Wants a signed quantity in base units; rounded toward zero onto the step. */
  targetQuantity(quantity: number, symbol?: string): void;
  /** Wants a position on one side unless there already is one: after a stop it enters again. */
  enter(wish: EnterWish): void;
  /** Wants to be flat. */
  exit(symbol?: string): void;
  /**
   * A resting order. Against the position it only reduces. The next target, enter or exit that needs
   * an order cancels it first.
   */
  limit(wish: LimitWish): void;
  cancel(orderKey: number): void;
}

export interface StrategyHooks {
  /** Closed candles to see before acting; default 0. */
  readonly warmup?: number;
  onStart?(view: StrategyView): void;
  /** Synchronous, closed candles only. */
  onCandle(context: StrategyContext): void;
  /**
   * With `seconds` or `mark-seconds` in `streams`. May act as `onCandle` may, from the start on;
   * `context.candle` has no values before the first candle has closed (`warmup: 1` sees to it).
   */
  onSecond?(context: StrategyContext, second: SecondView): void;
  /** With `mark` in `streams`: a closed minute of mark prices. As above. */
  onMarkCandle?(context: StrategyContext, candle: Candle): void;
  onFill?(context: StrategyContext, fill: FillView): void;
  onOrder?(context: StrategyContext, order: OrderEndView): void;
  onStop?(view: StrategyView): void;
}

export interface CallbackSetup<Params> {
  readonly params: Params;
  readonly indicators: Indicators;
  readonly interval: Interval;
  /** The symbols this instance is called for: one, unless `scope` is `all`. */
  readonly symbols: readonly string[];
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

/**
 * The world as streams. What the returned Observable emits while one of these emits belongs to that
 * step; anything later is refused and stops the strategy, so time operators take `scheduler`.
 */
export interface StreamSetup<Params> {
  readonly params: Params;
  readonly indicators: Indicators;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Venue time. */
  readonly scheduler: SchedulerLike;
  /** Closed candles, each an object of its own. @throws RangeError for what is not configured */
  candles$(symbol?: string, interval?: Interval): Observable<Candle>;
  ticker$(symbol?: string): Observable<TickerView>;
  /** Mark prices, from tickers and, where the definition asks for `mark-seconds`, from those. */
  mark$(symbol?: string): Observable<number>;
  /**
   * Seconds of trades, or of mark prices. What is emitted on one may be ordered from the start on.
   * @throws RangeError unless `streams` has `seconds`, or `mark-seconds`
   */
  seconds$(symbol?: string, price?: CandlePrice): Observable<SecondView>;
  /** Closed minutes of mark prices. @throws RangeError unless `streams` has `mark` */
  markCandles$(symbol?: string): Observable<Candle>;
  /** The believed position now. */
  position(symbol?: string): PositionView;
  /** Every change of the believed position, own or not. */
  position$(symbol?: string): Observable<PositionView>;
  readonly fills$: Observable<FillView>;
  /** Ends of own orders. */
  readonly orders$: Observable<OrderEndView>;
  /** Before a candle, when equity changed since the one before. */
  readonly wallet$: Observable<WalletView>;
  target(symbol: string, conviction: number): Intent;
  targetQuantity(symbol: string, quantity: number): Intent;
  enter(symbol: string, wish: EnterWish): Intent;
  exit(symbol: string): Intent;
  limit(symbol: string, wish: LimitWish): Intent;
  cancel(orderKey: number): Intent;
}

interface StrategyHead<Schema extends z.ZodType> {
  /** Kebab-case; what `--strategy` and `use:` call a shipped one. */
  readonly name: string;
  /** One line for lists. */
  readonly description?: string;
  readonly params: Schema;
  /** Market data beside candles and tickers, subscribed only for those who ask. Default: none. */
  readonly streams?: readonly MarketStream[];
}

/** The callback form. */
export interface CallbackStrategy<
  Schema extends z.ZodType = z.ZodType,
> extends StrategyHead<Schema> {
  /**
   * `symbol` (default): `create` is called once per configured symbol, so that indicators never mix
   * two markets. `all`: one instance sees every symbol (`context.symbol` tells which).
   */
  readonly scope?: 'symbol' | 'all';
  create(setup: CallbackSetup<z.output<Schema>>): StrategyHooks;
}

/** The stream form: one instance for all symbols. */
export interface StreamStrategy<Schema extends z.ZodType = z.ZodType> extends StrategyHead<Schema> {
  /** Closed candles to see before acting; default 0. */
  warmup?(params: z.output<Schema>): number;
  intents(setup: StreamSetup<z.output<Schema>>): Observable<Intent>;
}

export type StrategyDefinition<Schema extends z.ZodType = z.ZodType> =
  CallbackStrategy<Schema> | StreamStrategy<Schema>;

/** Gives a strategy its types; returns it as it is. */
export function defineStrategy<Schema extends z.ZodType>(
  definition: CallbackStrategy<Schema>,
): CallbackStrategy<Schema>;
export function defineStrategy<Schema extends z.ZodType>(
  definition: StreamStrategy<Schema>,
): StreamStrategy<Schema>;
export function defineStrategy(definition: StrategyDefinition): StrategyDefinition {
  return definition;
}

export const isStreamForm = (definition: StrategyDefinition): definition is StreamStrategy =>
  'intents' in definition;
