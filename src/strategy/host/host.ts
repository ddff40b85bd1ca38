import type { PositionChangeReason } from '../../core/account.js';
import { assert } from '../../core/assert.js';
import type { Candle, CandlePrice } from '../../core/candle.js';
import type { Quantity } from '../../core/fixed/fixed.js';
import type { Interval } from '../../core/interval.js';
import type { WarmUpRequirement } from '../../market/candles/warm-up.js';
import type { MarketStream } from '../contract/definition.js';
import { NextEntrySettings } from '../contract/entry-settings.js';
import { ExitManager } from '../target/exit-manager.js';
import type { StrategyAdapter } from '../adapter/strategy-adapter.js';
import { createAdapter } from '../adapter/create-adapter.js';
import type { StreamEndHandlers } from '../adapter/observable-adapter.js';
import { OrderFactory, type HostCounts } from '../target/order-factory.js';
import { VolatilityTracker } from '../target/size/volatility.js';
import { IntentResolver } from '../target/intent-resolver.js';
import type {
  FillEvent,
  NextFunding,
  ExternalChangeSource,
  OrderEnd,
} from '../contract/strategy-port.js';
import { CandleDispatcher } from './candle-dispatcher.js';
import { EventDispatcher } from './event-dispatcher.js';
import { SerialExecutor } from './serial-executor.js';
import type { SourceLocation } from './failure-location.js';
import { StrategyErrorLog } from './strategy-error-log.js';
import { HookInvoker } from './hook-invoker.js';
import { HookTimers } from './hook-timers.js';
import { IntentCollector } from './intent-collector.js';
import { StrategyLifecycle } from './strategy-lifecycle.js';
import { ProcessedCandles } from './processed-candles.js';
import { DecisionContext } from './decision-context.js';
import { checkIntervals, checkSettings, usdtEquityOf } from './strategy-host.js';
import type {
  HeldTarget,
  HostOptions,
  HostState,
  StrategyHost,
  WorkerHostOptions,
} from './strategy-host.js';
import type { StrategyError } from './strategy-error.js';
import { mergedNeeds } from './warm-up-needs.js';

export type { HostOptions, HostState, StrategyHost } from './strategy-host.js';

/** @throws StrategyLoadError when the strategy cannot be created with these settings */
export const createHost = (options: HostOptions | WorkerHostOptions): StrategyHost =>
  new Host(options);

/** Composes the parts of one strategy's host, and passes each event to its dispatcher. */
class Host implements StrategyHost {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpRequirement[];
  readonly wantsSyncedCandles: boolean;
  readonly streams: readonly MarketStream[];
  readonly counts: HostCounts;
  readonly #executor: SerialExecutor;
  readonly #adapter: StrategyAdapter;
  readonly #failures: StrategyErrorLog;
  readonly #lifecycle: StrategyLifecycle;
  readonly #invoker: HookInvoker;
  readonly #candles: ReadonlyMap<string, CandleDispatcher>;
  readonly #events: EventDispatcher;
  readonly #resolver: IntentResolver;

