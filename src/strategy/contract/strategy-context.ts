import type { Candle } from '../../core/candle.js';
import type { Interval } from '../../core/interval.js';
import type { SizeSpec } from '../target/size/size-spec.js';
import type { EnterRequest, LimitRequest, ProtectRequest } from './intent.js';
import type {
  CandleHistory,
  FundingView,
  InstrumentView,
  OrderView,
  PositionView,
} from './views.js';

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
   * has changed nothing, nor has one that handled history. The hook counts as a throw where it leaves
   * NaN, an infinity, a Map, a Set, a function, or more than 65,536 characters of JSON in it.
   */
  readonly state: State;
  /**
   * Requests `onTimer` at the venue time `at`, ms, or soon after; at once where it is past. A key of a
   * symbol has one timer: a later call replaces it. Timers do not outlive the process: set them in
   * `onStart`. @throws RangeError unless `at` is a whole number
   */
  timer(at: number, key: string): void;
  /** Logs a reason, for people; changes nothing. Orders of the same call carry its first 500 characters. */
  explain(text: string): void;
}

/**
 * The argument of the hooks that may act. It is reused from call to call: copy what you keep. Intents
 * take effect when the hook has returned; those of a hook that throws, or that requests more than 100, are
 * discarded. An intent is refused for a symbol that the configuration does not give the strategy, and for
 * a symbol whose price or rules are not known yet.
 */
export interface StrategyContext<State = unknown> extends StrategyView<State> {
  /** The last closed candle of `symbol`: a reused view. Before the first one its values are undefined. */
  readonly candle: Candle;
  /** The symbol of this call: the default of `target`, `exit` and the rest. */
  readonly symbol: string;
  /** The believed position of `symbol`: own fills, and every other change that the venue has reported. */
  readonly position: PositionView;
  /** Own orders on `symbol` that may still trade, oldest first. */
  readonly orders: readonly OrderView[];
  /** The venue's rules for `symbol`. @throws Error while they are not known */
  readonly instrument: InstrumentView;
  /** Wallet with unrealised PnL, in the wallet's currency; undefined until it was read. */
  readonly equity: number | undefined;
  /**
   * Closed candles of `symbol` so far; by default of the strategy's own interval. At one close time a
   * longer interval is available before a shorter one, and none before it has closed.
   * @throws RangeError for an interval that `intervals` does not name
   */
  candles(interval?: Interval): CandleHistory;
  /** The context of another symbol of this instance. @throws RangeError for any other symbol */
  of(symbol: string): StrategyContext<State>;
  /** The next funding; undefined without `funding` in `streams`, and until the venue has reported it. */
  readonly funding: FundingView | undefined;
  /**
   * Base units of a size now, on the quantity step: for `enter`, `limit`, `targetQuantity`.
   * undefined while a price, the rules, the equity, the stop or the candles that it needs are not known.
   * @throws RangeError unless the size has exactly one measure, with a number above 0
   */
  quantityOf(size: SizeSpec): number | undefined;

  /**
   * Sets the target to `conviction` (−1 … 1) of the configured size; 0 is flat. It lasts until changed:
   * the same conviction again requests nothing new, so that a stop that fired is not traded against.
   * Refused: a conviction that is NaN or outside −1 … 1, and a size that needs an equity, a stop or
   * candles that are not known.
   */
  target(conviction: number, symbol?: string): void;
  /**
   * Sets the target to a signed quantity in base units, rounded toward zero onto the step; 0 is flat. It
   * lasts as a `target` does. Refused: NaN, and a quantity outside ±1e15.
   */
  targetQuantity(quantity: number, symbol?: string): void;
  /**
   * Opens a position on one side. Where there is one, it does nothing; after a stop it enters again.
   * Refused: see {@link EnterRequest}.
   */
  enter(request: EnterRequest): void;
  /** Sets the target to flat, and cancels a resting entry. */
  exit(symbol?: string): void;
  /**
   * Places a resting order. Against the position it only reduces. The next target, enter or exit that
   * needs an order cancels it first. Refused: see {@link LimitRequest}.
   */
  limit(request: LimitRequest): void;
  /** Cancels an own order by the key of `orders`. Refused: a key of no order that may still trade. */
  cancel(orderKey: number): void;
  /**
   * Moves or sets the stop or the target of the open position at the venue. The newest target
   * counts. A stop only tightens: a price farther from the market than the stop in force changes nothing.
   * The venue triggers both, so that they work while the bot is down. Refused: without a position, and as
   * {@link ProtectRequest} says.
   */
  protect(request: ProtectRequest): void;
}
