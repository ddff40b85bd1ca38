import type { Candle } from '../../core/candle.js';

/**
 * A value computed from a series, one input at a time. `next` and `value` are undefined until the
 * indicator is warm. From then on they belong to the newest input.
 *
 * `Input` is a number or the fields that are read of a candle. `Output` is a number or a new record of
 * numbers, which may be retained. Each class repeats `next` and the loop of `over`: in a shared base
 * class these calls would be megamorphic, which costs more than the arithmetic.
 */
export interface Indicator<Input = number, Output = number> {
  /** The name in docs/indicators.md and in messages. */
  readonly name: string;
  /** Number of inputs until the first value. */
  readonly warmup: number;
  /**
   * Adds one input and returns the value with it.
   * @throws RangeError for an input that is not finite. The state is then unchanged: a NaN would
   *   persist in all later values.
   */
  next(input: Input): Output | undefined;
  /** `next` without a result: it allocates no object. */
  update(input: Input): void;
  /** The value with the newest input; undefined until warm. */
  readonly value: Output | undefined;
  /** Returns to the initial state. */
  reset(): void;
  /**
   * Computes whole columns, from the initial state and independent of previous inputs. Each row holds
   * the result of `next`, or NaN while that is undefined. Leading NaN in a column of numbers (the warm-up
   * of another indicator) is skipped. Columns in shared memory give columns in shared memory.
   * @throws RangeError that names any other row that is not finite
   */
  over(inputs: InputColumns<Input>): OutputColumns<Output>;
}

/**
 * The input of `over`: a column of numbers, or a column for each field that is read of a candle. `length`
 * is set if the columns are longer than the series.
 */
export type InputColumns<Input> = Input extends number
  ? Float64Array
  : { readonly [Field in keyof Input]: Float64Array } & {
      /** Number of rows in the series. Absent: all. */
      readonly length?: number;
    };

/** The result of `over`: a column of values, or one for each field of the value. NaN until warm. */
export type OutputColumns<Output> = Output extends number
  ? Float64Array
  : { readonly [Field in keyof Output]: Float64Array };

/** The input of an indicator of ranges. It is not retained, so a reused view is fine. */
export type RangeInput = Pick<Candle, 'high' | 'low' | 'close'>;

/** The input of an indicator of highs and lows. */
export type HighLowInput = Pick<Candle, 'high' | 'low'>;

/** @throws RangeError unless `period` is a whole number of at least `minimum` */
export function checkPeriod(name: string, period: number, minimum = 1): void {
  if (Number.isSafeInteger(period) && period >= minimum && period <= MAX_PERIOD) return;
  throw new RangeError(
    `The period of ${name} is a whole number from ${minimum} to ${MAX_PERIOD}, not ${period}`,
  );
}

/** A window of that many numbers takes 80 MB. */
const MAX_PERIOD = 10_000_000;

/** @throws RangeError unless finite and above 0 */
export function checkAboveZero(name: string, option: string, value: number): void {
  if (typeof value === 'number' && value > 0 && value < Infinity) return;
  throw new RangeError(`The ${option} of ${name} is a number above 0, not ${value}`);
}

/** @throws RangeError */
export function checkFinite(name: string, input: number): void {
  // The difference with itself is 0 for finite numbers only, which is cheaper than a call. A strategy in
  // plain JavaScript may pass a string, which would be concatenated instead of added.
  if (typeof input !== 'number' || input - input !== 0) {
    throw new RangeError(`${name} takes finite numbers, not ${String(input)}`);
  }
}

/**
 * @param sum sum of the fields: finite if all of them are, a string if one of them is
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

/** Fields hold NaN, not undefined, while unset: V8 then stores them as unboxed numbers. */
export const undefinedIfNaN = (value: number): number | undefined =>
  value === value ? value : undefined;

/**
 * The given options, completed with the defaults.
 * @throws RangeError for an unknown option
 */
export function withDefaults<Options extends object>(
  name: string,
  defaults: Options,
  given: Partial<Options>,
): Options {
  const unknownOption = Object.keys(given).find((option) => !Object.hasOwn(defaults, option));
  if (unknownOption !== undefined) {
    throw new RangeError(
      `${name} has no option ${unknownOption}; it has ${Object.keys(defaults).join(', ')}`,
    );
  }
  return { ...defaults, ...given };
}
