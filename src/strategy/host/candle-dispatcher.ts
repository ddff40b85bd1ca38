import { assert } from '../../core/assert.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import type { ExitManager } from '../target/exit-manager.js';
import type { TargetTracker } from '../target/target-tracker.js';
import type { VolatilityTracker } from '../target/size/volatility.js';
import type { HookInvoker } from './hook-invoker.js';
import type { StrategyLifecycle } from './strategy-lifecycle.js';
import { seriesOf, type ProcessedCandles } from './processed-candles.js';
import type { DecisionContext } from './decision-context.js';
import type { SerialExecutor } from './serial-executor.js';
import type { CandleReceiver, HostObserver, StrategyHost } from './strategy-host.js';

export interface CandleDispatcherParts {
  readonly host: StrategyHost;
  readonly executor: SerialExecutor;
  readonly lifecycle: StrategyLifecycle;
  readonly decisionContext: DecisionContext;
  readonly invoker: HookInvoker;
  readonly exitManager: ExitManager;
  /** Only of a strategy with durable state. */
  readonly processed: ProcessedCandles | undefined;
  /** Only where sizes need it. */
  readonly volatility: VolatilityTracker | undefined;
  readonly observer: HostObserver | undefined;
}

/** Dispatches the closed candles of one symbol to a strategy, and maintains its orders at each. */
export class CandleDispatcher implements CandleReceiver {
  // Fields, not parts: this is the hot path of a backtest.
  readonly #symbol: string;
  /** The strategy's own. */
  readonly #interval: Interval;
  readonly #tracker: TargetTracker | undefined;
  readonly #host: StrategyHost;
  readonly #executor: SerialExecutor;
  readonly #lifecycle: StrategyLifecycle;
  readonly #decisionContext: DecisionContext;
  readonly #invoker: HookInvoker;
  readonly #exitManager: ExitManager;
  readonly #processed: ProcessedCandles | undefined;
  readonly #volatility: VolatilityTracker | undefined;
  readonly #observer: HostObserver | undefined;

  constructor(symbol: string, tracker: TargetTracker | undefined, parts: CandleDispatcherParts) {
    this.#symbol = symbol;
    this.#interval = parts.host.interval;
    this.#tracker = tracker;
    this.#host = parts.host;
    this.#executor = parts.executor;
    this.#lifecycle = parts.lifecycle;
    this.#decisionContext = parts.decisionContext;
    this.#invoker = parts.invoker;
    this.#exitManager = parts.exitManager;
    this.#processed = parts.processed;
    this.#volatility = parts.volatility;
    this.#observer = parts.observer;
  }

  onCandle(interval: Interval, columns: CandleColumns, index: number, live: boolean): void {
    if (interval === this.#interval) this.#onOwn(columns, index, live);
    else if (this.#host.intervals.includes(interval)) this.#onOther(interval, columns, index, live);
  }

  #onOwn(columns: CandleColumns, index: number, isLiveCandle: boolean): void {
    const interval = this.#interval;
    const symbol = this.#symbol;
    const lifecycle = this.#lifecycle;
    const tracker = this.#tracker;
    const { isRunning } = lifecycle;
    if (this.#observer !== undefined)
      this.#notifyObserver(this.#observer, columns, index, isLiveCandle);
    this.#executor.begin();
    const isLive = isLiveCandle && lifecycle.isStarted;
    lifecycle.isLive = isLive && this.#isNew(interval, columns, index);
    this.#decisionContext.setCandle(symbol, interval, columns, index);
    if (isLive && tracker?.isPostponed === true) tracker.retryPostponed();
    if (isRunning) {
      this.#volatility?.onCandle(symbol, columns, index);
      this.#invoker.invokeCandle('onCandle', symbol, interval, columns, index);
    }
    if (isLive) this.#maintainOrders(columns, index);
    this.#executor.end();
    if (isRunning) this.#observer?.onCandleHandled(this.#host);
  }

  #onOther(interval: Interval, columns: CandleColumns, index: number, live: boolean): void {
    const symbol = this.#symbol;
    const lifecycle = this.#lifecycle;
    this.#executor.begin();
    lifecycle.isLive = live && lifecycle.isStarted && this.#isNew(interval, columns, index);
    this.#decisionContext.setCandle(symbol, interval, columns, index);
    if (lifecycle.isRunning)
      this.#invoker.invokeCandle('onInterval', symbol, interval, columns, index);
    this.#executor.end();
  }

  #notifyObserver(
    observer: HostObserver,
    columns: CandleColumns,
    index: number,
    isLive: boolean,
  ): void {
    const openTime = columns.openTime[index];
    assert(openTime !== undefined, 'A candle has its row');
    const { isStarted } = this.#lifecycle;
    const candle = { symbol: this.#symbol, openTime, candleCount: index + 1, isLive, isStarted };
    observer.onCandle(this.#host, candle);
  }

  /** No previous run has decided on the candle. */
  #isNew(interval: Interval, columns: CandleColumns, index: number): boolean {
    if (this.#processed === undefined) return true;
    return this.#processed.markProcessed(
      seriesOf(this.#symbol, interval),
      columns.openTime[index] as number,
    );
  }

  /** Retries waiting orders, and applies exits that the venue does not offer. */
  #maintainOrders(columns: CandleColumns, index: number): void {
    const tracker = this.#tracker;
    const { managesTargets, isTrading } = this.#lifecycle;
    if (tracker === undefined || !managesTargets) return;
    if (tracker.needsRetry) tracker.retry(this.#decisionContext);
    if (this.#exitManager.isIdle || !isTrading) return;
    const [high, low, close] = [columns.high[index], columns.low[index], columns.close[index]];
    if (high === undefined || low === undefined || close === undefined) return;
    this.#exitManager.onCandle(tracker, { high, low, close }, this.#decisionContext);
  }
}
