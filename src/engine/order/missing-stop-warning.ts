import type { OrderIntent } from '../../core/intent.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Gate } from '../../risk/gate.js';
import { enforcesLimits } from '../../risk/preset.js';
import type { RunCounts } from '../account/run-counts.js';

export interface MissingStopWarningParts {
  readonly gate: Gate;
  readonly effects: EffectSink;
  readonly counts: RunCounts;
}

/** R17 under `warn`: entries without a stop are counted, and noted once a strategy. */
export class MissingStopWarning {
  readonly #parts: MissingStopWarningParts;
  readonly #warned = new Set<string>();
  readonly #isActive: boolean;

  constructor(parts: MissingStopWarningParts) {
    this.#parts = parts;
    const { preset, limits } = parts.gate;
    this.#isActive = enforcesLimits(preset) && limits.loss.stopLoss === 'warn';
  }

  /** An intent that the gate approved. */
  onApproved({ strategyId, terms }: OrderIntent): void {
    if (!this.#isActive || terms.reduceOnly || terms.stopLoss !== undefined) return;
    const { counts, effects } = this.#parts;
    counts.entriesWithoutStop += 1;
    if (this.#warned.has(strategyId)) return;
    this.#warned.add(strategyId);
    effects.notify({
      level: 'warn',
      text: `${strategyId}: entries have no stop loss (R17): set protect.stop_loss_pct, or require_stop_loss: off`,
      fields: { control: 'R17', symbol: terms.symbol },
    });
  }
}
