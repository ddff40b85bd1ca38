import type { EffectSink } from '../../execution/effects.js';
import type { TradingState } from '../trading-state.js';

/** Symbols that grew in one run after which the whole account is restricted. */
const ACCOUNT_HALT_THRESHOLD = 2;

export interface SymbolHaltsParts {
  readonly tradingState: TradingState;
  readonly effects: EffectSink;
  /** Whether an external hand holds its symbol (`foreign_hand`); otherwise it is only logged. */
  readonly isHeld: () => boolean;
}

/**
 * Symbols that may only reduce until a person adopts or resumes them, because their exposure is not, or not
 * only, the result of our orders (control R22). A restart does not lift a halt; the journal keeps it.
 */
export class SymbolHalts {
  readonly #parts: SymbolHaltsParts;
  /** Causes that were only logged. */
  readonly #warned = new Map<string, string>();
  readonly #grownSymbols = new Set<string>();

  constructor(parts: SymbolHaltsParts) {
    this.#parts = parts;
  }

  /** Symbol → reason. */
  get all(): ReadonlyMap<string, string> {
    return new Map(
      this.#parts.tradingState.restrictions.flatMap(({ control, symbol, cause }) =>
        control === 'R22' && symbol !== undefined ? [[symbol, cause] as const] : [],
      ),
    );
  }

  /** Why this symbol may only reduce; undefined: it is not halted. */
  reason(symbol: string): string | undefined {
    return this.#parts.tradingState.restriction('R22', symbol)?.cause;
  }

  /** Exposure grew during the run. A second symbol restricts the account. */
  onExposureGrown(symbol: string, cause: string): void {
    this.halt(symbol, cause);
    if (!this.#parts.isHeld()) return;
    this.#grownSymbols.add(symbol);
    if (this.#grownSymbols.size < ACCOUNT_HALT_THRESHOLD) return;
    const symbols = [...this.#grownSymbols].join(' and ');
    this.#parts.tradingState.restrict({
      control: 'R22',
      to: 'HALTED',
      class: 'latching',
      cause: `exposure of ${symbols} grew without an order of ours`,
    });
  }

  halt(symbol: string, cause: string): void {
    const { tradingState, effects, isHeld } = this.#parts;
    if (!isHeld()) {
      if (this.#warned.get(symbol) === cause) return;
      this.#warned.set(symbol, cause);
      effects.notify({ level: 'warn', text: `${symbol}: ${cause} (foreign_hand: warn)` });
      return;
    }
    tradingState.restrict({
      control: 'R22',
      symbol,
      to: 'REDUCE_ONLY',
      class: 'latching',
      cause,
    });
  }

  /** Lifts the halt on a person's command. @returns whether the symbol was halted */
  lift(symbol: string, cause: string): boolean {
    this.#grownSymbols.delete(symbol);
    const { tradingState, effects } = this.#parts;
    if (tradingState.restriction('R22', symbol) === undefined) return false;
    tradingState.lift('R22', symbol, cause);
    effects.notify({ level: 'info', text: `${symbol} may trade again: ${cause}` });
    return true;
  }
}
