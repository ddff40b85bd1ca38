import type { Observable, SchedulerLike } from 'rxjs';
import type { z } from 'zod';
import type { Candle, CandlePrice } from '../core/candle.js';
import type { Interval } from '../core/interval.js';
import type { Indicators } from '../market/indicators/indicators.js';
import type { EnterWish, Intent, LimitWish, ProtectWish } from './intent.js';
import type { SizeWish } from './size/size-wish.js';
import type {
  CandleHistory,
  CandleRound,
  FillView,
  FundingView,
  InstrumentView,
  OrderEndView,
  OrderView,
  PositionChange,
  PositionView,
  SecondView,
  TickerView,
  TimerView,
  WalletView,
} from './views.js';

export type { Indicators };

/**
 * Market data beside candles and tickers. A strategy gets those that its definition names:
 * - `seconds`: one-second candles of trades, about one a second while there are trades. Only `close`
 *   is sure to be of that second: a venue was seen to send the running minute (supplement, part 1)
 * - `mark-seconds`: one-second candles of mark prices, for the seconds in which they changed
 * - `mark`: closed one-minute candles of mark prices
 * - `funding`: the rate of the next settlement, when it is first known and when it is read again
 *
 * Each is heard once and in order of open time; a late or repeated one is dropped. Gaps are normal and
 * are not filled: a missed second says nothing that the next one does not. `sluice backtest` has
 * `funding` alone, with `--funding`, and refuses a strategy that names another.
 */
export type MarketStream = 'seconds' | 'mark' | 'mark-seconds' | 'funding';
export const MARKET_STREAMS: readonly MarketStream[] = [
  'seconds',
  'mark',
  'mark-seconds',
  'funding',
];

/**
 * Durable state of one instance: a plain object of JSON values. It is journaled together with the
 * decision of the same step, so that after a crash it is exactly as the decision left it.
 */
export interface StateDefinition<State> {
  /** A whole number from 1. Raise it when the shape changes. */
  readonly version: number;
  /** The state of an instance that has kept nothing: a plain object of JSON values. */
  initial(): State;
  /**
   * Checks the kept state, after `migrate`. Where it does not fit, the strategy does not begin, and its
   * position is treated by `on_error`. Default: no check.
   */
  readonly schema?: z.ZodType<State>;
  /**
   * Turns the state that version `from` kept into state of this version. Where it throws, or where it is
   * absent and the version is another, the strategy does not begin.
   */
  migrate?(old: unknown, from: number): State;
}

/** The argument of the hooks that may not act: `onStart` and `onStop`. */
export interface StrategyView<State = unknown> {
  /** The symbols of this instance: one, unless `scope` is `all`. */
  readonly symbols: readonly string[];
  /** The configured interval: that of `onCandle`. */
  readonly interval: Interval;
  /** Now, venue ms. */
  readonly time: number;
  /**
   * Durable state; undefined without `state` in the definition. Change it in place. A hook that throws
   * has changed nothing, nor has one that was shown history. The hook counts as a throw where it leaves
   * NaN, an infinity, a Map, a Set, a function, or more than 65,536 characters of JSON in it.
   */
  readonly state: State;
  /**
   * Asks for `onTimer` at the venue time `at`, ms, or soon after; at once where it is past. A key of a
   * symbol has one timer: a later call takes its place. Timers do not outlive the process: set them in
   * `onStart`. @throws RangeError unless `at` is a whole number
   */
  timer(at: number, key: string): void;
  /** Tells people why; changes nothing. Orders of the same call carry the first 500 characters. */
  explain(text: string): void;
}

/**
 * The argument of the hooks that may act. It is reused from call to call: copy what you keep. Intents
 * take effect when the hook has returned; a hook that throws has asked for nothing, as has one that asks
 * for more than 100 intents. Each intent is refused for a symbol that the configuration does not give the
 * strategy, and for a symbol of which no price or no rules are known yet.
 */
