import type { PageHistogram } from './page-data.js';

const TARGET_CLASSES = 40;
/** Share of the values at each end that the outermost classes gather. */
const TAIL = 0.005;

/** Classes of a round width around 0; null without values. */
export function histogramOf(values: readonly number[]): PageHistogram | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const quantile = (share: number): number =>
    sorted[Math.round(share * (sorted.length - 1))] as number;
  const [low, high] = [Math.min(0, quantile(TAIL)), Math.max(0, quantile(1 - TAIL))];
  const width = roundWidth((high - low) / TARGET_CLASSES);
  const first = Math.floor(low / width);
  const last = Math.max(first, Math.ceil(high / width) - 1);
  const counts = Array.from({ length: last - first + 1 }, () => 0);
  for (const value of values) {
    // A trade that won nothing is not won: 0 belongs to the class below it.
    const index =
      value > 0 ? Math.ceil(value / width) - 1 : Math.min(-1, Math.floor(value / width));
    const place = Math.min(last, Math.max(first, index)) - first;
    counts[place] = (counts[place] as number) + 1;
  }
  return {
    from: first * width,
    width,
    counts,
    lowest: sorted[0] as number,
    highest: sorted[sorted.length - 1] as number,
  };
}

/** 1, 2 or 5 times a power of ten, at least `width`. */
function roundWidth(width: number): number {
  if (!(width > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(width));
  return power * ([1, 2, 5].find((factor) => factor * power >= width) ?? 10);
}
