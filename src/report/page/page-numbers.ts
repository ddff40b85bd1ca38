/** Digits that a chart can show. Exact values stay in the files of the run. */
const PRICE_DIGITS = 9;
const SHARE_DIGITS = 4;

/** A price or amount with 9 significant digits. */
export const priceDigits = (value: number): number => Number(value.toPrecision(PRICE_DIGITS));

/** A share or volume with 4 significant digits. */
export const shareDigits = (value: number): number => Number(value.toPrecision(SHARE_DIGITS));

/** Money to 4 places of its currency. */
export const moneyDigits = (value: number): number => Math.round(value * 10_000) / 10_000;

/** Differences of ascending values; the first stays. */
export function stepsOf(values: readonly number[]): readonly number[] {
  let before = 0;
  return values.map((value) => {
    const step = value - before;
    before = value;
    return step;
  });
}
