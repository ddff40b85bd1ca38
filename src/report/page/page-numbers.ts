/** Digits that a chart can show. Exact values stay in the files of the run. */
const PRICE_DIGITS = 9;
const SHARE_DIGITS = 4;

/** 10 to this power, and each smaller one, is exact. */
const MAX_EXACT_POWER = 22;

/** A price or amount with 9 significant digits. */
export const priceDigits = (value: number): number => rounded(value, PRICE_DIGITS);

/** A share or volume with 4 significant digits. */
export const shareDigits = (value: number): number => rounded(value, SHARE_DIGITS);

/** To so many significant digits. A text for each of 100,000 cells takes ten times as long. */
function rounded(value: number, digits: number): number {
  const size = Math.abs(value);
  const places = digits - 1 - Math.floor(Math.log10(size));
  if (!(places >= 0 && places <= MAX_EXACT_POWER)) return Number(value.toPrecision(digits));
  const scale = 10 ** places;
  return (Math.sign(value) * Math.round(size * scale)) / scale;
}

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
