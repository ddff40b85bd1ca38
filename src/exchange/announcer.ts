import type { ExchangeEvent } from './simulated-exchange.js';

/**
 * Events wait here until the change that caused them is whole. A listener may place and cancel: what
 * follows from that is told after the event being told, never inside it.
 */
export class Announcer {
  readonly #listeners: ((event: ExchangeEvent) => void)[] = [];
  #queue: ExchangeEvent[] = [];
  #telling = false;

  /** Whether anybody listens: nobody makes a snapshot for no one. */
  get heard(): boolean {
    return this.#listeners.length > 0;
  }

  listen(listener: (event: ExchangeEvent) => void): void {
    this.#listeners.push(listener);
  }

  add(event: ExchangeEvent): void {
    this.#queue.push(event);
  }

  /** Tells what waits, in order. Inside a listener it does nothing: the outer call goes on. */
  tell(): void {
    if (this.#telling || this.#queue.length === 0) return;
    this.#telling = true;
    const queue = this.#queue;
    try {
      // The queue may grow while it is told.
      for (let index = 0; index < queue.length; index += 1) {
        const event = queue[index];
        if (event !== undefined) for (const listener of this.#listeners) listener(event);
      }
    } finally {
      this.#queue = [];
      this.#telling = false;
    }
  }
}
