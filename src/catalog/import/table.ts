import type { TimeUnit } from '../../market/candles/time-unit.js';

/** A column of a file: numbers, bigints, decimal texts, dates or null. */
export interface TableColumn {
  readonly name: string;
  readonly values: ArrayLike<unknown>;
  /** Unit of the times, where the format itself states it. */
  readonly timeUnit?: TimeUnit;
}

/** The columns of a Parquet, Feather or JSON file, or the cells of a small CSV file. */
export interface Table {
  readonly length: number;
  readonly columns: readonly TableColumn[];
  /** Place of a row for messages, such as `btc.json: candle 17`. */
  readonly place: (row: number) => string;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The double nearest to a value; NaN for text that is no plain decimal and for null. */
export function numericValue(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') return NaN;
  const text = value.trim();
  return DECIMAL.test(text) ? Number(text) : NaN;
}

/** A value for a message. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? `"${value.slice(0, 40)}"` : String(value);
