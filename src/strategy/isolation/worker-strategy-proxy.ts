import { closeTimeOf, type Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import type { WarmUpRequirement } from '../../market/candles/warm-up.js';
import type { IntentSink } from '../contract/context.js';
import { RemoteError } from '../host/failure-location.js';
import type { OptionalEventKind, StrategyAdapter } from '../adapter/strategy-adapter.js';
import { hookOf, eventSymbolOf, type StrategyEvent } from '../adapter/strategy-event.js';
import { StrategyLoadError } from '../loader/load-error.js';
import type { DurableStateHandle } from '../host/durable-state.js';
import type { HostSettings } from '../host/strategy-host.js';
import type { StreamEndHandlers } from '../adapter/observable-adapter.js';
import type {
  StrategyAction,
  WorkerResponse,
  StrategyCall,
  CandleCall,
  AdapterInfo,
  InitRequest,
} from './worker-messages.js';
import type { WorkerTimeout, WorkerChannel } from './worker-channel.js';
import { WorkerStateHandles } from './worker-state-handles.js';
import { StateDiffer } from './state-differ.js';

export interface WorkerStrategyProxyParts {
  readonly channel: WorkerChannel;
  readonly settings: HostSettings;
  readonly intentSink: IntentSink;
  readonly streamEnd: StreamEndHandlers;
  readonly budgets: CallBudgets;
  /** Called once: from that call on, no code of the strategy runs. */
  readonly onFailed: (failure: WorkerFailure) => void;
}

/** Real ms that a call may take. */
export interface CallBudgets {
  /** Budget for creating the strategy and opening its streams. */
  readonly makeMs: number;
  /** Budget of every other call. */
  readonly hookMs: number;
}

export interface WorkerFailure {
  /** The first call without an answer, from 1. */
  readonly call: number;
  readonly reason: string;
}

/**
 * A strategy whose code runs on a worker: each call is sent there, and the engine waits for the response.
 * The strategy's actions are then applied here, in their order, as if its code ran here. A call without a
 * response in time has no effect, and no call follows it.
 */
export class WorkerStrategyProxy implements StrategyAdapter {
  readonly isStream: boolean;
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpRequirement[];
  readonly subscriptions: ReadonlySet<OptionalEventKind>;
  readonly #parts: WorkerStrategyProxyParts;
  readonly #states: WorkerStateHandles;
  readonly #stateDiffer: StateDiffer;
  /** Number of sent rows, by series. */
  readonly #sent = new Map<string, number>();
  /** The last candle of the own interval, by symbol. */
  readonly #closed = new Map<string, { readonly closedAt: number; readonly close: number }>();
  #calls = 0;
  #isOver = false;

  /** @throws StrategyLoadError with the error of the strategy, or its timeout */
  constructor(parts: WorkerStrategyProxyParts) {
    this.#parts = parts;
    this.#stateDiffer = new StateDiffer(parts.settings);
    const info = this.#init();
    this.isStream = info.isStream;
    this.intervals = info.intervals;
    this.needs = info.needs;
    this.subscriptions = info.subscriptions;
    this.#states = new WorkerStateHandles(info.states);
    parts.channel.listen({
      onOutOfBandAction: (action) => {
        if (action.kind === 'ended') this.#fail(this.#calls + 1, action.reason);
        else if (!this.#isOver) parts.intentSink.explain(action.text);
      },
      onExit: (reason) => {
        this.#fail(this.#calls + 1, reason);
      },
    });
  }

  states(symbol?: string): readonly DurableStateHandle[] {
    return this.#isOver ? [] : this.#states.of(symbol);
  }

  open(): void {
    this.#call({ method: 'open' }, undefined, this.#parts.budgets.makeMs);
  }
  start(): void {
    this.#call({ method: 'start' });
  }

  onCandle(symbol: string, interval: Interval, candles: CandleColumns, index: number): void {
    if (interval === this.#parts.settings.interval && !this.isStream)
      this.#closed.set(symbol, {
        closedAt: closeTimeOf(interval, candles.openTime[index] as number),
        close: candles.close[index] as number,
      });
    const rows = this.#isOver ? [] : this.#newRows(`${interval} ${symbol}`, candles, index);
    this.#call({ method: 'onCandle', symbol, interval, rows, index }, symbol);
  }

  closeAt(symbol: string, closedAt: number): number | undefined {
    const last = this.#closed.get(symbol);
    return last?.closedAt === closedAt ? last.close : undefined;
  }

  handle(event: StrategyEvent): void {
    this.#call({ method: 'handle', event }, eventSymbolOf(event));
  }

  stop(): void {
    this.#call({ method: 'stop' });
  }

  close(): void {
    this.#isOver = true;
    this.#parts.channel.close();
  }

  #init(): AdapterInfo {
    const { channel, settings, budgets } = this.#parts;
    const { id, symbols, interval, size, protection = {}, port } = settings;
    const persisted = ['*', ...symbols].flatMap((key) => {
      const state = port.persisted(key);
      return state === undefined ? [] : [[key, state] as const];
    });
    const call: InitRequest = {
      method: 'make',
      ...{ id, symbols, interval, size, protection, persisted },
      currency: port.currency,
      entry: settings.entry ?? { kind: 'market' },
      ...(settings.costs !== undefined && { costs: settings.costs }),
    };
    const response = channel.request(
      { call, delta: this.#stateDiffer.nextDelta(), rolledBack: [] },
      budgets.makeMs,
    );
    if ('reason' in response)
      throw new StrategyLoadError(
        `Strategy ${id} could not be made: ${timeoutText(response, 'create', budgets.makeMs)}`,
      );
    if (response.adapter === undefined)
      throw new StrategyLoadError(response.error ?? `Strategy ${id} could not be made`);
    for (const action of response.actions) this.#applyAction(action);
    return response.adapter;
  }

  #newRows(series: string, columns: CandleColumns, index: number): CandleCall['rows'] {
    const { openTime, open, high, low, close, volume } = columns;
    const rows: number[] = [];
    for (let at = this.#sent.get(series) ?? 0; at <= index; at++)
      for (const column of [openTime, open, high, low, close, volume])
        rows.push(column[at] as number);
    this.#sent.set(series, index + 1);
    return rows;
  }

  /** @throws RemoteError with the error of the strategy */
  #call(call: StrategyCall, symbol?: string, budgetMs = this.#parts.budgets.hookMs): void {
    this.#calls += 1;
    if (this.#isOver) return;
    const request = {
      call,
      delta: this.#stateDiffer.nextDelta(),
      rolledBack: this.#states.takeRolledBack(),
      ...(symbol !== undefined && { symbol }),
    };
    const response = this.#parts.channel.request(request, budgetMs);
    if ('reason' in response) {
      this.#fail(this.#calls, timeoutText(response, this.#hookOf(call), budgetMs));
    } else this.#applyResponse(response);
  }

  /** Name of the code that did not return, for messages. */
  #hookOf(call: StrategyCall): string {
    if (call.method === 'open') return 'intents';
    if (this.isStream) return 'its stream of intents';
    if (call.method === 'handle') return hookOf(call.event, this.isStream);
    if (call.method === 'onCandle')
      return call.interval === this.#parts.settings.interval ? 'onCandle' : 'onInterval';
    return call.method === 'start' ? 'onStart' : 'onStop';
  }

  #applyResponse({ actions, stateChanges, error }: WorkerResponse): void {
    this.#states.setChanges(stateChanges);
    for (const action of actions) this.#applyAction(action);
    if (error !== undefined) throw new RemoteError(error);
  }

  #applyAction(action: StrategyAction): void {
    const { intentSink, streamEnd, settings } = this.#parts;
    switch (action.kind) {
      case 'intent':
        intentSink.put(action.intent, action.place);
        return;
      case 'explain':
        intentSink.explain(action.text);
        return;
      case 'timer':
        intentSink.setTimer(action.symbol, action.at, action.key);
        return;
      case 'wake':
        settings.port.setTimer(action.at, action.key);
        return;
      case 'failed':
        streamEnd.onFailed(new RemoteError(action.text));
        return;
      case 'completed':
        streamEnd.onCompleted();
        return;
    }
  }

  #fail(call: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.onFailed({ call, reason });
  }
}

const timeoutText = ({ reason }: WorkerTimeout, hook: string, budgetMs: number): string =>
  reason === 'late'
    ? `${hook} did not return within ${budgetMs / 1_000} s`
    : `${hook} ended its thread (process.exit?)`;
