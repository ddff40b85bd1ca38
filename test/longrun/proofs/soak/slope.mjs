// A straight line through the samples of one run.

/** Two-sided 95 % of a normal distribution. */
const NORMAL_95 = 1.96;
/** Neighbouring samples are alike: a block of this many counts as one. */
const BLOCK = 6;

/**
 * The rise an hour by least squares over blocks of samples, with its 95 % interval.
 * @param {readonly { hours: number, value: number }[]} samples at least three blocks
 * @returns undefined for fewer
 */
export function slopeOf(samples) {
  const points = [];
  for (let at = 0; at + BLOCK <= samples.length; at += BLOCK)
    points.push(meanOf(samples.slice(at, at + BLOCK)));
  if (points.length < 3) return undefined;
  const center = meanOf(points);
  const sum = (each) => points.reduce((total, point) => total + each(point), 0);
  const spread = sum(({ hours }) => (hours - center.hours) ** 2);
  const perHour =
    sum(({ hours, value }) => (hours - center.hours) * (value - center.value)) / spread;
  const rest = sum(
    ({ hours, value }) => (value - center.value - perHour * (hours - center.hours)) ** 2,
  );
  const error = Math.sqrt(rest / (points.length - 2) / spread);
  return {
    per_hour: round(perHour),
    low: round(perHour - NORMAL_95 * error),
    high: round(perHour + NORMAL_95 * error),
    mean: round(center.value),
  };
}

/** Flat: zero lies in the interval, or the rise of a day is at most 5 % of the mean. */
export const isFlat = ({ per_hour: perHour, low, mean }) => low <= 0 || perHour * 24 <= mean * 0.05;

const meanOf = (list) => ({
  hours: list.reduce((total, { hours }) => total + hours, 0) / list.length,
  value: list.reduce((total, { value }) => total + value, 0) / list.length,
});
const round = (value) => Math.round(value * 1_000) / 1_000;
