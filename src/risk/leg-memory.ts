/** Kept at most, of either form. What is older is still refused, by the venue: its id is used. */
const KEPT = 100_000;

/**
 * Which decisions and legs of one book had their order. Integers come nearly always ascending, so a
 * sorted array answers most questions by its last element, and no hash table grows with the run.
 */
export class LegMemory {
  #numbers: number[] = [];
  readonly #texts = new Set<string>();

  has(leg: number | string): boolean {
    if (typeof leg === 'string') return this.#texts.has(leg);
    const last = this.#numbers.at(-1);
    if (last === undefined || leg > last) return false;
    return this.#numbers[this.#placeOf(leg)] === leg;
  }

  add(leg: number | string): void {
    if (typeof leg === 'string') this.#addText(leg);
    else this.#addNumber(leg);
  }

  #addText(leg: string): void {
    this.#texts.add(leg);
    if (this.#texts.size <= KEPT) return;
    const [oldest] = this.#texts;
    if (oldest !== undefined) this.#texts.delete(oldest);
  }

  #addNumber(leg: number): void {
    const last = this.#numbers.at(-1);
    if (last === undefined || leg > last) this.#numbers.push(leg);
    else if (!this.has(leg)) this.#numbers.splice(this.#placeOf(leg), 0, leg);
    // In halves: a shift for each would move the whole array.
    if (this.#numbers.length > 2 * KEPT) this.#numbers = this.#numbers.slice(-KEPT);
  }

  /** Index of the first number that is not below `leg`. */
  #placeOf(leg: number): number {
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle] ?? leg) < leg) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
