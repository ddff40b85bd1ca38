import type { PositionChangeReason } from '../../core/account.js';
import type { Quantity } from '../../core/fixed/fixed.js';
import type { EffectSink } from '../../execution/effects.js';
import type { ExternalChangeSource } from '../../strategy/contract/strategy-port.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import type { InactiveTargets } from './inactive-targets.js';

export interface PositionChangeNotifierParts {
  readonly effects: Pick<EffectSink, 'journaling'>;
  readonly hosts: readonly StrategyHost[];
  readonly inactiveTargets: InactiveTargets;
}

/**
 * Reports position changes that no order of a strategy explains: to the running strategies of the symbol,
 * and to the persisted targets of the others.
 */
export class PositionChangeNotifier {
  readonly #parts: PositionChangeNotifierParts;

  constructor(parts: PositionChangeNotifierParts) {
    this.#parts = parts;
  }

  /** A fill without a running owner: of an operator's order, or of the engine's own. */
  onUnownedFill(symbol: string, by: ExternalChangeSource): void {
    this.#notifyHosts(symbol, by, 'external');
  }

  /** A manual order has filled: strategies that do not run must not undo it when they do. */
  onManualFill(symbol: string): void {
    this.#parts.inactiveTargets.onMove(symbol, 'hand');
  }

  /** A backtest has no manual trades. */
  onExternalChange(symbol: string, cause: PositionChangeReason, by: ExternalChangeSource): void {
    this.#parts.inactiveTargets.onMove(symbol, by);
    this.#notifyHosts(symbol, this.#parts.effects.journaling ? by : 'venue', cause);
  }

  /**
   * A change while the strategies were not running. `before`: signed. It applies at once, so that the
   * journal makes it durable together with the position.
   */
  onChangeWhileDown(symbol: string, before: Quantity, reason?: string): void {
    const { hosts, inactiveTargets } = this.#parts;
    inactiveTargets.onMove(symbol, 'hand', before);
    for (const host of hosts)
      if (host.symbols.includes(symbol)) host.onPositionChangedWhileDown(symbol, before, reason);
  }

  #notifyHosts(symbol: string, by: ExternalChangeSource, cause: PositionChangeReason): void {
    for (const host of this.#parts.hosts) {
      if (host.symbols.includes(symbol)) host.onPositionChanged(symbol, by, cause);
    }
  }
}
