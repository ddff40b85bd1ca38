import type { PositionChangeReason } from '../../core/account.js';
import type { Candle, CandlePrice } from '../../core/candle.js';
import {
  add,
  numberFromFixed,
  subtract,
  withSign,
  ZERO,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import type { Interval } from '../../core/interval.js';
import { sideSign } from '../../core/order.js';
import type { StrategyAdapter } from '../adapter/strategy-adapter.js';
import type { StrategyEvent } from '../adapter/strategy-event.js';
import type { NextEntrySettings } from '../contract/entry-settings.js';
import type {
  ExternalChangeSource,
  FillEvent,
  NextFunding,
  OrderEnd,
} from '../contract/strategy-port.js';
import type { PositionChange } from '../contract/views.js';
import type { ExitManager } from '../target/exit-manager.js';
import type { IntentResolver } from '../target/intent-resolver.js';
import type { OrderFactory } from '../target/order-factory.js';
import { causeOfEnd } from '../target/placed-orders.js';
import { symbolOfTargetTimer } from '../target/target-timer.js';
import { timerCause, type CloseOf } from './decision-context.js';
import type { HookInvoker } from './hook-invoker.js';
import type { HookTimers } from './hook-timers.js';
import { SYNCED_CANDLES, type ProcessedCandles } from './processed-candles.js';
import type { SerialExecutor } from './serial-executor.js';
import type { StrategyLifecycle } from './strategy-lifecycle.js';

export interface EventDispatcherParts {
  readonly symbols: readonly string[];
  /** The strategy's own. */
  readonly interval: Interval;
  readonly executor: SerialExecutor;
  readonly adapter: StrategyAdapter;
  readonly lifecycle: StrategyLifecycle;
  readonly invoker: HookInvoker;
  readonly orderFactory: OrderFactory;
  readonly resolver: IntentResolver;
  readonly exitManager: ExitManager;
  readonly entrySettings: NextEntrySettings;
  readonly timers: HookTimers;
  /** Only of a strategy with durable state. */
  readonly processed: ProcessedCandles | undefined;
}

/** Dispatches every event but closed candles: to the target trackers first, then to the strategy. */
export class EventDispatcher {
  readonly #parts: EventDispatcherParts;
  /** Believed positions before the last change. */
  readonly #positions = new Map<string, Quantity>();
  /** Signed quantities of fills before the start, by symbol: the position that they changed is read later. */
  readonly #earlyFills = new Map<string, Quantity>();

  constructor(parts: EventDispatcherParts) {
    this.#parts = parts;
  }

  /** Restores the targets of a previous run. Its exits end with a position that was closed since. */
  restore(): void {
    const { symbols, orderFactory, resolver, entrySettings, exitManager } = this.#parts;
    for (const symbol of symbols) {
      orderFactory.restoreEntryTimers(symbol);
      exitManager.onPositionChanged(symbol);
      resolver.tracker(symbol)?.restore(entrySettings.restore(symbol));
      this.#positions.set(symbol, orderFactory.port.position(symbol));
    }
  }

  /** Reports the positions that fills before the start have changed. */
  reportEarlyFills(): void {
    const { executor, orderFactory, adapter } = this.#parts;
    const { port } = orderFactory;
    for (const [symbol, filled] of this.#earlyFills) {
      this.#positions.set(symbol, subtract(port.position(symbol), filled));
      if (adapter.subscriptions.has('position-changed') && !adapter.isStream)
        executor.run(() => {
          this.#dispatchPosition(symbol, 'fill', timerCause(port, `position:${symbol}`));
        });
    }
    this.#earlyFills.clear();
  }

  onSyncedCandles(closedAt: number, live: boolean): void {
    const { executor, interval, adapter, lifecycle, invoker, processed } = this.#parts;
    const cause: DecisionCause = { kind: 'round', interval, closeTime: closedAt };
    const closeOf: CloseOf = (symbol) => adapter.closeAt(symbol, closedAt);
    executor.run(() => {
      const isNew =
        live && lifecycle.isStarted && (processed?.markProcessed(SYNCED_CANDLES, closedAt) ?? true);
      const event = { kind: 'candles-synced', closedAt } as const;
      invoker.invoke(event, { cause, closeOf, isHistory: !isNew });
    });
  }

  onRevision(symbol: string, candle: Candle): void {
    const key = `revision:${symbol}:${candle.openTime}`;
    const event = { kind: 'candle-revised', symbol, candle: { ...candle } } as const;
    this.#dispatch(event, timerCause(this.#parts.orderFactory.port, key));
  }

  onSecond(symbol: string, price: CandlePrice, candle: Candle): void {
    const cause: DecisionCause = { kind: 'second', symbol, price, openTime: candle.openTime };
    this.#dispatch({ kind: 'second', symbol, second: { ...candle, price } }, cause);
  }

  onMarkCandle(symbol: string, candle: Candle): void {
    const cause: DecisionCause = { kind: 'mark-candle', symbol, openTime: candle.openTime };
    this.#dispatch({ kind: 'mark-candle', symbol, candle: { ...candle } }, cause);
  }

  onFunding(symbol: string, nextFunding: NextFunding): void {
    const { executor, orderFactory, invoker } = this.#parts;
    const key = `funding:${symbol}:${nextFunding.nextSettlementMs}`;
    const event = { kind: 'funding', symbol, funding: { symbol, ...nextFunding } } as const;
    executor.run(() => invoker.invokeOnceStarted(event, timerCause(orderFactory.port, key)));
  }

  onTicker(symbol: string, last: number, mark: number | undefined): void {
    const cause = timerCause(this.#parts.orderFactory.port, `ticker:${symbol}`);
    this.#dispatch({ kind: 'ticker', symbol, ticker: { symbol, last, mark } }, cause);
  }

  onFill(fill: FillEvent): void {
    const { executor, orderFactory, resolver, adapter, invoker, lifecycle } = this.#parts;
    const { symbol } = fill;
    const { isStream, subscriptions } = adapter;
    executor.run(() => {
      resolver.onFill(fill, orderFactory.placed.onFill(fill));
      const isEarly = !lifecycle.isStarted;
      if (isEarly) this.#addEarlyFill(fill);
      else this.#updatePositionState(symbol);
      const wantsFill = subscriptions.has('fill');
      // A stream emits the position with the fill.
      const wantsPosition = !isStream && !isEarly && subscriptions.has('position-changed');
      if (!wantsFill && !wantsPosition) return;
      const cause = orderFactory.placed.causeOf(fill);
      if (wantsFill) invoker.invokeOnceStarted({ kind: 'fill', symbol, fill }, cause);
      if (wantsPosition) this.#dispatchPosition(symbol, 'fill', cause);
    });
  }

  onOrderEnded(end: OrderEnd): void {
    const { executor, lifecycle, resolver, adapter, invoker } = this.#parts;
    executor.run(() => {
      if (lifecycle.managesTargets) resolver.onOrderEnded(end);
      if (!adapter.subscriptions.has('order-ended')) return;
      const { symbol } = end.intent.terms;
      const event = { kind: 'order-ended', symbol, end } as const;
      invoker.invokeOnceStarted(event, causeOfEnd(end));
    });
  }

  onPositionChanged(
    symbol: string,
    by: ExternalChangeSource,
    reason: PositionChangeReason = 'external',
  ): void {
    const { executor, lifecycle, orderFactory, resolver, adapter } = this.#parts;
    executor.run(() => {
      if (lifecycle.managesTargets) resolver.tracker(symbol)?.onPositionChanged(by);
      this.#updatePositionState(symbol);
      if (!adapter.subscriptions.has('position-changed')) return;
      this.#dispatchPosition(symbol, reason, timerCause(orderFactory.port, `position:${symbol}`));
    });
  }

  onPositionChangedWhileDown(symbol: string, before: Quantity, why?: string): void {
    const { executor, resolver } = this.#parts;
    executor.run(() => {
      resolver.tracker(symbol)?.onPositionChangedWhileDown(before, why);
    });
  }

  resume(symbol: string): void {
    this.#parts.executor.run(() => {
      this.#parts.resolver.tracker(symbol)?.resume();
    });
  }

  /** Also of a strategy that has ended: its entries still expire. */
  onTimer(key: string): void {
    const { executor, orderFactory, timers } = this.#parts;
    executor.run(() => {
      if (orderFactory.onTimer(key) || this.#onTargetTimer(key)) return;
      if (timers.owns(key)) this.#onHookTimer(key);
      else this.#onSchedulerTimer(key);
    });
  }

  /** @returns whether a target tracker has set the timer */
  #onTargetTimer(key: string): boolean {
    const symbol = symbolOfTargetTimer(key);
    if (symbol === undefined) return false;
    const { lifecycle, resolver } = this.#parts;
    if (lifecycle.managesTargets) resolver.tracker(symbol)?.onTimer();
    return true;
  }

  #onHookTimer(name: string): void {
    const { invoker, timers } = this.#parts;
    const due = timers.takeDue(name);
    if (due === undefined) return;
    const { symbol, key, at } = due;
    const cause: DecisionCause = { kind: 'timer', venueTime: at, key: `${symbol}:${key}` };
    invoker.invokeOnceStarted({ kind: 'timer', symbol, timer: { key, at } }, cause);
  }

  #onSchedulerTimer(key: string): void {
    const { lifecycle, invoker, orderFactory } = this.#parts;
    const cause = timerCause(orderFactory.port, key);
    invoker.invoke({ kind: 'scheduler-timer', key }, { cause, isHistory: !lifecycle.isStarted });
  }

  #addEarlyFill({ symbol, side, quantity }: FillEvent): void {
    const before = this.#earlyFills.get(symbol) ?? (ZERO as Quantity);
    this.#earlyFills.set(symbol, add(before, withSign(sideSign(side), quantity)));
  }

  #updatePositionState(symbol: string): void {
    this.#parts.exitManager.onPositionChanged(symbol);
    this.#parts.entrySettings.onPositionChanged(symbol);
  }

  #dispatchPosition(symbol: string, reason: PositionChange['reason'], cause: DecisionCause): void {
    const { orderFactory, invoker } = this.#parts;
    const before = numberFromFixed(this.#positions.get(symbol) ?? (ZERO as Quantity));
    this.#positions.set(symbol, orderFactory.port.position(symbol));
    invoker.invokeOnceStarted({ kind: 'position-changed', symbol, before, reason }, cause);
  }

  #dispatch(event: StrategyEvent, cause: DecisionCause): void {
    const { executor, invoker } = this.#parts;
    executor.run(() => invoker.invoke(event, { cause }));
  }
}
