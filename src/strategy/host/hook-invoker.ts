import type { DecisionCause } from '../../core/intent.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import type { StrategyAdapter } from '../adapter/strategy-adapter.js';
import { hookOf, eventSymbolOf, type StrategyEvent } from '../adapter/strategy-event.js';
import type { OrderFactory } from '../target/order-factory.js';
import type { IntentResolver } from '../target/intent-resolver.js';
import type { StrategyErrorLog } from './strategy-error-log.js';
import type { IntentCollector } from './intent-collector.js';
import type { StrategyLifecycle } from './strategy-lifecycle.js';
import type { ProcessedCandles } from './processed-candles.js';
import type { StateWrite } from './durable-state.js';
import type { CloseOf, DecisionContext } from './decision-context.js';
import type { HostObserver } from './strategy-host.js';

export interface HookInvokerParts {
  readonly adapter: StrategyAdapter;
  readonly collector: IntentCollector;
  readonly decisionContext: DecisionContext;
  readonly lifecycle: StrategyLifecycle;
  readonly orderFactory: OrderFactory;
  readonly resolver: IntentResolver;
  /** Reports what hooks throw, and decides whether the strategy has failed. */
  readonly failures: StrategyErrorLog;
  /** Only of a strategy with durable state. */
  readonly processed: ProcessedCandles | undefined;
  readonly observer: HostObserver | undefined;
}

/** The circumstances of an event that is no closed candle. */
export interface EventContext {
  readonly cause: DecisionCause;
  /**
   * An event from before the start of trading, or one that a previous run has processed: it changes no
   * durable state and places no order. Default: false.
   */
  readonly isHistory?: boolean;
  /** Closes of the synchronized candles, as prices for sizing; absent: last prices. */
  readonly closeOf?: CloseOf;
}

/**
 * Calls the strategy's code. A hook's intents and state changes are committed when it has returned, and
 * discarded when it threw.
 */
export class HookInvoker {
  readonly #adapter: StrategyAdapter;
  readonly #collector: IntentCollector;
  readonly #lifecycle: StrategyLifecycle;
  readonly #orderFactory: OrderFactory;
  readonly #parts: HookInvokerParts;
  readonly #isStateful: boolean;
  /** The adapter is open: the strategy handles events, history first. */
  #isOpen = false;
  /** Calls before the start of trading, deferred until then. */
  readonly #deferredCalls: (() => void)[] = [];

  constructor(parts: HookInvokerParts) {
    this.#adapter = parts.adapter;
    this.#collector = parts.collector;
    this.#lifecycle = parts.lifecycle;
    this.#orderFactory = parts.orderFactory;
    this.#parts = parts;
    this.#isStateful = parts.processed !== undefined;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.invokeWithoutIntents('intents', () => this.#adapter.open());
  }

  /**
   * Calls code that may not place orders: its intents are refused.
   * @param hook name of the code, for messages
   */
  invokeWithoutIntents(hook: string, run: () => void): void {
    try {
      run();
      this.#commitState(undefined, false);
    } catch (error) {
      this.#onError(hook, error);
    }
    this.#orderFactory.persistState();
  }

  /** Requires `setCandle` of the decision context and `isLive` of the lifecycle. */
  invokeCandle(
    hook: 'onCandle' | 'onInterval',
    symbol: string,
    interval: Interval,
    columns: CandleColumns,
    index: number,
  ): void {
    if (!this.#isOpen) this.open();
    this.#collector.isAccepting = true;
    try {
      this.#adapter.onCandle(symbol, interval, columns, index);
      if (this.#mustCommit) this.#commitState(symbol, !this.#lifecycle.isLive);
    } catch (error) {
      this.#onError(hook, error, symbol);
    }
    this.#collector.isAccepting = false;
    if (this.#collector.intents.length > 0) this.#resolveIntents();
    if (this.#isStateful) this.#orderFactory.persistState();
  }

  /**
   * An event that comes once, such as a fill: before the start of trading it is deferred, so that the
   * strategy may act on it.
   */
  invokeOnceStarted(event: StrategyEvent, cause: DecisionCause): void {
    if (this.#lifecycle.isStarted) this.invoke(event, { cause });
    else if (this.#lifecycle.isRunning)
      this.#deferredCalls.push(() => {
        this.invoke(event, { cause });
      });
  }

  /** Makes the deferred calls at the start of trading: orders may be placed from here on. */
  flushDeferredCalls(): void {
    for (const deferred of this.#deferredCalls.splice(0)) deferred();
  }

  /**
   * Passes an event that is no candle to the strategy, and resolves its intents. Before the start of
   * trading only history is passed on.
   */
  invoke(event: StrategyEvent, { cause, isHistory = false, closeOf }: EventContext): void {
    if (!this.#lifecycle.isRunning || !this.#isOpen || !(isHistory || this.#lifecycle.isStarted))
      return;
    this.#lifecycle.isLive = !isHistory;
    this.#parts.decisionContext.setEvent(cause, closeOf);
    this.#collector.isAccepting = true;
    try {
      this.#adapter.handle(event);
      this.#commitState(eventSymbolOf(event), isHistory);
    } catch (error) {
      this.#onError(hookOf(event, this.#adapter.isStream), error, eventSymbolOf(event));
    }
    this.#collector.isAccepting = false;
    if (this.#collector.intents.length > 0) this.#resolveIntents();
    this.#orderFactory.persistState();
  }

  /** The last call, if there was a first: an error is logged, and cannot fail the strategy any more. */
  stop(): void {
    if (this.#isOpen) this.#callStop();
    this.#orderFactory.persistState();
    this.#adapter.close();
  }

  #callStop(): void {
    try {
      this.#adapter.stop();
      this.#commitState(undefined, false);
    } catch (error) {
      this.#parts.failures.report('onStop', error);
    }
  }

  /** False at most candles of most strategies: this is the hot path of a backtest. */
  get #mustCommit(): boolean {
    return this.#isStateful || this.#collector.intents.length > 0;
  }

  /** Commits the state changes of a hook that has returned. @throws RangeError */
  #commitState(symbol: string | undefined, history: boolean): void {
    this.#collector.throwIfTooMany();
    for (const state of this.#adapter.states(symbol)) {
      if (history) state.rollback();
      else this.#stageWrite(state.commit());
    }
  }

  #stageWrite(write: StateWrite | undefined): void {
    if (write === undefined) return;
    const processedTimes = this.#parts.processed?.of(write.key);
    this.#orderFactory.stageState(
      processedTimes === undefined ? write : { ...write, seen: processedTimes },
    );
  }

  #resolveIntents(): void {
    const { intents } = this.#collector;
    const { observer, resolver, decisionContext } = this.#parts;
    for (const intent of intents) {
      if (!this.#lifecycle.isLive || !this.#lifecycle.isRunning) continue;
      observer?.onIntent(intent);
      resolver.resolve(intent, decisionContext);
    }
    intents.length = 0;
  }

  /** The hook did not complete: all its intents and state changes are discarded. */
  #onError(hook: string, error: unknown, symbol?: string): void {
    this.#collector.clear();
    this.#orderFactory.discardState();
    for (const state of this.#adapter.states(symbol)) state.rollback();
    const why = this.#parts.failures.onError(hook, error);
    if (why !== undefined) this.#lifecycle.end('failed', why);
  }
}