  constructor(options: HostOptions | WorkerHostOptions) {
    const { id, symbols, interval, port, size, observer } = options;
    checkSettings(options);
    this.id = id;
    this.symbols = symbols;
    this.interval = interval;
    this.streams = options.definition.streams ?? [];
    const executor = new SerialExecutor();
    const timers = new HookTimers(port);
    this.#executor = executor;
    const { protection = {}, entry = { kind: 'market' }, onError = 'hold' } = options;
    const decisionContext = new DecisionContext(port);
    const orderFactory = new OrderFactory(port, { strategyId: id, interval, protection, entry });
    this.counts = orderFactory.counts;
    const failures = new StrategyErrorLog(orderFactory, decisionContext);
    this.#failures = failures;
    const exitManager = new ExitManager(orderFactory);
    const prices = size.kind === 'volatility-pct' ? new VolatilityTracker(interval) : undefined;
    const resolver = new IntentResolver({
      orderFactory,
      size,
      symbols,
      interval,
      equity: () => usdtEquityOf(options),
      costs: options.costs,
      volatility: (symbol, lookback) => prices?.volatility(symbol, lookback),
      onFault: (text) => {
        const why = failures.onFaultyIntent(text);
        if (why !== undefined) lifecycle.end('failed', why);
      },
    });
    this.#resolver = resolver;
    const lifecycle = new StrategyLifecycle({
      symbols,
      onError,
      orderFactory,
      decisionContext,
      trackers: () => resolver.trackers,
      closeAdapter: () => this.#adapter.close(),
    });
    this.#lifecycle = lifecycle;
    const collector = new IntentCollector({
      orderFactory,
      resolver,
      symbols,
      lifecycle,
      decisionContext,
      timers,
      failures,
    });
    const ends = streamEndHandlersOf(collector, failures, lifecycle);
    const adapter =
      'openAdapter' in options
        ? options.openAdapter(options, collector, ends)
        : createAdapter(options, collector, ends);
    this.#adapter = adapter;
    const own = size.kind === 'volatility-pct' ? [{ interval, count: size.lookback + 1 }] : [];
    this.intervals = adapter.intervals;
    this.needs = mergedNeeds([], [...adapter.needs, ...own]);
    this.wantsSyncedCandles = adapter.subscriptions.has('candles-synced');
    const processed = adapter.states().length > 0 ? new ProcessedCandles(port, symbols) : undefined;
    checkIntervals(options, [interval, ...adapter.intervals]);
    this.#checkState(options);
    const invoker = new HookInvoker({
      adapter,
      collector,
      decisionContext,
      lifecycle,
      orderFactory,
      resolver,
      failures,
      processed,
      observer,
    });
    this.#invoker = invoker;
    const candleParts = {
      host: this,
      executor,
      lifecycle,
      decisionContext,
      invoker,
      exitManager,
      processed,
      volatility: prices,
      observer,
    };
    this.#candles = new Map(
      symbols.map((symbol) => [
        symbol,
        new CandleDispatcher(symbol, resolver.tracker(symbol), candleParts),
      ]),
    );
    const { apply = 'next_entry', leverage } = options;
    this.#events = new EventDispatcher({
      symbols,
      interval,
      executor,
      adapter,
      lifecycle,
      invoker,
      orderFactory,
      resolver,
      exitManager,
      entrySettings: new NextEntrySettings({ orderFactory, size, apply, leverage }),
      timers,
      processed,
    });
  }

  get state(): HostState {
    return this.#lifecycle.state;
  }
  get errors(): readonly StrategyError[] {
    return this.#failures.errors;
  }
  get heldTargets(): readonly HeldTarget[] {
    return this.#resolver.heldTargets;
  }
  get warmupCandles(): number {
    return this.needs.find(({ interval }) => interval === this.interval)?.count ?? 0;
  }

  start(): void {
    if (!this.#lifecycle.start()) return;
    this.#invoker.open();
    this.#events.restore();
    // Its explanations are no history, as those of the last warm-up candle were.
    this.#lifecycle.isLive = true;
    this.#invoker.invokeWithoutIntents('onStart', () => this.#adapter.start());
    this.#executor.run(() => this.#invoker.flushDeferredCalls());
    this.#events.reportEarlyFills();
  }

  candlesOf(symbol: string): CandleDispatcher {
    const candles = this.#candles.get(symbol);
    assert(candles !== undefined, `${symbol} is a symbol of ${this.id}`);
    return candles;
  }

  onSyncedCandles(closedAt: number, live: boolean): void {
    if (this.wantsSyncedCandles) this.#events.onSyncedCandles(closedAt, live);
  }
  onRevision(symbol: string, candle: Candle): void {
    this.#events.onRevision(symbol, candle);
  }
  onSecond(symbol: string, price: CandlePrice, candle: Candle): void {
    this.#events.onSecond(symbol, price, candle);
  }
  onMarkCandle(symbol: string, candle: Candle): void {
    this.#events.onMarkCandle(symbol, candle);
  }
  onFunding(symbol: string, nextFunding: NextFunding): void {
    if (this.streams.includes('funding')) this.#events.onFunding(symbol, nextFunding);
  }
  onTicker(symbol: string, last: number, mark?: number): void {
    if (this.#adapter.subscriptions.has('ticker')) this.#events.onTicker(symbol, last, mark);
  }

  onFill(fill: FillEvent): void {
    this.#events.onFill(fill);
  }
  onOrderEnded(end: OrderEnd): void {
    this.#events.onOrderEnded(end);
  }
  onPositionChanged(symbol: string, by: ExternalChangeSource, cause?: PositionChangeReason): void {
    this.#events.onPositionChanged(symbol, by, cause);
  }
  onPositionChangedWhileDown(symbol: string, before: Quantity, why?: string): void {
    this.#events.onPositionChangedWhileDown(symbol, before, why);
  }
  resume(symbol: string): void {
    this.#events.resume(symbol);
  }

  onTimer(key: string): void {
    this.#events.onTimer(key);
  }

  onWorkerFailed(reason: string): void {
    this.#executor.run(() => {
      if (!this.#lifecycle.isRunning) return;
      this.#failures.record(reason);
      this.#lifecycle.end('failed', reason);
    });
  }

  setFailureLocation(place: SourceLocation): void {
    this.#failures.setLocation(place);
  }

  stop(exits: 'freeze' | 'finish' = 'freeze'): void {
    const { isRunning, managesTargets } = this.#lifecycle;
    if (managesTargets) this.#lifecycle.stop(exits);
    if (isRunning) this.#invoker.stop();
  }

  /** Unusable state of a previous run fails this strategy, and no other. */
  #checkState({ id, source, definition }: HostOptions | WorkerHostOptions): void {
    const fault = this.#adapter.states().find((cell) => cell.fault !== undefined)?.fault;
    if (fault === undefined) return;
    const file = source ?? definition.name;
    const why = `the state of ${id} (${file}) cannot be used: ${fault}`;
    this.#failures.record(why);
    this.#lifecycle.failBeforeStart(why);
  }
}

const streamEndHandlersOf = (
  collector: IntentCollector,
  failures: StrategyErrorLog,
  lifecycle: StrategyLifecycle,
): StreamEndHandlers => ({
  onFailed: (error) => {
    collector.clear();
    failures.report('its stream of intents', error);
    lifecycle.end('failed', 'its stream of intents ended with an error');
  },
  onCompleted: () => lifecycle.end('stopped', 'its stream of intents completed'),
});
