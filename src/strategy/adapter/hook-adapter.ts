import { assert } from '../../core/assert.js';
import type { Candle } from '../../core/candle.js';
import { closeTimeOf, type Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import type { HostFedIndicator } from '../../market/indicators/indicator-feed.js';
import { createIndicators } from '../../market/indicators/indicators.js';
import type { WarmUpRequirement } from '../../market/candles/warm-up.js';
import { fillView, HookContext, orderEndView, type IntentSink } from '../contract/context.js';
import type { CallbackStrategy } from '../contract/definition.js';
import type { StrategyHooks } from '../contract/hooks.js';
import { FedIndicators } from '../host/fed-indicators.js';
import type { OptionalEventKind, StrategyAdapter } from './strategy-adapter.js';
import type { StrategyEvent, SymbolEvent } from './strategy-event.js';
import { durableStatesOf, type DurableState } from '../host/durable-state.js';
import type { PositionChange } from '../contract/views.js';
import { mergedNeeds, needsOf, otherIntervals } from '../host/warm-up-needs.js';
import type { StrategyPort } from '../contract/strategy-port.js';

export interface AdapterOptions {
  readonly params: unknown;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Intervals of the definition. */
  readonly intervals: readonly Interval[];
  readonly port: StrategyPort;
  readonly intentSink: IntentSink;
}

interface SymbolHooks {
  readonly hooks: StrategyHooks;
  readonly context: HookContext;
  readonly states: readonly DurableState[];
  /** Indicators to update before the hooks, by interval; undefined: none. */
  readonly fed: ReadonlyMap<Interval, readonly HostFedIndicator[]> | undefined;
}

/** Adapter of a strategy written as hooks: an instance per symbol, or one for all. */
export class HookAdapter implements StrategyAdapter {
  readonly isStream = false;
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpRequirement[];
  readonly subscriptions: ReadonlySet<OptionalEventKind>;
  readonly #interval: Interval;
  readonly #hooksBySymbol = new Map<string, SymbolHooks>();
  /** Hooks of the last candle: most strategies have one symbol. */
  #lastUsed: SymbolHooks;

  constructor(definition: CallbackStrategy, options: AdapterOptions) {
    const { symbols, interval } = options;
    const groups = definition.scope === 'all' ? [symbols] : symbols.map((symbol) => [symbol]);
    const needs = groups.flatMap((group) => this.#createInstance(definition, options, group));
    const allHooks = [...this.#hooksBySymbol.values()];
    const [first] = allHooks;
    assert(first !== undefined, 'A strategy has a symbol');
    this.#lastUsed = first;
    this.#interval = interval;
    this.intervals = otherIntervals(
      interval,
      needs.map((need) => need.interval),
    );
    this.needs = mergedNeeds([interval], needs);
    this.subscriptions = new Set(allHooks.flatMap(({ hooks }) => subscriptionsOf(hooks)));
  }

  /** @returns the warm-up of each interval of the instance */
  #createInstance(
    definition: CallbackStrategy,
    options: AdapterOptions,
    symbols: readonly string[],
  ): readonly WarmUpRequirement[] {
    const { params, interval, port, intentSink } = options;
    const fed = new FedIndicators({ symbols, interval });
    const states = durableStatesOf(
      definition,
      options,
      definition.scope === 'all' ? undefined : symbols[0],
    );
    const state = states[0]?.value;
    const hooks = definition.create({
      params,
      indicators: createIndicators(fed.add),
      interval,
      symbols,
      state,
    });
    fed.close();
    checkHooks(hooks, definition);
    const own = needsOf(interval, hooks.warmup);
    const needs = mergedNeeds([interval, ...options.intervals], [...own, ...fed.needs]);
    const intervals = otherIntervals(
      interval,
      needs.map((need) => need.interval),
    );
    const of = (symbol: string): HookContext => this.#contextOf(symbol, symbols);
    for (const symbol of symbols) {
      const context = new HookContext({
        symbol,
        symbols,
        interval,
        intervals,
        port,
        intentSink,
        state,
        of,
      });
      this.#hooksBySymbol.set(symbol, { hooks, context, states, fed: fed.of(symbol) });
    }
    return needs;
  }

  /** The constructor has created the hooks. */
  open(): void {}

  start(): void {
    this.#eachInstance(({ hooks, context }) => hooks.onStart?.(context));
  }

  stop(): void {
    this.#eachInstance(({ hooks, context }) => hooks.onStop?.(context));
  }

  onCandle(symbol: string, interval: Interval, candles: CandleColumns, index: number): void {
    const symbolHooks =
      this.#lastUsed.context.symbol === symbol ? this.#lastUsed : this.#hooksOf(symbol);
    if (symbolHooks === undefined) return;
    this.#lastUsed = symbolHooks;
    const { hooks, context, fed } = symbolHooks;
    const candle = context.onCandleClosed(interval, candles, index);
    if (fed !== undefined) updateIndicators(fed.get(interval), candle);
    if (interval === this.#interval) hooks.onCandle?.(context);
    else hooks.onInterval?.(context, candle, interval);
  }

  handle(event: StrategyEvent): void {
    if (event.kind === 'candles-synced') this.#onSyncedCandles(event.closedAt);
    else if (event.kind !== 'scheduler-timer') {
      const symbolHooks = this.#hooksOf(event.symbol);
      if (symbolHooks !== undefined) callHook(symbolHooks, event);
    }
  }

  closeAt(symbol: string, closedAt: number): number | undefined {
    return this.#closedAt(symbol, closedAt)?.close;
  }

  states(symbol?: string): readonly DurableState[] {
    if (symbol !== undefined) return this.#hooksOf(symbol)?.states ?? NO_STATES;
    return [...new Set([...this.#hooksBySymbol.values()].flatMap(({ states }) => states))];
  }

  /** Hooks run only when they are called. */
  close(): void {}

  #onSyncedCandles(closedAt: number): void {
    this.#eachInstance(({ hooks, context }) => {
      const { symbols, interval } = context;
      const closed = (symbol: string): Candle | undefined => this.#closedAt(symbol, closedAt);
      const missing = symbols.filter((symbol) => closed(symbol) === undefined);
      // The bucket of a long interval may end where no symbol has had a whole one yet.
      if (missing.length === symbols.length) return;
      hooks.onCandles?.(context, { interval, closedAt, missing, candle: closed });
    });
  }

  #hooksOf(symbol: string): SymbolHooks | undefined {
    return this.#hooksBySymbol.get(symbol);
  }

  #contextOf(symbol: string, known: readonly string[]): HookContext {
    const context = known.includes(symbol) ? this.#hooksOf(symbol)?.context : undefined;
    if (context !== undefined) return context;
    throw new RangeError(`${symbol} is not a symbol of this instance (${known.join(', ')})`);
  }

  #closedAt(symbol: string, closedAt: number): Candle | undefined {
    const candle = this.#hooksOf(symbol)?.context.candles().last;
    const closes =
      candle !== undefined && closeTimeOf(this.#interval, candle.openTime) === closedAt;
    return closes ? candle : undefined;
  }

  #eachInstance(visit: (symbolHooks: SymbolHooks) => void): void {
    const visited = new Set<StrategyHooks>();
    for (const symbolHooks of this.#hooksBySymbol.values()) {
      if (!visited.has(symbolHooks.hooks)) visit(symbolHooks);
      visited.add(symbolHooks.hooks);
    }
  }
}

