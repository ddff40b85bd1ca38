import type { CandleArrays } from './candle-columns.js';

export interface CandleGap {
  /** Open time (ms UTC) of the last candle before the gap. */
  readonly afterMs: number;
  /** Number of missing candles. */
  readonly missing: number;
}

export interface CandleGaps {
  /** Smallest step between two candles, ms; undefined for fewer than two candles. */
  readonly stepMs: number | undefined;
  readonly gaps: readonly CandleGap[];
}

/** The gaps of an ascending series, measured by its own smallest step. */
export function candleGaps(columns: CandleArrays & { readonly length: number }): CandleGaps {
  const stepMs = smallestStep(columns.openTime, columns.length);
  if (stepMs === undefined) return { stepMs, gaps: [] };
  const gaps: CandleGap[] = [];
  for (let index = 1; index < columns.length; index++) {
    const afterMs = columns.openTime[index - 1] as number;
    const step = (columns.openTime[index] as number) - afterMs;
    if (step > stepMs) gaps.push({ afterMs, missing: Math.ceil(step / stepMs) - 1 });
  }
  return { stepMs, gaps };
}

function smallestStep(times: Float64Array, length: number): number | undefined {
  let smallest: number | undefined;
  for (let index = 1; index < length; index++) {
    const step = (times[index] as number) - (times[index - 1] as number);
    if (smallest === undefined || step < smallest) smallest = step;
  }
  return smallest;
}
