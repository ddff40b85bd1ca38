import type { Currency } from '../core/currency.js';
import type { Quantity } from '../core/fixed.js';
import type { Journal } from '../execution/journal/journal.js';
import type { PositionBook } from '../execution/position-book.js';
import type { RecoveredState, RecoveredStates } from '../execution/recovery/recovered-states.js';
import { heldTarget, targetKeyOf } from '../strategy/kept-target.js';

export interface AbsentTargetsParts {
  readonly journal: Journal;
  readonly positions: PositionBook;
  readonly currency: Currency;
  /** The states that earlier lives kept; absent: none. */
  readonly states?: RecoveredStates;
  /** Ids of the strategies that run. */
  readonly seated: readonly string[];
}

/**
 * Kept targets of strategies that do not run in this life: in a session of a person's own, or removed from
 * the configuration. A part that a person takes off here is not bought back when they run again.
 */
export class AbsentTargets {
  readonly #parts: AbsentTargetsParts;
  /** Strategy id → symbol → its target as it was kept last. */
  readonly #kept = new Map<string, Map<string, RecoveredState>>();

  constructor(parts: AbsentTargetsParts) {
    this.#parts = parts;
  }

  /** The position is believed already. @param before signed; absent: as each target wanted it */
  movedByHand(symbol: string, before?: Quantity): void {
    const { states, seated, positions, currency, journal } = this.#parts;
    const now = positions.own(symbol, currency);
    const key = targetKeyOf(symbol);
    for (const [id, own] of states ?? []) {
      if (seated.includes(id)) continue;
      const held = heldTarget(this.#kept.get(id)?.get(symbol) ?? own.get(key), { now, before });
      if (held === undefined) continue;
      this.#kept.set(id, new Map(this.#kept.get(id)).set(symbol, held));
      journal.state(id, { key, ...held });
    }
  }
}
