import type { EngineEvent } from '../core/events.js';

/**
 * A FIFO queue in front of the engine, not re-entrant: one step ends before the next starts, so the
 * events that a step causes come after all earlier ones.
 */
export class Inbox {
  readonly #deliver: (event: EngineEvent) => void;
  readonly #onDrained: () => void;
  readonly #queue: EngineEvent[] = [];
  #isDelivering = false;
  #isClosed = false;

  /** @param onDrained called after the last event of a burst */
  constructor(deliver: (event: EngineEvent) => void, onDrained: () => void = () => undefined) {
    this.#deliver = deliver;
    this.#onDrained = onDrained;
  }

  /** @throws the error of a step; it closes the inbox, because half a step leaves no valid state */
  push(event: EngineEvent): void {
    if (this.#isClosed) return;
    this.#queue.push(event);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        this.#deliver(next);
      }
      this.#onDrained();
    } catch (error) {
      this.close();
      throw error;
    } finally {
      this.#isDelivering = false;
    }
  }

  /** Drops queued events; later ones are ignored. */
  close(): void {
    this.#isClosed = true;
    this.#queue.length = 0;
  }
}
