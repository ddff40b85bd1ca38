/** Counts, by symbol, consecutive polls with the same result, up to a bound. */
export class RepeatedPollCounter {
  readonly #bound: { readonly polls: number; readonly ms: number };
  readonly #counts = new Map<string, { readonly since: number; readonly polls: number }>();

  constructor(bound: { readonly polls: number; readonly ms: number }) {
    this.#bound = bound;
  }

  /**
   * Adds a poll that began at monotonic ms `startedAt`. @returns whether count and duration reach the bound
   */
  count(symbol: string, startedAt: number): boolean {
    const { since, polls } = this.#counts.get(symbol) ?? { since: startedAt, polls: 0 };
    this.#counts.set(symbol, { since, polls: polls + 1 });
    return polls + 1 >= this.#bound.polls && startedAt - since >= this.#bound.ms;
  }

  forget(symbol: string): void {
    this.#counts.delete(symbol);
  }

  /** Drops every other symbol. */
  retainOnly(symbols: ReadonlySet<string>): void {
    for (const symbol of this.#counts.keys()) if (!symbols.has(symbol)) this.forget(symbol);
  }
}
