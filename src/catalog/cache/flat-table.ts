/**
 * FlatBuffers as Arrow's metadata need them (https://flatbuffers.dev/internals): tables, vectors, strings, structs.
 * A table stands before its children, so that each reference points forward.
 */
export type FlatValue =
  | { readonly kind: 'scalar'; readonly size: 1 | 2 | 4 | 8; readonly value: number }
  | { readonly kind: 'table'; readonly fields: FlatFields }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tables'; readonly items: readonly FlatFields[] }
  /** Structs of 64-bit integers. */
  | { readonly kind: 'structs'; readonly width: number; readonly values: readonly number[] };

/** Values by the number of their field in the schema; undefined: the default. */
export type FlatFields = readonly (FlatValue | undefined)[];

export const byte = (value: number): FlatValue => ({ kind: 'scalar', size: 1, value });
export const short = (value: number): FlatValue => ({ kind: 'scalar', size: 2, value });
export const long = (value: number): FlatValue => ({ kind: 'scalar', size: 8, value });
export const flatText = (value: string): FlatValue => ({ kind: 'text', text: value });
export const table = (...fields: FlatFields): FlatValue => ({ kind: 'table', fields });
export const tables = (items: readonly FlatFields[]): FlatValue => ({ kind: 'tables', items });
/** @param width integers of one struct */
export const structs = (width: number, values: readonly number[]): FlatValue => ({
  kind: 'structs',
  width,
  values,
});

/** Size of a reference, of the length of a vector and of the field before a table's own. */
const WORD = 4;
const LONG = 8;
const START_BYTES = 4_096;

/** The bytes of a buffer with this root table; their number is a multiple of 8. */
export function flatBuffer(root: FlatFields): Uint8Array {
  const writer = new FlatWriter();
  writer.root(root);
  return writer.bytes();
}

class FlatWriter {
  #view = new DataView(new ArrayBuffer(START_BYTES));
  #end = 0;

  root(fields: FlatFields): void {
    const reference = this.#take(WORD);
    this.#refer(reference, this.#table(fields));
  }

  bytes(): Uint8Array {
    this.#align(LONG, 0);
    return new Uint8Array(this.#view.buffer, 0, this.#end);
  }

  /** @returns the position of the table */
  #table(fields: FlatFields): number {
    const vtable = this.#take(WORD + 2 * fields.length);
    // The fields follow a word, largest first: with the word at 4 modulo 8 each is aligned.
    this.#align(LONG, WORD);
    const start = this.#take(WORD);
    this.#view.setInt32(start, start - vtable, true);
    const present = fields.flatMap((value, index) =>
      value === undefined ? [] : [{ value, index }],
    );
    present.sort((one, other) => inlineSize(other.value) - inlineSize(one.value));
    const places = present.map(({ value, index }) => {
      const at = this.#take(inlineSize(value));
      this.#view.setUint16(vtable + WORD + 2 * index, at - start, true);
      return { value, at };
    });
    this.#view.setUint16(vtable, WORD + 2 * fields.length, true);
    this.#view.setUint16(vtable + 2, this.#end - start, true);
    for (const { value, at } of places) this.#value(value, at);
    return start;
  }

  #value(value: FlatValue, at: number): void {
    if (value.kind === 'scalar') this.#scalar(value.size, value.value, at);
    else this.#refer(at, this.#child(value));
  }

  #scalar(size: number, value: number, at: number): void {
    if (size === 1) this.#view.setUint8(at, value);
    else if (size === 2) this.#view.setInt16(at, value, true);
    else if (size === WORD) this.#view.setInt32(at, value, true);
    else this.#view.setBigInt64(at, BigInt(value), true);
  }

  #child(value: Exclude<FlatValue, { readonly kind: 'scalar' }>): number {
    if (value.kind === 'table') return this.#table(value.fields);
    if (value.kind === 'text') return this.#text(value.text);
    if (value.kind === 'structs') return this.#structs(value.values, value.width);
    this.#align(WORD, 0);
    const start = this.#take(WORD * (1 + value.items.length));
    this.#view.setUint32(start, value.items.length, true);
    for (const [index, item] of value.items.entries())
      this.#refer(start + WORD * (1 + index), this.#table(item));
    return start;
  }

  #text(value: string): number {
    const bytes = new TextEncoder().encode(value);
    this.#align(WORD, 0);
    // A 0 follows the text.
    const start = this.#take(WORD + bytes.length + 1);
    this.#view.setUint32(start, bytes.length, true);
    new Uint8Array(this.#view.buffer).set(bytes, start + WORD);
    return start;
  }

  #structs(values: readonly number[], width: number): number {
    this.#align(LONG, WORD);
    const start = this.#take(WORD + LONG * values.length);
    this.#view.setUint32(start, values.length / width, true);
    for (const [index, value] of values.entries())
      this.#scalar(LONG, value, start + WORD + LONG * index);
    return start;
  }

  /** Sets a reference to a later position. */
  #refer(at: number, target: number): void {
    this.#view.setUint32(at, target - at, true);
  }

  #align(unit: number, rest: number): void {
    this.#take((unit + rest - (this.#end % unit)) % unit);
  }

  /** @returns the position of so many bytes, which are 0 */
  #take(size: number): number {
    const start = this.#end;
    this.#end += size;
    if (this.#end > this.#view.byteLength) {
      const grown = new Uint8Array(2 * this.#end);
      grown.set(new Uint8Array(this.#view.buffer, 0, start));
      this.#view = new DataView(grown.buffer);
    }
    return start;
  }
}

const inlineSize = (value: FlatValue): number => (value.kind === 'scalar' ? value.size : WORD);
