/** Moments of a sample. Each is NaN where the sample is too short for it. */

export function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Sample standard deviation (n − 1). */
export const deviation = (values: readonly number[]): number =>
  values.length < 2 ? NaN : Math.sqrt(centralSum(values, 2) / (values.length - 1));

/** √(mean of min(value, 0)²): target 0, all values counted. */
export function downsideDeviation(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) if (value < 0) sum += value * value;
  return Math.sqrt(sum / values.length);
}

/** Third standardised moment of the population. */
export const skewness = (values: readonly number[]): number =>
  centralSum(values, 3) / values.length / populationVariance(values) ** 1.5;

/** Fourth standardised moment of the population; 3 for a normal distribution. */
export const kurtosis = (values: readonly number[]): number =>
  centralSum(values, 4) / values.length / populationVariance(values) ** 2;

/** Correlation of each value with the one before it. */
export function autocorrelation(values: readonly number[]): number {
  const average = mean(values);
  let sum = 0;
  for (let index = 1; index < values.length; index++) {
    sum += ((values[index] as number) - average) * ((values[index - 1] as number) - average);
  }
  return sum / centralSum(values, 2);
}

/** Sample covariance (n − 1) of two samples of one length. */
export function covariance(left: readonly number[], right: readonly number[]): number {
  const [a, b] = [mean(left), mean(right)];
  let sum = 0;
  for (const [index, value] of left.entries()) sum += (value - a) * ((right[index] as number) - b);
  return sum / (left.length - 1);
}

const populationVariance = (values: readonly number[]): number =>
  centralSum(values, 2) / values.length;

function centralSum(values: readonly number[], power: number): number {
  const average = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - average) ** power;
  return sum;
}

/** An undefined figure is null, never NaN or infinite. */
export const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
