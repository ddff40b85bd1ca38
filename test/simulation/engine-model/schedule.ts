interface Item {
  readonly at: number;
  readonly run: () => void;
}

/** What is to happen, by its time: monotonic ms. Nothing waits for a promise. */
export class Schedule {
  /** Latest first. */
  readonly #items: Item[] = [];
  /** Runs after each. */
  afterEach: () => void = () => undefined;
  now = 0;

  at(at: number, run: () => void): void {
    const items = this.#items;
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((items[middle] as Item).at > at) low = middle + 1;
      else high = middle;
    }
    items.splice(low, 0, { at: Math.max(at, this.now), run });
  }

  after(delayMs: number, run: () => void): void {
    this.at(this.now + delayMs, run);
  }

  runUntil(end: number): void {
    for (let next = this.#items.at(-1); next !== undefined && next.at <= end;) {
      this.#items.pop();
      this.now = Math.max(this.now, next.at);
      next.run();
      this.afterEach();
      next = this.#items.at(-1);
    }
    this.now = end;
  }
}