const NO_STATES: readonly DurableState[] = [];

/** A hook without its subscription would never be called. @throws RangeError */
function checkHooks(
  hooks: StrategyHooks,
  { streams = [], scope }: Pick<CallbackStrategy, 'streams' | 'scope'>,
): void {
  const hasSeconds = streams.includes('seconds') || streams.includes('mark-seconds');
  if (hooks.onSecond !== undefined && !hasSeconds)
    throw new RangeError("it has onSecond, so streams must name 'seconds' or 'mark-seconds'");
  if (hooks.onMarkCandle !== undefined && !streams.includes('mark'))
    throw new RangeError("it has onMarkCandle, so streams must name 'mark'");
  if (hooks.onFunding !== undefined && !streams.includes('funding'))
    throw new RangeError("it has onFunding, so streams must name 'funding'");
  if (hooks.onCandles !== undefined && scope !== 'all')
    throw new RangeError("it has onCandles, so it must say scope: 'all'");
}

const subscriptionsOf = (hooks: StrategyHooks): readonly OptionalEventKind[] => [
  ...(hooks.onFill === undefined ? [] : (['fill'] as const)),
  ...(hooks.onOrder === undefined ? [] : (['order-ended'] as const)),
  ...(hooks.onPosition === undefined ? [] : (['position-changed'] as const)),
  ...(hooks.onCandles === undefined ? [] : (['candles-synced'] as const)),
];

function callHook({ hooks, context }: SymbolHooks, event: SymbolEvent): void {
  switch (event.kind) {
    case 'candle-revised':
      return hooks.onRevision?.(context, event.candle);
    case 'second':
      return hooks.onSecond?.(context, event.second);
    case 'mark-candle':
      return hooks.onMarkCandle?.(context, event.candle);
    case 'fill':
      return hooks.onFill?.(context, fillView(event.fill));
    case 'order-ended':
      return hooks.onOrder?.(context, orderEndView(event.end));
    case 'position-changed':
      return hooks.onPosition?.(context, positionChange(context, event));
    case 'funding':
      return hooks.onFunding?.(context, event.funding);
    case 'timer':
      return hooks.onTimer?.(context, event.timer);
    // A hook reads prices from its context.
    case 'ticker':
      return;
  }
}

function positionChange(
  context: HookContext,
  { symbol, before, reason }: Extract<StrategyEvent, { kind: 'position-changed' }>,
): PositionChange {
  const { quantity, entryPrice } = context.position;
  return { symbol, before, quantity, entryPrice, reason };
}

function updateIndicators(fed: readonly HostFedIndicator[] = [], candle: Candle): void {
  for (const one of fed) one.update(candle);
}
