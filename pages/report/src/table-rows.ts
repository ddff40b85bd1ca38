import { dayText, minuteText } from './text.js';

const MAX_ROWS = 40;
const DAY_S = 86_400;

export interface TableRows {
  /** Even, with the first and the last. */
  readonly rows: readonly number[];
  /** The time of a row. */
  readonly nameOf: (row: number) => string;
}

/** The rows of a long curve that its table shows. */
export function tableRows(times: readonly number[]): TableRows {
  const count = Math.min(MAX_ROWS, times.length);
  const span = (times.at(-1) as number) - (times[0] as number);
  const textOf = span > MAX_ROWS * DAY_S ? dayText : minuteText;
  return {
    rows: Array.from({ length: count }, (_, index) =>
      Math.round((index * (times.length - 1)) / Math.max(1, count - 1)),
    ),
    nameOf: (row) => textOf((times[row] as number) * 1_000),
  };
}