export interface StrategyContext<State = unknown> extends StrategyView<State> {
  /** The last closed candle of `symbol`: a reused view. Before the first one its values are undefined. */
  readonly candle: Candle;
  /** The symbol that this call is about: `target`, `exit` and the rest mean it unless told another. */
  readonly symbol: string;
  /** The believed position of `symbol`: own fills, and every other change that the venue has told. */
  readonly position: PositionView;
  /** Own orders on `symbol` that may still trade, oldest first. */
  readonly orders: readonly OrderView[];
  /** The venue's rules for `symbol`. @throws Error while they are not known */
  readonly instrument: InstrumentView;
  /** Wallet with unrealised PnL, in the wallet's currency; undefined until it was read. */
  readonly equity: number | undefined;
  /**
   * Closed candles of `symbol` so far; of the strategy's own interval unless told. At one close time a
   * longer interval is there before a shorter one, and none before it has closed.
   * @throws RangeError for an interval that `intervals` does not name
   */
  candles(interval?: Interval): CandleHistory;
  /** The context of another symbol of this instance. @throws RangeError for a symbol that it has not */
  of(symbol: string): StrategyContext<State>;
  /** The next funding; undefined without `funding` in `streams`, and until the venue has told it. */
  readonly funding: FundingView | undefined;
  /**
   * Base units that a size comes to now, on the quantity step: for `enter`, `limit`, `targetQuantity`.
   * undefined while a price, the rules, the equity, the stop or the candles that it needs are not known.
   * @throws RangeError unless the size says exactly one thing, with a number above 0
   */
  quantityOf(size: SizeWish): number | undefined;

  /**
   * Wants `conviction` (−1 … 1) of the configured size; 0 is flat. It stands until changed: the same
   * conviction again asks for nothing new, so that a stop that fired is not traded against.
   * Refused: a conviction that is NaN or outside −1 … 1, and a size that needs an equity, a stop or
   * candles that are not known.
   */
  target(conviction: number, symbol?: string): void;
  /**
   * Wants a signed quantity in base units, rounded toward zero onto the step; 0 is flat. It stands as a
   * `target` does. Refused: NaN, and a quantity outside ±1e15.
   */
  targetQuantity(quantity: number, symbol?: string): void;
  /**
   * Wants a position on one side. Where there is one, it asks for nothing; after a stop it enters again.
   * Refused: see {@link EnterWish}.
   */
  enter(wish: EnterWish): void;
  /** Wants to be flat, and cancels an entry that rests. */
  exit(symbol?: string): void;
  /**
   * A resting order. Against the position it only reduces. The next target, enter or exit that needs
   * an order cancels it first. Refused: see {@link LimitWish}.
   */
  limit(wish: LimitWish): void;
  /** Cancels an own order by the key of `orders`. Refused: a key of no order that may still trade. */
  cancel(orderKey: number): void;
  /**
   * Moves the stop or the target of the open position at the venue, or sets one. The newest price of
   * each counts; the venue triggers it, so that it holds while the bot is down. Refused: without a
   * position, and as {@link ProtectWish} says.
   */
  protect(wish: ProtectWish): void;
}

/**
 * The result of `create`: the functions that are called. All are optional and synchronous; an intent
 * after an `await` ends the strategy. A hook that throws has asked for nothing, and the error policy
 * counts it. Before `onStart` only `onCandle`, `onInterval` and `onCandles` are called, with history: their
 * intents are not taken.
 */
export interface StrategyHooks<State = unknown> {
  /**
   * Closed candles to see before acting, of the strategy's own interval, or by interval:
   * `{ '1m': 50, '1h': 20 }`. Default 0. The need of fed indicators is added by itself. A number that is
   * not whole, or below 0, keeps the bot from starting.
   */
  readonly warmup?: number | WarmUp;
  /** Before the first candle to act on, at each start of the process. */
  onStart?(view: StrategyView<State>): void;
  /** A closed candle of the strategy's own interval. Synchronous, as every hook. */
  onCandle?(context: StrategyContext<State>): void;
  /**
   * A closed candle of another interval that `intervals` names. Of those that close together the
   * longest comes first, and `onCandle` last.
   */
  onInterval?(context: StrategyContext<State>, candle: Candle, interval: Interval): void;
  /**
   * With `scope: 'all'`: once per close time, when the candle of every symbol has come, or when those
   * that have not are too late (`round.missing`). Each symbol's `onInterval` and `onCandle` of that
   * time come before it, in the order of the configuration. `context` is that of the first symbol. With
   * another scope the bot does not start.
   */
  onCandles?(context: StrategyContext<State>, round: CandleRound): void;
  /**
   * The venue has sent a closed candle once more, with other values. History stays as it was seen, in
   * `candles` too: decisions are not taken back. Live only.
   */
  onRevision?(context: StrategyContext<State>, candle: Candle): void;
  /**
   * A candle of one second. It may act as `onCandle` may, from the start on; `context.candle` has no
   * values before the first candle has closed (`warmup: 1` sees to it). Without `seconds` or
   * `mark-seconds` in `streams` the bot does not start.
   */
  onSecond?(context: StrategyContext<State>, second: SecondView): void;
  /** A closed minute of mark prices. Without `mark` in `streams` the bot does not start. */
  onMarkCandle?(context: StrategyContext<State>, candle: Candle): void;
  /** One execution of an own order, stops and targets among them; `context.position` has it already. */
  onFill?(context: StrategyContext<State>, fill: FillView): void;
  /** An own order has ended; one that was filled comes here after its `onFill`. */
  onOrder?(context: StrategyContext<State>, order: OrderEndView): void;
  /** The believed position has changed: own fills (after `onFill`), a stop, a liquidation, a person. */
  onPosition?(context: StrategyContext<State>, change: PositionChange): void;
  /** A funding rate, when it is first known and when it is read again. Without `funding` in `streams` the bot does not start. */
  onFunding?(context: StrategyContext<State>, funding: FundingView): void;
  /** A timer of `timer(at, key)` has come due. */
  onTimer?(context: StrategyContext<State>, timer: TimerView): void;
  /** At the end of the process, or when its errors end the strategy. It can ask for nothing. */
  onStop?(view: StrategyView<State>): void;
}

