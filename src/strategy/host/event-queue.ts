import { assert } from '../../core/assert.js';

/** One event after the other: what arrives while one is handled waits for its end. */
export class EventQueue {
  readonly #later: (() => void)[] = [];
  #busy = false;

  handle(event: () => void): void {
    if (this.#busy) {
      this.#later.push(event);
      return;
    }
    this.#busy = true;
    event();
    this.end();
  }

  /** For what must not wait, and makes no closure: `end` follows. */
  begin(): void {
    assert(!this.#busy, 'A candle comes between steps');
    this.#busy = true;
  }

  /** Handles what has come meanwhile. */
  end(): void {
    if (this.#later.length > 0) this.#catchUp();
    this.#busy = false;
  }

  #catchUp(): void {
    for (let event = this.#later.shift(); event !== undefined; event = this.#later.shift()) event();
  }
}
