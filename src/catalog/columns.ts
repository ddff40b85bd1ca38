import { CandleColumns } from '../market/candles/candle-columns.js';
import type { CandleDataset, Dataset, FundingDataset } from './dataset.js';

/** Settled funding rates as columns, ascending in time. All arrays have `length` rows. */
export interface FundingColumns {
  readonly length: number;
  /** ms UTC of the settlement. */
  readonly time: Float64Array;
  /** Fraction of the position's value that longs pay to shorts: 0.0001 is 0.01 %. */
  readonly rate: Float64Array;
  /** ms from the settlement before; 0: not known. */
  readonly intervalMs: Float64Array;
}

/** The columns of a dataset. Candles of the mark price have the volume 0. */
export type ColumnsOf<D extends Dataset> = D extends FundingDataset
  ? FundingColumns
  : D extends CandleDataset
    ? CandleColumns
    : CandleColumns | FundingColumns;

/** Names of the columns in the file; the first is the time. */
export const COLUMN_NAMES = {
  klines: ['open_time', 'open', 'high', 'low', 'close', 'volume'],
  'mark-klines': ['open_time', 'open', 'high', 'low', 'close'],
  funding: ['time', 'rate', 'interval_ms'],
} as const;

/** Rows of a file: one array a column, in the order of `COLUMN_NAMES`, each as long as the others. */
export type Rows = readonly [time: Float64Array, ...values: Float64Array[]];

export const lengthOfRows = ([time]: Rows): number => time.length;

export function rowsOfCandles(kind: CandleDataset['kind'], columns: CandleColumns): Rows {
  const { length, openTime, open, high, low, close, volume } = columns;
  const values = kind === 'klines' ? [open, high, low, close, volume] : [open, high, low, close];
  return [openTime.subarray(0, length), ...values.map((column) => column.subarray(0, length))];
}

export const rowsOfFunding = ({ length, time, rate, intervalMs }: FundingColumns): Rows => [
  time.subarray(0, length),
  rate.subarray(0, length),
  intervalMs.subarray(0, length),
];

export function columnsOfRows<D extends Dataset>(dataset: D, rows: Rows): ColumnsOf<D>;
export function columnsOfRows(dataset: Dataset, rows: Rows): CandleColumns | FundingColumns {
  const length = lengthOfRows(rows);
  const column = (index: number): Float64Array => rows[index] ?? new Float64Array(length);
  if (dataset.kind === 'funding')
    return { length, time: column(0), rate: column(1), intervalMs: column(2) };
  return CandleColumns.wrap({
    openTime: column(0),
    open: column(1),
    high: column(2),
    low: column(3),
    close: column(4),
    volume: column(5),
  });
}

/** The rows with `fromMs` ≤ time < `toMs`, over the same memory. */
export function rowsWithin(rows: Rows, fromMs: number, toMs: number): Rows {
  const first = firstFrom(rows[0], fromMs);
  const end = Math.max(first, firstFrom(rows[0], toMs));
  return rowsSlice(rows, first, end);
}

export const rowsSlice = ([time, ...values]: Rows, first: number, end: number): Rows => [
  time.subarray(first, end),
  ...values.map((column) => column.subarray(first, end)),
];

/** Index of the first time at or after `timeMs`, or the length. */
function firstFrom(times: Float64Array, timeMs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rows of the columns of a dataset. */
export const rowsOfDataset = (dataset: Dataset, columns: CandleColumns | FundingColumns): Rows =>
  dataset.kind === 'funding'
    ? rowsOfFunding(columns as FundingColumns)
    : rowsOfCandles(dataset.kind, columns as CandleColumns);