/** Closed candles by interval. */
export type WarmUp = Readonly<Partial<Record<Interval, number>>>;

/** The argument of `create`. */
export interface CallbackSetup<Params, State = unknown> {
  /** Checked by `params` of the definition, defaults filled in. */
  readonly params: Params;
  /** The object that `context.state` is. */
  readonly state: State;
  /** Makes indicators; those with a feed must be made here, in `create`. */
  readonly indicators: Indicators;
  /** The configured interval: that of `onCandle`. */
  readonly interval: Interval;
  /** The symbols this instance is called for: one, unless `scope` is `all`. */
  readonly symbols: readonly string[];
}

/**
 * The argument of `intents`: the world as streams. An intent that the returned Observable emits while one
 * of these emits belongs to that step. A later intent is refused and stops the strategy, so that time
 * operators take `scheduler`. Every method that takes a symbol throws a RangeError for a symbol that is
 * not configured, except the intents: such an intent is refused. Intents are refused as those of
 * {@link StrategyContext} are.
 */
export interface StreamSetup<Params, State = unknown> {
  /** Checked by `params` of the definition, defaults filled in. */
  readonly params: Params;
  /** As {@link StrategyView.state}. Change it before the intent is emitted. */
  readonly state: State;
  /** Makes indicators; those with a feed must be made before `intents` returns. */
  readonly indicators: Indicators;
  /** Every configured symbol. */
  readonly symbols: readonly string[];
  /** The configured interval: that of `candles$` unless told another. */
  readonly interval: Interval;
  /** Schedules work on venue time. */
  readonly scheduler: SchedulerLike;
  /**
   * Closed candles, each an object of its own; those that close together come longest first.
   * @throws RangeError for an interval that is neither configured nor in `intervals`
   */
  candles$(symbol?: string, interval?: Interval): Observable<Candle>;
  /** Last and mark price, about once a second, live only. Without a symbol: the first one. */
  ticker$(symbol?: string): Observable<TickerView>;
  /** Mark prices, from tickers and, where the definition asks for `mark-seconds`, from those. */
  mark$(symbol?: string): Observable<number>;
  /**
   * Seconds of trades, or of mark prices. An intent on one may be ordered from the start on.
   * @throws RangeError unless `streams` has `seconds`, or `mark-seconds`
   */
  seconds$(symbol?: string, price?: CandlePrice): Observable<SecondView>;
  /** Closed minutes of mark prices. @throws RangeError unless `streams` has `mark` */
  markCandles$(symbol?: string): Observable<Candle>;
  /** The believed position now. */
  position(symbol?: string): PositionView;
  /** Every change of the believed position, own or not. */
  position$(symbol?: string): Observable<PositionView>;
  /** Executions of own orders, stops and targets among them; `position()` has each already. */
  readonly fills$: Observable<FillView>;
  /** Ends of own orders. */
  readonly orders$: Observable<OrderEndView>;
  /** Funding rates. @throws RangeError unless `streams` has `funding` */
  funding$(symbol?: string): Observable<FundingView>;
  /** The futures wallet: before a candle, when equity changed since the candle before. */
  readonly wallet$: Observable<WalletView>;
  /** Tells people why, with the step in which it is said (in a `tap`); changes nothing. */
  explain(text: string): void;
  /** The intent of {@link StrategyContext.target}; this and the next six ask for nothing until emitted. */
  target(symbol: string, conviction: number): Intent;
  /** The intent of {@link StrategyContext.targetQuantity}. */
  targetQuantity(symbol: string, quantity: number): Intent;
  /** The intent of {@link StrategyContext.enter}. */
  enter(symbol: string, wish: EnterWish): Intent;
  /** The intent of {@link StrategyContext.exit}. */
  exit(symbol: string): Intent;
  /** The intent of {@link StrategyContext.limit}. */
  limit(symbol: string, wish: LimitWish): Intent;
  /** The intent of {@link StrategyContext.cancel}; the key is in `orders$`. */
  cancel(orderKey: number): Intent;
  /** The intent of {@link StrategyContext.protect}. */
  protect(symbol: string, wish: ProtectWish): Intent;
}

