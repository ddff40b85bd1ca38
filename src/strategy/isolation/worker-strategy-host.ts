import { assert } from '../../core/assert.js';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import type { StrategyDefinition } from '../contract/definition.js';
import { failureText } from '../host/failure-location.js';
import type { StrategyAdapter } from '../adapter/strategy-adapter.js';
import { createAdapter } from '../adapter/create-adapter.js';
import { OrderFactory } from '../target/order-factory.js';
import { DurableState } from '../host/durable-state.js';
import { IntentResolver } from '../target/intent-resolver.js';
import { ActionRecorder } from './action-recorder.js';
import type {
  WorkerResponse,
  WorkerRequest,
  StrategyCall,
  AdapterInfo,
  InitRequest,
  PlainCall,
  StateChange,
  OutOfBandAction,
} from './worker-messages.js';
import { ReplicatedStrategyState } from './replicated-strategy-state.js';

interface CreatedStrategy {
  readonly adapter: StrategyAdapter;
  readonly state: ReplicatedStrategyState;
  readonly recorder: ActionRecorder;
}

/** Runs a strategy on a worker: answers the requests of its `WorkerStrategyProxy`. */
export class WorkerStrategyHost {
  readonly #definition: StrategyDefinition;
  readonly #params: unknown;
  readonly #onOutOfBandAction: (action: OutOfBandAction) => void;
  readonly #columns = new Map<string, CandleColumns>();
  #created: CreatedStrategy | undefined;

  constructor(
    definition: StrategyDefinition,
    params: unknown,
    onOutOfBandAction: (action: OutOfBandAction) => void,
  ) {
    this.#definition = definition;
    this.#params = params;
    this.#onOutOfBandAction = onOutOfBandAction;
  }

  handle(request: WorkerRequest): WorkerResponse {
    if (request.call.method === 'make') return this.#init(request.call, request);
    const created = this.#created;
    assert(created !== undefined, 'A strategy is created before it is called');
    for (const state of statesOf(created.adapter))
      if (request.rolledBack.includes(state.key)) state.revertCommit();
    created.state.apply(request.delta);
    created.recorder.start();
    let failure: string | undefined;
    try {
      this.#run(created.adapter, request.call);
    } catch (error) {
      failure = failureText(error);
    }
    const states = statesOf(created.adapter, request.symbol);
    if (failure !== undefined) for (const state of states) state.rollback();
    return {
      actions: created.recorder.finish(),
      stateChanges: failure === undefined ? states.flatMap(stateChangeOf) : [],
      ...(failure !== undefined && { error: failure }),
    };
  }

  /** Reverts the state changes of a response that could not be sent. */
  revert({ stateChanges }: WorkerResponse): void {
    if (this.#created === undefined) return;
    for (const state of statesOf(this.#created.adapter))
      if (stateChanges.some((change) => change.key === state.key)) state.revertCommit();
  }

  #init(request: InitRequest, { delta }: WorkerRequest): WorkerResponse {
    const { id, symbols, interval } = request;
    const recorder: ActionRecorder = new ActionRecorder({
      symbols,
      quantityOf: (symbol, size, inputs) => resolver.quantityOf(symbol, size, inputs),
      onOutOfBandAction: this.#onOutOfBandAction,
    });
    const state = new ReplicatedStrategyState(request, recorder.setSchedulerTimer);
    state.apply(delta);
    const resolver = sizingResolver(request, state);
    recorder.start();
    try {
      const settings = { id, symbols, interval, port: state };
      const code = { definition: this.#definition, params: this.#params };
      const adapter = createAdapter({ ...settings, ...code }, recorder, recorder);
      this.#created = { adapter, state, recorder };
      return { actions: recorder.finish(), stateChanges: [], adapter: adapterInfo(adapter) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { actions: recorder.finish(), stateChanges: [], error: message };
    }
  }

  #run(adapter: StrategyAdapter, call: StrategyCall): void {
    if (call.method !== 'onCandle') {
      run(adapter, call);
      return;
    }
    const { symbol, interval, rows, index } = call;
    const name = `${interval} ${symbol}`;
    let columns = this.#columns.get(name);
    if (columns === undefined) this.#columns.set(name, (columns = new CandleColumns()));
    for (let at = 0; at < rows.length; at += ROW_LENGTH)
      columns.append(...(rows.slice(at, at + ROW_LENGTH) as Row));
    assert(columns.length === index + 1, 'Every row of a series is sent once');
    adapter.onCandle(symbol, interval, columns, index);
  }
}

type Row = Parameters<CandleColumns['append']>;
/** Numbers of a candle. */
const ROW_LENGTH = 6;

function run(adapter: StrategyAdapter, call: PlainCall): void {
  if (call.method === 'handle') adapter.handle(call.event);
  else adapter[call.method]();
}

const adapterInfo = (adapter: StrategyAdapter): AdapterInfo => {
  const { isStream, intervals, needs, subscriptions } = adapter;
  const states = statesOf(adapter).map(({ key, fault }) => ({ key, fault }));
  return { isStream, intervals, needs, subscriptions, states };
};

/** The worker created the adapter itself, so that its states are no handles. */
const statesOf = (adapter: StrategyAdapter, symbol?: string): readonly DurableState[] =>
  adapter.states(symbol).map((state) => {
    assert(state instanceof DurableState, 'An adapter on the worker has its states on the worker');
    return state;
  });

function stateChangeOf(state: DurableState): readonly StateChange[] {
  try {
    const write = state.commit();
    return write === undefined ? [] : [{ key: state.key, write }];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ key: state.key, fault: error.message }];
  }
}

/** For sizes from code alone: it resolves no intent. */
function sizingResolver(request: InitRequest, state: ReplicatedStrategyState): IntentResolver {
  const { id, symbols, interval, size, protection, entry, costs } = request;
  return new IntentResolver({
    orderFactory: new OrderFactory(state, { strategyId: id, interval, protection, entry }),
    ...{ size, symbols, interval, costs },
    equity: () => state.equityUsdt,
    volatility: () => undefined,
  });
}
