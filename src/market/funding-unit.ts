/** The median of settled rates of seven symbols from 2019 to 2026 is at most 0.0001, the highest single one 0.00375. */
const DOUBTFUL_RATE = 0.002;

/**
 * Rates that may be per cent instead of fractions: at half of the settlements they are 0.2 % of the position or more.
 * @returns the doubt with its mend; undefined: there is none
 */
export function fundingUnitDoubt(rates: ArrayLike<number>): string | undefined {
  const sizes = Float64Array.from(rates, Math.abs).sort();
  const middle = sizes[Math.floor((sizes.length - 1) / 2)];
  if (middle === undefined || middle < DOUBTFUL_RATE) return undefined;
  const percent = Number((middle * 100).toPrecision(3));
  return `at half of the settlements the rate is ${percent} % of the position or more; a rate is a fraction (0.0001 is 0.01 %), so divide percentages by 100`;
}
