import { assert } from '../assert.js';

/** Numbers of two dictionaries fit into one cell: `first + MAX_VALUES * second`. */
export const MAX_VALUES = 2 ** 20;

/** Values that many rows share, by a number below `MAX_VALUES`: a row holds the number. */
export class Dictionary<Value> {
  readonly #values: Value[] = [];
  readonly #indexes = new Map<Value, number>();
  #last = -1;

  indexOf(value: Value): number {
    if (this.#last >= 0 && this.#values[this.#last] === value) return this.#last;
    let index = this.#indexes.get(value);
    if (index === undefined) {
      index = this.#values.push(value) - 1;
      assert(index < MAX_VALUES, 'A dictionary is for values that many rows share');
      this.#indexes.set(value, index);
    }
    this.#last = index;
    return index;
  }

  at(index: number): Value {
    return this.#values[index] as Value;
  }
}
