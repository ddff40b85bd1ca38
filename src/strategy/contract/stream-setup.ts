import type { Observable, SchedulerLike } from 'rxjs';
import type { Candle, CandlePrice } from '../../core/candle.js';
import type { Interval } from '../../core/interval.js';
import type { Indicators } from '../../market/indicators/indicators.js';
import type { EnterRequest, Intent, LimitRequest, ProtectRequest } from './intent.js';
import type {
  FillView,
  FundingView,
  OrderEndView,
  PositionView,
  SecondView,
  TickerView,
  WalletView,
} from './views.js';

/**
 * The argument of `intents`: market and account as streams. An intent that the returned Observable emits
 * while one of these emits belongs to that event. A later intent is refused and stops the strategy, so that
 * time operators need `scheduler`. Every method that takes a symbol throws a RangeError for a symbol that
 * is not configured, except the intents: such an intent is refused. Intents are refused as those of
 * {@link StrategyContext} are.
 */
export interface StreamSetup<Params, State = unknown> {
  /** Checked by `params` of the definition, defaults filled in. */
  readonly params: Params;
  /** As {@link StrategyView.state}. Change it before the intent is emitted. */
  readonly state: State;
  /** Creates indicators; those with a feed must be created before `intents` returns. */
  readonly indicators: Indicators;
  /** Every configured symbol. */
  readonly symbols: readonly string[];
  /** The configured interval: the default of `candles$`. */
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
  /** Mark prices, from tickers and, where `streams` has `mark-seconds`, from those. */
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
  /** Executions of own orders, stops and targets included; `position()` has each already. */
  readonly fills$: Observable<FillView>;
  /** Ends of own orders. */
  readonly orders$: Observable<OrderEndView>;
  /** Funding rates. @throws RangeError unless `streams` has `funding` */
  funding$(symbol?: string): Observable<FundingView>;
  /** The futures wallet: before a candle, when equity changed since the candle before. */
  readonly wallet$: Observable<WalletView>;
  /** Logs a reason, for people, with the current event (use it in a `tap`); changes nothing. */
  explain(text: string): void;
  /** The intent of {@link StrategyContext.target}; this and the next six do nothing until emitted. */
  target(symbol: string, conviction: number): Intent;
  /** The intent of {@link StrategyContext.targetQuantity}. */
  targetQuantity(symbol: string, quantity: number): Intent;
  /** The intent of {@link StrategyContext.enter}. */
  enter(symbol: string, request: EnterRequest): Intent;
  /** The intent of {@link StrategyContext.exit}. */
  exit(symbol: string): Intent;
  /** The intent of {@link StrategyContext.limit}. */
  limit(symbol: string, request: LimitRequest): Intent;
  /** The intent of {@link StrategyContext.cancel}; the key is in `orders$`. */
  cancel(orderKey: number): Intent;
  /** The intent of {@link StrategyContext.protect}. */
  protect(symbol: string, request: ProtectRequest): Intent;
}
