import type { Candle } from '../../core/candle.js';

/**
 * A value that follows a series one input at a time. `next` and `value` are undefined until the
 * indicator is warm; from then on each belongs to exactly the newest input.
 *
 * `Input` is a number, or what is read of a candle; `Output` a number, or a record of numbers that is
 * an object of its own and may be kept. Each class repeats `next` and the loop of `over`: in a shared
 * base they would be called with every class there is, which costs more than the arithmetic.
 */
export interface Indicator<Input = number, Output = number> {
  /** As in the table of docs/indicators.md and in messages. */
  readonly name: string;
  /** So many inputs give the first value. */
  readonly warmup: number;
  /**
   * Takes one input and tells the value with it.
   * @throws RangeError for an input that is not finite, and is then as if it had not been called: one
   *   NaN would stay for ever
   */
  next(input: Input): Output | undefined;
  /** `next` without a result: makes no object. */
  update(input: Input): void;
  /** With the newest input; undefined until warm. */
  readonly value: Output | undefined;
  /** As new. */
  reset(): void;
  /**
   * The same over whole columns, from the start and apart from what `next` has seen: row by row what
   * `next` would say, NaN while that is undefined. A column of numbers may start with NaN (the warm-up
   * of another indicator), which is passed over. Columns in shared memory give columns in shared memory.
   * @throws RangeError for any other row that is not finite, by its number
   */
  over(inputs: InputColumns<Input>): OutputColumns<Output>;
}

/**
 * What `over` reads: a column of numbers, or a column for each field of a candle that is read. `length`
 * is there where the columns are longer than what counts of them.
 */
export type InputColumns<Input> = Input extends number
  ? Float64Array
  : { readonly [Field in keyof Input]: Float64Array } & {
      /** Rows that count; absent: all. */
      readonly length?: number;
    };

/** What `over` makes: a column of values, or one for each field of the value; NaN until warm. */
export type OutputColumns<Output> = Output extends number
  ? Float64Array
  : { readonly [Field in keyof Output]: Float64Array };

/** What an indicator of ranges reads of a candle. It keeps none: a reused view is fine. */
export type RangeInput = Pick<Candle, 'high' | 'low' | 'close'>;

/** What an indicator of extremes reads of a candle. */
export type HighLow = Pick<Candle, 'high' | 'low'>;

/** @throws RangeError unless a whole number of at least `least` */
export function checkPeriod(name: string, period: number, least = 1): void {
  if (Number.isSafeInteger(period) && period >= least && period <= LONGEST) return;
  throw new RangeError(
    `The period of ${name} is a whole number from ${least} to ${LONGEST}, not ${period}`,
  );
}

/** A window of that many numbers is 80 MB. */
const LONGEST = 10_000_000;

/** @throws RangeError unless finite and above 0 */
export function checkAboveZero(name: string, option: string, value: number): void {
  if (typeof value === 'number' && value > 0 && value < Infinity) return;
  throw new RangeError(`The ${option} of ${name} is a number above 0, not ${value}`);
}

/** @throws RangeError */
export function checkFinite(name: string, input: number): void {
  // A difference with itself is 0 for finite numbers only; cheaper here than a call. What a strategy
  // without types may pass counts too: text would be joined instead of added.
  if (typeof input !== 'number' || input - input !== 0) {
    throw new RangeError(`${name} takes finite numbers, not ${String(input)}`);
  }
}

/**
 * @param sum  of the fields: finite when all of them are, text when one of them is
 * @throws RangeError that names the field
 */
export function checkCandle(
  name: string,
  sum: number,
  candle: Partial<Candle>,
  fields: readonly (keyof Candle)[],
): void {
  if (typeof sum === 'number' && sum - sum === 0) return;
  const field = fields.find((one) => !Number.isFinite(candle[one])) ?? fields[0];
  const value = field === undefined ? sum : candle[field];
  throw new RangeError(`${name} takes finite numbers, not ${value} as the ${field} of a candle`);
}

/** Unset is NaN inside, not undefined: the engine keeps a field of numbers unboxed. */
export const known = (value: number): number | undefined => (value === value ? value : undefined);

/**
 * What was given over what is usual.
 * @throws RangeError for an option that there is not
 */
export function withDefaults<Options extends object>(
  name: string,
  usual: Options,
  given: Partial<Options>,
): Options {
  const wrong = Object.keys(given).find((option) => !Object.hasOwn(usual, option));
  if (wrong !== undefined) {
    throw new RangeError(`${name} has no option ${wrong}; it has ${Object.keys(usual).join(', ')}`);
  }
  return { ...usual, ...given };
}
