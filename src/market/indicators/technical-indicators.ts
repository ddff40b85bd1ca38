import { createRequire } from 'node:module';
import type { Candle } from '../../core/candle.js';
import { checkRow, columnBeside, firstRow, rowCount, type Rows } from './column.js';
import {
  checkCandle,
  checkFinite,
  type Indicator,
  type InputColumns,
  type OutputColumns,
} from './indicator.js';

export type Library = typeof import('technicalindicators');

const require = createRequire(import.meta.url);
let library: Library | undefined;
/** Loading takes some 35 ms, which a run without these indicators need not pay. */
const load = (): Library => (library ??= require('technicalindicators') as Library);

/** Without it the library rounds by a setting that is global to the process. */
export const unrounded = (value: number): number => value;

/** How an indicator of the library is made and read. Its state lives there. */
export interface Recipe<Input, Output> {
  readonly name: string;
  readonly warmup: number;
  /** What is read of a candle; undefined for an indicator of numbers. */
  readonly fields: Input extends number ? undefined : readonly (keyof Candle & keyof Input)[];
  /** Names of the numbers in a value; undefined for a single one. */
  readonly parts: Output extends number ? undefined : readonly (keyof Output)[];
  /** @returns what tells the value with an input; what it tells before `warmup` inputs does not count */
  start(library: Library): (input: Input) => Output | undefined;
}

/**
 * An indicator of the technicalindicators package behind our interface. The package tells values
 * without saying to which input they belong, keeps one NaN for ever, takes 0 for "none" here and there,
 * and divides by 0 in a flat market: inputs are checked before it sees them, the warm-up is counted
 * here, and each recipe says what a flat market is.
 */
export class TechnicalIndicator<Input, Output> implements Indicator<Input, Output> {
  readonly name: string;
  readonly warmup: number;
  value: Output | undefined = undefined;
  readonly #recipe: Recipe<Input, Output>;
  #step: (input: Input) => Output | undefined;
  #count = 0;

  constructor(recipe: Recipe<Input, Output>) {
    this.name = recipe.name;
    this.warmup = recipe.warmup;
    this.#recipe = recipe;
    this.#step = recipe.start(load());
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
    this.#step = this.#recipe.start(load());
    this.#count = 0;
    this.value = undefined;
  }

  over(inputs: InputColumns<Input>): OutputColumns<Output> {
    const run = new TechnicalIndicator(this.#recipe);
    const { fields } = this.#recipe;
    const columns =
      fields === undefined
        ? run.#overNumbers(inputs as Float64Array)
        : run.#overCandles(inputs as Rows<keyof Candle>, fields);
    return columns as OutputColumns<Output>;
  }

  #check(input: Input): void {
    const { name, fields } = this.#recipe;
    if (fields === undefined) {
      checkFinite(name, input as number);
      return;
    }
    const candle = input as Partial<Candle>;
    checkCandle(name, sumOf(candle, fields), candle, fields);
  }

  #overNumbers(inputs: Float64Array): unknown {
    const first = firstRow(this.name, inputs);
    const write = this.#writer(inputs, inputs.length);
    for (let row = 0; row < inputs.length; row++) {
      if (row >= first) this.update(inputs[row] as Input);
      write.row(row, this.value);
    }
    return write.columns;
  }

  #overCandles(candles: Rows<keyof Candle>, fields: readonly (keyof Candle)[]): unknown {
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

  #writer(beside: Float64Array, rows: number): Writer<Output> {
    const { parts } = this.#recipe;
    if (parts === undefined) {
      const column = columnBeside(beside, rows);
      return { columns: column, row: (row, value) => (column[row] = (value ?? NaN) as number) };
    }
    const columns = parts.map((part) => [part, columnBeside(beside, rows)] as const);
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

interface Writer<Output> {
  readonly columns: unknown;
  row(row: number, value: Output | undefined): void;
}
