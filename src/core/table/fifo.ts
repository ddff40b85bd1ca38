/**
 * First in, first out. It keeps its memory when it gets empty, where an array that is replaced takes new memory at
 * each use: a backtest fills and empties its queues several times for each order.
 */
export class Fifo<T> {
  readonly #items: (T | undefined)[] = [];
  #head = 0;
  #tail = 0;

  get isEmpty(): boolean {
    return this.#head === this.#tail;
  }

  add(item: T): void {
    this.#items[this.#tail] = item;
    this.#tail += 1;
  }

  /** Removes the oldest item. @returns undefined if there is none */
  take(): T | undefined {
    if (this.isEmpty) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.isEmpty) this.clear();
    return item;
  }

  clear(): void {
    this.#items.fill(undefined, this.#head, this.#tail);
    this.#head = 0;
    this.#tail = 0;
  }
}
