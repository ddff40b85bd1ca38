import type { Candle } from '../../core/candle.js';
import type { Interval } from '../../core/interval.js';
import type { Indicators } from '../../market/indicators/indicators.js';
import type { StrategyContext, StrategyView } from './strategy-context.js';
import type {
  FillView,
  FundingView,
  OrderEndView,
  PositionChange,
  SecondView,
  SyncedCandles,
  TimerView,
} from './views.js';

/**
 * The result of `create`: the strategy's event handlers. All are optional and synchronous; an intent after
 * an `await` ends the strategy. The intents of a hook that throws are discarded, and the error policy
 * counts the throw. Before `onStart` only `onCandle`, `onInterval` and `onCandles` are called, with history:
 * their intents are ignored.
 */
export interface StrategyHooks<State = unknown> {
  /**
   * Closed candles to handle before acting, of the strategy's own interval, or by interval:
   * `{ '1m': 50, '1h': 20 }`. Default 0. The need of fed indicators is added automatically. A number that
   * is not whole, or below 0, keeps the bot from starting.
   */
  readonly warmup?: number | WarmUp;
  /** Before the first candle to act on, at each start of the process. */
  onStart?(view: StrategyView<State>): void;
  /** A closed candle of the strategy's own interval. */
  onCandle?(context: StrategyContext<State>): void;
  /**
   * A closed candle of another interval that `intervals` names. Of those that close together the
   * longest comes first, and `onCandle` last.
   */
  onInterval?(context: StrategyContext<State>, candle: Candle, interval: Interval): void;
  /**
   * With `scope: 'all'`: once per close time, when the candle of every symbol has arrived or is too late
   * (`synced.missing`). Each symbol's `onInterval` and `onCandle` of that time come before it, in the
   * order of the configuration. `context` is that of the first symbol. With another scope the bot does
   * not start.
   */
  onCandles?(context: StrategyContext<State>, synced: SyncedCandles): void;
  /**
   * The venue has sent a closed candle again, with other values. History keeps the first values, in
   * `candles` too: decisions are not revised. Live only.
   */
  onRevision?(context: StrategyContext<State>, candle: Candle): void;
  /**
   * A candle of one second. It may act as `onCandle` may, from the start on; `context.candle` has no
   * values before the first candle has closed (use `warmup: 1`). Without `seconds` or
   * `mark-seconds` in `streams` the bot does not start.
   */
  onSecond?(context: StrategyContext<State>, second: SecondView): void;
  /** A closed minute of mark prices. Without `mark` in `streams` the bot does not start. */
  onMarkCandle?(context: StrategyContext<State>, candle: Candle): void;
  /** One execution of an own order, stops and targets included; `context.position` has it already. */
  onFill?(context: StrategyContext<State>, fill: FillView): void;
  /** An own order has ended; one that was filled comes here after its `onFill`. */
  onOrder?(context: StrategyContext<State>, order: OrderEndView): void;
  /** The believed position has changed: own fills (after `onFill`), a stop, a liquidation, a manual trade. */
  onPosition?(context: StrategyContext<State>, change: PositionChange): void;
  /** A funding rate, when it is first known and when it is read again. Without `funding` in `streams` the bot does not start. */
  onFunding?(context: StrategyContext<State>, funding: FundingView): void;
  /** A timer of `timer(at, key)` has come due. */
  onTimer?(context: StrategyContext<State>, timer: TimerView): void;
  /** At the end of the process, or when its errors end the strategy. It can request nothing. */
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
  /** Creates indicators; those with a feed must be created here, in `create`. */
  readonly indicators: Indicators;
  /** The configured interval: that of `onCandle`. */
  readonly interval: Interval;
  /** The symbols this instance is called for: one, unless `scope` is `all`. */
  readonly symbols: readonly string[];
}
