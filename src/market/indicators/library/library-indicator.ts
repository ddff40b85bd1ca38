import { createRequire } from 'node:module';
import type { Candle } from '../../../core/candle.js';
import {
  checkRow,
  columnLike,
  firstNumberRow,
  rowCount,
  type CandleRows,
} from '../window/column.js';
import {
  checkCandle,
  checkFinite,
  type Indicator,
  type InputColumns,
  type OutputColumns,
} from '../indicator.js';

export type Library = typeof import('technicalindicators');

const require = createRequire(import.meta.url);
let library: Library | undefined;
/** Loaded on demand: it takes about 35 ms. */
const load = (): Library => (library ??= require('technicalindicators') as Library);

/** Formatter that disables the rounding of the library, a global setting of the process. */
export const unrounded = (value: number): number => value;

/** Describes how to create and read an indicator of the library, which holds its state. */
export interface LibraryIndicatorSpec<Input, Output> {
  readonly name: string;
  readonly warmup: number;
  /** Fields that are read of a candle; undefined for an indicator of numbers. */
  readonly fields: Input extends number ? undefined : readonly (keyof Candle & keyof Input)[];
  /** Fields of a value; undefined if it is a single number. */
  readonly outputFields: Output extends number ? undefined : readonly (keyof Output)[];
  /** @returns a function from an input to the value. Its results before `warmup` inputs are ignored. */
  createStep(library: Library): (input: Input) => Output | undefined;
}

/**
 * An indicator of the package technicalindicators behind the interface `Indicator`. The package does
 * not state its warm-up, lets a NaN persist, reads some 0 as "no value" and divides by 0 in a flat
 * market. So this class checks the inputs and counts the warm-up, and each spec handles a flat market.
 */
export class LibraryIndicator<Input, Output> implements Indicator<Input, Output> {
  readonly name: string;
  readonly warmup: number;
  value: Output | undefined = undefined;
  readonly #spec: LibraryIndicatorSpec<Input, Output>;
  #step: (input: Input) => Output | undefined;
  #count = 0;

  constructor(spec: LibraryIndicatorSpec<Input, Output>) {
    this.name = spec.name;
    this.warmup = spec.warmup;
    this.#spec = spec;
    this.#step = spec.createStep(load());
  }

  update(input: Input): void {
    this.#check(input);
    const value = this.#step(input);
    if (this.#count < this.warmup) this.#count++;
    if (this.#count === this.warmup) this.value = value;
  }

  next(input: Input): Output | undefined {
    this.update(input);
    return this.value;
  }

  reset(): void {
    this.#step = this.#spec.createStep(load());
    this.#count = 0;
    this.value = undefined;
  }

  over(inputs: InputColumns<Input>): OutputColumns<Output> {
    const run = new LibraryIndicator(this.#spec);
    const { fields } = this.#spec;
    const columns =
      fields === undefined
        ? run.#overNumbers(inputs as Float64Array)
        : run.#overCandles(inputs as CandleRows<keyof Candle>, fields);
    return columns as OutputColumns<Output>;
  }

  #check(input: Input): void {
    const { name, fields } = this.#spec;
    if (fields === undefined) {
      checkFinite(name, input as number);
      return;
    }
    const candle = input as Partial<Candle>;
    checkCandle(name, sumOf(candle, fields), candle, fields);
  }

  #overNumbers(inputs: Float64Array): unknown {
    const first = firstNumberRow(this.name, inputs);
    const write = this.#writer(inputs, inputs.length);
    for (let row = 0; row < inputs.length; row++) {
      if (row >= first) this.update(inputs[row] as Input);
      write.row(row, this.value);
    }
    return write.columns;
  }

  #overCandles(candles: CandleRows<keyof Candle>, fields: readonly (keyof Candle)[]): unknown {
    const rows = rowCount(this.name, candles, fields);
    const write = this.#writer(candles[fields[0] as keyof Candle], rows);
    for (let row = 0; row < rows; row++) {
      const candle = Object.fromEntries(fields.map((field) => [field, candles[field][row]]));
      checkRow(this.name, sumOf(candle, fields), row, candles, fields);
      this.update(candle as Input);
      write.row(row, this.value);
    }
    return write.columns;
  }

  #writer(like: Float64Array, rows: number): ColumnWriter<Output> {
    const { outputFields } = this.#spec;
    if (outputFields === undefined) {
      const column = columnLike(like, rows);
      return { columns: column, row: (row, value) => (column[row] = (value ?? NaN) as number) };
    }
    const columns = outputFields.map((part) => [part, columnLike(like, rows)] as const);
    return {
      columns: Object.fromEntries(columns),
      row: (row, value) => {
        for (const [part, column] of columns) column[row] = (value?.[part] ?? NaN) as number;
      },
    };
  }
}

function sumOf(candle: Partial<Candle>, fields: readonly (keyof Candle)[]): number {
  let sum = 0;
  for (const field of fields) sum += candle[field] as number;
  return sum;
}

interface ColumnWriter<Output> {
  readonly columns: unknown;
  row(row: number, value: Output | undefined): void;
}
