import { assert } from '../assert.js';
import { removeAt } from './remove-at.js';

/**
 * Values by numbers that count up, of which few are present at a time. A `Map` that an order enters and leaves is
 * built anew each time it gets empty, and its dead tables keep their values alive for the garbage collector.
 */
export class OrdinalMap<Value> {
  readonly #keys: number[] = [];
  readonly #values: Value[] = [];

  get size(): number {
    return this.#keys.length;
  }

  /** @param key above all that are present */
  add(key: number, value: Value): void {
    const { length } = this.#keys;
    if (length > 0 && !(key > (this.#keys[length - 1] as number)))
      assert(false, `The number ${key} counts up`);
    this.#keys.push(key);
    this.#values.push(value);
  }

  get(key: number): Value | undefined {
    const at = this.#indexOf(key);
    return at < 0 ? undefined : this.#values[at];
  }

  has(key: number): boolean {
    return this.#indexOf(key) >= 0;
  }

  delete(key: number): void {
    const at = this.#indexOf(key);
    if (at < 0) return;
    removeAt(this.#keys, at);
    removeAt(this.#values, at);
  }

  /** In the order of their numbers. */
  get values(): readonly Value[] {
    return this.#values;
  }

  #indexOf(key: number): number {
    const keys = this.#keys;
    let [low, high] = [0, keys.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const at = keys[middle] as number;
      if (at === key) return middle;
      if (at < key) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
