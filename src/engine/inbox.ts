import type { EngineEvent } from '../core/events.js';

/**
 * A plain FIFO in front of the engine, not re-entrant: a step is finished before the next begins, so
 * what a step causes comes after everything that was there before it.
 */
export class Inbox {
  readonly #deliver: (event: EngineEvent) => void;
  readonly #drained: () => void;
  readonly #queue: EngineEvent[] = [];
  #delivering = false;
  #closed = false;

  /** @param drained after the last of the events that belong together */
  constructor(deliver: (event: EngineEvent) => void, drained: () => void = () => undefined) {
    this.#deliver = deliver;
    this.#drained = drained;
  }

  /** @throws what a step threw; the inbox is closed then, since half a step is no state to go on from */
  push(event: EngineEvent): void {
    if (this.#closed) return;
    this.#queue.push(event);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        this.#deliver(next);
      }
      this.#drained();
    } catch (error) {
      this.close();
      throw error;
    } finally {
      this.#delivering = false;
    }
  }

  /** Nothing is delivered after it. */
  close(): void {
    this.#closed = true;
    this.#queue.length = 0;
  }
}
