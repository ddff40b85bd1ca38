/** Most entries of each kind. The venue refuses an older one, because its order id is used. */
const MAX_ENTRIES = 100_000;

/**
 * Decisions and legs that have had their order. Integers nearly always ascend, so that a sorted array
 * answers most lookups by its last element, and no hash table grows with the run.
 */
export class SubmittedLegs {
  #numbers: number[] = [];
  readonly #texts = new Set<string>();

  has(leg: number | string): boolean {
    if (typeof leg === 'string') return this.#texts.has(leg);
    const last = this.#numbers.at(-1);
    if (last === undefined || leg > last) return false;
    return this.#numbers[this.#indexOf(leg)] === leg;
  }

  add(leg: number | string): void {
    if (typeof leg === 'string') this.#addText(leg);
    else this.#addNumber(leg);
  }

  #addText(leg: string): void {
    this.#texts.add(leg);
    if (this.#texts.size <= MAX_ENTRIES) return;
    const [oldest] = this.#texts;
    if (oldest !== undefined) this.#texts.delete(oldest);
  }

  #addNumber(leg: number): void {
    const last = this.#numbers.at(-1);
    if (last === undefined || leg > last) this.#numbers.push(leg);
    else if (!this.has(leg)) this.#numbers.splice(this.#indexOf(leg), 0, leg);
    // Halves the array at times: one shift per entry would move all of it.
    if (this.#numbers.length > 2 * MAX_ENTRIES) this.#numbers = this.#numbers.slice(-MAX_ENTRIES);
  }

  /** Index of the first number that is not below `leg`. */
  #indexOf(leg: number): number {
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle] ?? leg) < leg) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
