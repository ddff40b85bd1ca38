import { Fifo } from '../core/table/fifo.js';
import type { ExchangeEvent } from './simulated-exchange.js';

/**
 * Holds events until the change that caused them is complete. A listener may place and cancel; events
 * of those calls follow the current event instead of nesting in it.
 */
export class ExchangeEventQueue {
  readonly #listeners: ((event: ExchangeEvent) => void)[] = [];
  readonly #queue = new Fifo<ExchangeEvent>();
  #isFlushing = false;

  /** Without listeners callers skip building snapshots. */
  get hasListeners(): boolean {
    return this.#listeners.length > 0;
  }

  listen(listener: (event: ExchangeEvent) => void): void {
    this.#listeners.push(listener);
  }

  add(event: ExchangeEvent): void {
    this.#queue.add(event);
  }

  /** Emits queued events in order. Inside a listener it does nothing, since the outer call continues. */
  flush(): void {
    if (this.#isFlushing || this.#queue.isEmpty) return;
    this.#isFlushing = true;
    try {
      // Listeners may append to the queue during this loop.
      for (let event = this.#queue.take(); event !== undefined; event = this.#queue.take())
        for (const listener of this.#listeners) listener(event);
    } finally {
      this.#queue.clear();
      this.#isFlushing = false;
    }
  }
}
