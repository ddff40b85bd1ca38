/**
 * A value that follows a series one input at a time. `next` and `value` are undefined until the
 * indicator is warm; from then on each `next` belongs to exactly the input it was given.
 */
export interface Indicator<Input = number, Output = number> {
  /** @throws RangeError for an input that is not finite: one NaN would stay for ever */
  next(input: Input): Output | undefined;
  readonly value: Output | undefined;
}

/** What an indicator of ranges reads of a candle. It keeps none: a reused view is fine. */
export interface RangeInput {
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** @throws RangeError unless a whole number of at least `least` */
export function checkPeriod(name: string, period: number, least = 1): void {
  if (Number.isSafeInteger(period) && period >= least) return;
  throw new RangeError(`The period of ${name} is a whole number from ${least}, not ${period}`);
}

/** @throws RangeError */
export function checkFinite(name: string, value: number): void {
  // A difference with itself is 0 for finite numbers only; cheaper here than a call.
  if (value - value !== 0) throw new RangeError(`${name} takes finite numbers, not ${value}`);
}
