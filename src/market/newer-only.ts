/** Remembers the newest open time of each stream, so that nothing is heard twice or out of order. */
export class NewerOnly {
  readonly #newest = new Map<string, number>();

  /** Whether it is newer than all before it, ms UTC; from then on it is the newest. */
  take(stream: string, openTime: number): boolean {
    if (openTime <= (this.#newest.get(stream) ?? -Infinity)) return false;
    this.#newest.set(stream, openTime);
    return true;
  }
}
