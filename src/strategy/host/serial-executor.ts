import { assert } from '../../core/assert.js';

/** Handles one event at a time: events that arrive meanwhile wait for its end. */
export class SerialExecutor {
  readonly #pending: (() => void)[] = [];
  #busy = false;

  run(event: () => void): void {
    if (this.#busy) {
      this.#pending.push(event);
      return;
    }
    this.#busy = true;
    event();
    this.end();
  }

  /** Starts an event that must not wait, without a closure; `end` must follow. */
  begin(): void {
    assert(!this.#busy, 'A candle comes between events');
    this.#busy = true;
  }

  /** Handles the events that have arrived meanwhile. */
  end(): void {
    if (this.#pending.length > 0) this.#runPending();
    this.#busy = false;
  }

  #runPending(): void {
    for (let event = this.#pending.shift(); event !== undefined; event = this.#pending.shift())
      event();
  }
}
