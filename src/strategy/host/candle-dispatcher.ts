import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import type { ExitManager } from '../target/exit-manager.js';
import type { TargetTracker } from '../target/target-tracker.js';
import type { VolatilityTracker } from '../target/size/volatility.js';
import type { IntentResolver } from '../target/intent-resolver.js';
import type { HookInvoker } from './hook-invoker.js';
import type { StrategyLifecycle } from './strategy-lifecycle.js';
import { seriesOf, type ProcessedCandles } from './processed-candles.js';
import type { DecisionContext } from './decision-context.js';

export interface CandleDispatcherParts {
  /** The strategy's own. */
  readonly interval: Interval;
  readonly lifecycle: StrategyLifecycle;
  readonly decisionContext: DecisionContext;
  readonly invoker: HookInvoker;
  readonly resolver: IntentResolver;
  readonly exitManager: ExitManager;
  /** Only of a strategy with durable state. */
  readonly processed: ProcessedCandles | undefined;
  /** Only where sizes need it. */
  readonly volatility: VolatilityTracker | undefined;
}

/** Dispatches closed candles to a strategy, and maintains its orders at each. */
export class CandleDispatcher {
  // Fields, not parts: this is the hot path of a backtest.
  readonly #interval: Interval;
  readonly #lifecycle: StrategyLifecycle;
  readonly #decisionContext: DecisionContext;
  readonly #invoker: HookInvoker;
  readonly #resolver: IntentResolver;
  readonly #exitManager: ExitManager;
  readonly #processed: ProcessedCandles | undefined;
  readonly #volatility: VolatilityTracker | undefined;
  /** Tracker of the last candle's symbol: most strategies have one symbol. */
  #tracker: TargetTracker | undefined;

  constructor(parts: CandleDispatcherParts) {
    this.#interval = parts.interval;
    this.#lifecycle = parts.lifecycle;
    this.#decisionContext = parts.decisionContext;
    this.#invoker = parts.invoker;
    this.#resolver = parts.resolver;
    this.#exitManager = parts.exitManager;
    this.#processed = parts.processed;
    this.#volatility = parts.volatility;
  }

  onCandle(
    symbol: string,
    interval: Interval,
    columns: CandleColumns,
    index: number,
    isLiveCandle: boolean,
  ): void {
    const own = interval === this.#interval;
    const { isRunning } = this.#lifecycle;
    const isLive = isLiveCandle && this.#lifecycle.isStarted;
    this.#lifecycle.isLive = isLive && this.#isNew(symbol, interval, columns, index);
    this.#decisionContext.setCandle(symbol, interval, columns, index);
    if (own && isLive && this.#trackerOf(symbol)?.isPostponed === true)
      this.#tracker?.retryPostponed();
    if (isRunning) {
      if (own) this.#volatility?.onCandle(symbol, columns, index);
      this.#invoker.invokeCandle(own ? 'onCandle' : 'onInterval', symbol, interval, columns, index);
    }
    if (own && isLive) this.#maintainOrders(symbol, columns, index);
  }

  /** No previous run has decided on the candle. */
  #isNew(symbol: string, interval: Interval, columns: CandleColumns, index: number): boolean {
    if (this.#processed === undefined) return true;
    return this.#processed.markProcessed(
      seriesOf(symbol, interval),
      columns.openTime[index] as number,
    );
  }

  /** Retries waiting orders, and applies exits that the venue does not offer. */
  #maintainOrders(symbol: string, columns: CandleColumns, index: number): void {
    const { managesTargets, isTrading } = this.#lifecycle;
    if (!managesTargets) return;
    const tracker = this.#trackerOf(symbol);
    if (tracker?.needsRetry === true) tracker.retry(this.#decisionContext);
    if (this.#exitManager.isIdle || tracker === undefined || !isTrading) return;
    const [high, low, close] = [columns.high[index], columns.low[index], columns.close[index]];
    if (high === undefined || low === undefined || close === undefined) return;
    this.#exitManager.onCandle(tracker, { high, low, close }, this.#decisionContext);
  }

  #trackerOf(symbol: string): TargetTracker | undefined {
    if (this.#tracker?.symbol !== symbol) this.#tracker = this.#resolver.tracker(symbol);
    return this.#tracker;
  }
}