/** Intervals that depend on parameters. Written as a method, so that a strategy of some parameters is a strategy. */
export type IntervalsOf<Params> = {
  /** Given the checked parameters. */
  of(params: Params): readonly Interval[];
}['of'];

/** The part that both forms have. */
export interface StrategyHead<Schema extends z.ZodType, State> {
  /** Kebab-case; the name of a shipped strategy in `--strategy` and `use:`. Refused: an empty one. */
  readonly name: string;
  /** One line for lists. */
  readonly description?: string;
  /**
   * A zod schema; anything else is refused when the file is loaded. A value that does not fit, and a
   * name that is not in it, is an error with its line in the configuration. Give every parameter a default.
   */
  readonly params: Schema;
  /**
   * Intervals beside the configured one that `candles`, `onInterval` or `candles$` are asked for; fed
   * indicators need no mention here. Default: none. Refused at the start: an interval that cannot be made
   * of one-minute candles, `1s` among them.
   */
  readonly intervals?: readonly Interval[] | IntervalsOf<z.output<Schema>>;
  /** Durable state. Default: none. */
  readonly state?: StateDefinition<State>;
  /**
   * Market data beside candles and tickers, subscribed only for strategies that name it. Default: none.
   * Refused when the file is loaded: any other name.
   */
  readonly streams?: readonly MarketStream[];
}

/** The callback form. */
export interface CallbackStrategy<
  Schema extends z.ZodType = z.ZodType,
  State = unknown,
> extends StrategyHead<Schema, State> {
  /**
   * `symbol` (default): `create` is called once per configured symbol, so that indicators never mix
   * two markets. `all`: one instance sees every symbol (`context.symbol` tells which).
   */
  readonly scope?: 'symbol' | 'all';
  /**
   * Makes one instance: keep all state in it. A throw keeps the bot from starting, or from reloading. A
   * definition has either `create` or `intents`: one with both, or neither, is refused.
   */
  create(setup: CallbackSetup<z.output<Schema>, State>): StrategyHooks<State>;
}

/** The stream form: one instance for all symbols. */
export interface StreamStrategy<
  Schema extends z.ZodType = z.ZodType,
  State = unknown,
> extends StrategyHead<Schema, State> {
  /** Closed candles to see before acting, as `StrategyHooks.warmup`; default 0. */
  warmup?(params: z.output<Schema>): number | WarmUp;
  /** Makes the stream of intents, subscribed to once. A throw or a completion stops the strategy. */
  intents(setup: StreamSetup<z.output<Schema>, State>): Observable<Intent>;
}

/** A strategy of either form. */
export type StrategyDefinition<Schema extends z.ZodType = z.ZodType> =
  CallbackStrategy<Schema> | StreamStrategy<Schema>;

/** Gives a strategy in the callback form its types; returns it as it is. */
export function defineStrategy<Schema extends z.ZodType, State = unknown>(
  definition: CallbackStrategy<Schema, State>,
): CallbackStrategy<Schema, State>;
/** Gives a strategy in the stream form its types; returns it as it is. */
export function defineStrategy<Schema extends z.ZodType, State = unknown>(
  definition: StreamStrategy<Schema, State>,
): StreamStrategy<Schema, State>;
export function defineStrategy(definition: StrategyDefinition): StrategyDefinition {
  return definition;
}

export const isStreamForm = (definition: StrategyDefinition): definition is StreamStrategy =>
  'intents' in definition;
