/** Counts, by symbol, polls in a row that show the same thing, until they are enough. */
export class Rounds {
  readonly #bound: { readonly polls: number; readonly ms: number };
  readonly #rounds = new Map<string, { readonly since: number; readonly polls: number }>();

  constructor(bound: { readonly polls: number; readonly ms: number }) {
    this.#bound = bound;
  }

  /** One more poll, begun at monotonic ms. @returns whether they are enough, over long enough */
  count(symbol: string, startedAt: number): boolean {
    const { since, polls } = this.#rounds.get(symbol) ?? { since: startedAt, polls: 0 };
    this.#rounds.set(symbol, { since, polls: polls + 1 });
    return polls + 1 >= this.#bound.polls && startedAt - since >= this.#bound.ms;
  }

  forget(symbol: string): void {
    this.#rounds.delete(symbol);
  }

  /** Forgets every other symbol. */
  keep(symbols: ReadonlySet<string>): void {
    for (const symbol of this.#rounds.keys()) if (!symbols.has(symbol)) this.forget(symbol);
  }
}
