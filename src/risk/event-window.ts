interface Counted {
  readonly at: number;
  readonly weight: number;
}

/** Sum of weights within a sliding window. An event exactly as old as the window has left it. */
export class EventWindow {
  readonly #windowMs: number;
  #events: Counted[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** @returns the sum with this event; times do not descend */
  add(at: number, weight = 1): number {
    this.#events = this.#events.filter((event) => at - event.at < this.#windowMs);
    this.#events.push({ at, weight });
    return this.sum(at);
  }

  /** The sum of the events of the window that ends at this time. */
  sum(at: number): number {
    let sum = 0;
    for (const event of this.#events) if (at - event.at < this.#windowMs) sum += event.weight;
    return sum;
  }
}
