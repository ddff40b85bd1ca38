import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';

/** Halted symbols in one run after which the whole account is halted. */
const ACCOUNT_HALT_THRESHOLD = 2;

export interface SymbolHaltsParts {
  readonly journal: Journal;
  readonly effects: EffectSink;
  /** Halts the account: no more orders leave. */
  readonly haltAccount: (reason: string) => void;
  /** Halts that previous runs left. */
  readonly recovered?: ReadonlyMap<string, string>;
}

/**
 * Symbols that may only reduce until a person adopts them, because their exposure is not, or not only,
 * the result of our orders (control R22). A restart does not lift a halt; the journal keeps it.
 */
export class SymbolHalts {
  readonly #parts: SymbolHaltsParts;
  readonly #reasons: Map<string, string>;
  readonly #grownSymbols = new Set<string>();

  constructor(parts: SymbolHaltsParts) {
    this.#parts = parts;
    this.#reasons = new Map(parts.recovered);
  }

  get all(): ReadonlyMap<string, string> {
    return this.#reasons;
  }

  /** Why this symbol may only reduce; undefined: it is not halted. */
  reason(symbol: string): string | undefined {
    return this.#reasons.get(symbol);
  }

  /** Exposure grew during the run. A second symbol halts the account. */
  onExposureGrown(symbol: string, cause: string): void {
    this.halt(symbol, cause);
    this.#grownSymbols.add(symbol);
    if (this.#grownSymbols.size < ACCOUNT_HALT_THRESHOLD) return;
    const symbols = [...this.#grownSymbols].join(' and ');
    this.#parts.haltAccount(`exposure of ${symbols} grew without an order of ours`);
  }

  halt(symbol: string, cause: string): void {
    if (this.#reasons.has(symbol)) return;
    this.#reasons.set(symbol, cause);
    const { journal, effects } = this.#parts;
    journal.symbolMode(symbol, { from: 'TRADING', to: 'REDUCE_ONLY' }, cause);
    effects.notify({
      level: 'error',
      text: `${symbol} is halted (reduce-only): ${cause}. To resume: stop the bot, review the position, then start with --adopt ${symbol}`,
    });
  }

  /** Lifts the halt on a person's command. @returns whether the symbol was halted */
  lift(symbol: string, cause: string): boolean {
    this.#grownSymbols.delete(symbol);
    if (!this.#reasons.delete(symbol)) return false;
    const { journal, effects } = this.#parts;
    journal.symbolMode(symbol, { from: 'REDUCE_ONLY', to: 'TRADING' }, cause);
    effects.notify({ level: 'info', text: `${symbol} may trade again: ${cause}` });
    return true;
  }
}
