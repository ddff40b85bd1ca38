/** Values that many rows share, by a small number: a row holds the number. */
export class Dictionary<Value> {
  readonly #values: Value[] = [];
  readonly #indexes = new Map<Value, number>();
  #last = -1;

  indexOf(value: Value): number {
    if (this.#last >= 0 && this.#values[this.#last] === value) return this.#last;
    let index = this.#indexes.get(value);
    if (index === undefined) {
      index = this.#values.push(value) - 1;
      this.#indexes.set(value, index);
    }
    this.#last = index;
    return index;
  }

  at(index: number): Value {
    return this.#values[index] as Value;
  }
}
