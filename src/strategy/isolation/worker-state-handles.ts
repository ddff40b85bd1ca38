import type { DurableStateHandle, StateWrite } from '../host/durable-state.js';
import type { AdapterInfo, StateChange } from './worker-messages.js';

/** The engine's handle of a state on a strategy's thread, with the change of the last call. */
class WorkerStateHandle implements DurableStateHandle {
  readonly fault: string | undefined;
  readonly #onRollback: () => void;
  change: StateChange | undefined;

  constructor(fault: string | undefined, onRollback: () => void) {
    this.fault = fault;
    this.#onRollback = onRollback;
  }

  commit(): StateWrite | undefined {
    const { change } = this;
    this.change = undefined;
    if (change !== undefined && 'fault' in change) throw new RangeError(change.fault);
    return change?.write;
  }

  /** The worker has rolled back a call that threw, and is informed of any other with the next call. */
  rollback(): void {
    if (this.change !== undefined && 'write' in this.change) this.#onRollback();
    this.change = undefined;
  }
}

/** The states of one strategy, by key: a symbol, or `*` for all symbols. */
export class WorkerStateHandles {
  readonly #handles: ReadonlyMap<string, WorkerStateHandle>;
  readonly #all: readonly WorkerStateHandle[];
  readonly #rolledBack = new Set<string>();

  constructor(states: AdapterInfo['states']) {
    this.#handles = new Map(
      states.map(({ key, fault }) => [
        key,
        new WorkerStateHandle(fault, () => this.#rolledBack.add(key)),
      ]),
    );
    this.#all = [...this.#handles.values()];
  }

  of(symbol?: string): readonly DurableStateHandle[] {
    if (symbol === undefined || this.#all.length === 0) return this.#all;
    const handle = this.#handles.get(symbol) ?? this.#handles.get('*');
    return handle === undefined ? [] : [handle];
  }

  /** Keys of rolled-back changes, for the next request. */
  takeRolledBack(): readonly string[] {
    if (this.#rolledBack.size === 0) return NONE;
    const rolledBack = [...this.#rolledBack];
    this.#rolledBack.clear();
    return rolledBack;
  }

  setChanges(changes: readonly StateChange[]): void {
    for (const handle of this.#all) handle.change = undefined;
    for (const change of changes) {
      const handle = this.#handles.get(change.key);
      if (handle !== undefined) handle.change = change;
    }
  }
}

const NONE: readonly string[] = [];
