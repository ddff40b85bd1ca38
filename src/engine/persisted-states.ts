import type { RecoveredStates } from '../execution/recovery/recovered-states.js';
import type { PersistedState } from '../strategy/contract/strategy-port.js';

/** Durable states of all strategies, of previous runs and of this one, by strategy id and key. */
export class PersistedStates {
  readonly #states = new Map<string, Map<string, PersistedState>>();

  /** @param recovered states that previous runs persisted */
  constructor(recovered: RecoveredStates = new Map()) {
    for (const [id, own] of recovered) this.#states.set(id, new Map(own));
  }

  get all(): Iterable<readonly [string, Map<string, PersistedState>]> {
    return this.#states;
  }

  /** States of one strategy; changes of the map are kept. */
  of(strategy: string): Map<string, PersistedState> {
    let own = this.#states.get(strategy);
    if (own === undefined) this.#states.set(strategy, (own = new Map()));
    return own;
  }
}
