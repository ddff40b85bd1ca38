/** Settled rates are at most a few hundredths of a per cent at most times; a venue's cap is 2 to 3 %. */
const DOUBTFUL_RATE = 0.002;

/**
 * Rates that may be per cent instead of fractions: half of them are 0.2 % of the position or more.
 * @returns the doubt with its mend; undefined: there is none
 */
export function fundingUnitDoubt(rates: ArrayLike<number>): string | undefined {
  const sizes = Float64Array.from(rates, Math.abs).sort();
  const middle = sizes[Math.floor((sizes.length - 1) / 2)];
  if (middle === undefined || middle < DOUBTFUL_RATE) return undefined;
  const percent = Number((middle * 100).toPrecision(3));
  return `half of its rates charge ${percent} % of the position or more at each settlement; a rate is a fraction (0.0001 is 0.01 %), so divide percentages by 100`;
}
