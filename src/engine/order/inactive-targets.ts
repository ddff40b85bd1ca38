import type { Currency } from '../../core/currency.js';
import type { Quantity } from '../../core/fixed/fixed.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { ExternalChangeSource } from '../../strategy/contract/strategy-port.js';
import { suspendedTarget, targetStateKey } from '../../strategy/target/persisted-target.js';
import type { PersistedStates } from '../persisted-states.js';

export interface InactiveTargetsParts {
  readonly journal: Journal;
  readonly positions: PositionLedger;
  readonly currency: Currency;
  readonly states: PersistedStates;
  /** Whether a strategy of this id runs, and no person has stopped it. */
  readonly isRunning: (strategy: string) => boolean;
}

/**
 * Persisted targets of strategies that do not run now: stopped by a person, in an operator's session, or after
 * their removal from the configuration. A part that a person closes now is not bought back when they run again.
 */
export class InactiveTargets {
  readonly #parts: InactiveTargetsParts;

  constructor(parts: InactiveTargetsParts) {
    this.#parts = parts;
  }

  /**
   * Called after the position has changed.
   * @param before signed; absent: as each target wants it
   */
  onMove(symbol: string, by: ExternalChangeSource, before?: Quantity): void {
    const { states, isRunning, positions, currency, journal } = this.#parts;
    const now = positions.ownQuantity(symbol, currency);
    const key = targetStateKey(symbol);
    for (const [id, own] of states.all) {
      if (isRunning(id)) continue;
      const held = suspendedTarget(own.get(key), { now, before, by });
      if (held === undefined) continue;
      own.set(key, held);
      journal.state(id, { key, ...held });
    }
  }
}
