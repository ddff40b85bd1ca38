import type { Currency } from '../../core/currency.js';
import type { Quantity } from '../../core/fixed/fixed.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { RecoveredState, RecoveredStates } from '../../execution/recovery/recovered-states.js';
import { suspendedTarget, targetStateKey } from '../../strategy/target/persisted-target.js';

export interface InactiveTargetsParts {
  readonly journal: Journal;
  readonly positions: PositionLedger;
  readonly currency: Currency;
  /** States that previous runs persisted; absent: none. */
  readonly states?: RecoveredStates;
  /** Ids of the strategies that run. */
  readonly runningStrategyIds: readonly string[];
}

/**
 * Persisted targets of strategies that do not run now, in an operator's session or after their removal
 * from the configuration. A part that a person closes now is not bought back when they run again.
 */
export class InactiveTargets {
  readonly #parts: InactiveTargetsParts;
  /** Strategy id → symbol → its last persisted target. */
  readonly #persisted = new Map<string, Map<string, RecoveredState>>();

  constructor(parts: InactiveTargetsParts) {
    this.#parts = parts;
  }

  /** Called after the position has changed. @param before signed; absent: as each target wants it */
  onManualMove(symbol: string, before?: Quantity): void {
    const { states, runningStrategyIds, positions, currency, journal } = this.#parts;
    const now = positions.ownQuantity(symbol, currency);
    const key = targetStateKey(symbol);
    for (const [id, own] of states ?? []) {
      if (runningStrategyIds.includes(id)) continue;
      const held = suspendedTarget(this.#persisted.get(id)?.get(symbol) ?? own.get(key), {
        now,
        before,
      });
      if (held === undefined) continue;
      this.#persisted.set(id, new Map(this.#persisted.get(id)).set(symbol, held));
      journal.state(id, { key, ...held });
    }
  }
}
