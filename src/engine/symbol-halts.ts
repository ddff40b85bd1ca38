import type { EffectSink } from '../execution/effects.js';
import type { Journal } from '../execution/journal/journal.js';

/** Symbols whose exposure grew without us, after which the account as a whole is not to be trusted. */
const ACCOUNT_AT = 2;

export interface SymbolHaltsParts {
  readonly journal: Journal;
  readonly effects: EffectSink;
  /** Nothing more leaves the account. */
  readonly haltAccount: (reason: string) => void;
  /** Halts that an earlier life left. */
  readonly recovered?: ReadonlyMap<string, string>;
}

/**
 * Symbols that may only reduce until a person says otherwise: what stands there is not, or not only,
 * what our orders made (R22, the Knight rule). A start does not lift it; the journal keeps it.
 */
export class SymbolHalts {
  readonly #parts: SymbolHaltsParts;
  readonly #reasons: Map<string, string>;
  readonly #grown = new Set<string>();

  constructor(parts: SymbolHaltsParts) {
    this.#parts = parts;
    this.#reasons = new Map(parts.recovered);
  }

  get all(): ReadonlyMap<string, string> {
    return this.#reasons;
  }

  /** Why this symbol may only reduce; undefined: it is free. */
  reason(symbol: string): string | undefined {
    return this.#reasons.get(symbol);
  }

  /** Exposure grew while we watched: once more elsewhere, and the account is halted. */
  grown(symbol: string, cause: string): void {
    this.halt(symbol, cause);
    this.#grown.add(symbol);
    if (this.#grown.size < ACCOUNT_AT) return;
    const symbols = [...this.#grown].join(' and ');
    this.#parts.haltAccount(`exposure of ${symbols} grew without an order of ours`);
  }

  halt(symbol: string, cause: string): void {
    if (this.#reasons.has(symbol)) return;
    this.#reasons.set(symbol, cause);
    const { journal, effects } = this.#parts;
    journal.symbolMode(symbol, { from: 'TRADING', to: 'REDUCE_ONLY' }, cause);
    effects.notify({
      level: 'error',
      text: `${symbol} is halted, only reductions leave for it: ${cause}. To take it up again, stop, look at it, and start with --adopt ${symbol}`,
    });
  }

  /** A person's word. @returns whether it was halted */
  lift(symbol: string, cause: string): boolean {
    this.#grown.delete(symbol);
    if (!this.#reasons.delete(symbol)) return false;
    const { journal, effects } = this.#parts;
    journal.symbolMode(symbol, { from: 'REDUCE_ONLY', to: 'TRADING' }, cause);
    effects.notify({ level: 'info', text: `${symbol} may trade again: ${cause}` });
    return true;
  }
}
