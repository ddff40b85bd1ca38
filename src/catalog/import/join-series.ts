import { CandleFileError } from '../../market/candles/candle-file-error.js';
import { rowsOfCandles, rowsOfFunding, type Rows } from '../columns.js';
import { datasetText, type Dataset } from '../dataset.js';
import { mergeRows } from '../merge.js';
import type { ForeignSeries } from './foreign-file.js';

/** The files of one dataset, in the order of their first rows, and all their rows. */
export interface JoinedSeries {
  readonly dataset: Dataset;
  readonly rows: Rows;
  readonly series: readonly ForeignSeries[];
  /** Rows that occur in several files without a difference. They are kept once. */
  readonly shared: number;
}

/**
 * Joins the series of each dataset in the order of their times.
 * @throws CandleFileError if two files have different rows of one time
 */
export function joinSeries(all: readonly ForeignSeries[]): readonly JoinedSeries[] {
  const groups = new Map<string, ForeignSeries[]>();
  for (const series of all) {
    const key = datasetText(datasetOfSeries(series));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [series]);
    else group.push(series);
  }
  return [...groups.values()].map(joinGroup);
}

export const datasetOfSeries = (series: ForeignSeries): Dataset =>
  series.kind === 'funding'
    ? { kind: series.kind, symbol: series.symbol }
    : { kind: series.kind, symbol: series.symbol, interval: series.interval };

export const rowsOfSeries = (series: ForeignSeries): Rows =>
  series.kind === 'funding'
    ? rowsOfFunding(series.columns)
    : rowsOfCandles(series.kind, series.columns);

function joinGroup(group: readonly ForeignSeries[]): JoinedSeries {
  const series = [...group].sort((one, other) => firstTime(one) - firstTime(other));
  const [first, ...others] = series as [ForeignSeries, ...ForeignSeries[]];
  const dataset = datasetOfSeries(first);
  let rows = rowsOfSeries(first);
  let shared = 0;
  for (const each of others) {
    const merged = mergeRows(dataset, rows, rowsOfSeries(each));
    if (merged.conflict !== undefined) failConflict(each, series, merged.conflict);
    shared += merged.unchanged;
    rows = merged.rows;
  }
  return { dataset, rows, series, shared };
}

const firstTime = (series: ForeignSeries): number => rowsOfSeries(series)[0][0] ?? 0;

function failConflict(
  series: ForeignSeries,
  all: readonly ForeignSeries[],
  { timeMs, column, ...values }: { timeMs: number; column: string; old: number; new: number },
): never {
  const other = all.find((each) => each !== series && rowsOfSeries(each)[0].includes(timeMs));
  throw new CandleFileError(
    `${series.path}: its ${column} of ${new Date(timeMs).toISOString()} is ${values.new}, and ` +
      `${values.old} in ${other?.path ?? 'another file'}; import the right file alone`,
  );
}

/** First and last time of the rows, ms UTC. There is at least one. */
export const timesOfRows = (rows: Rows): { readonly firstMs: number; readonly lastMs: number } => ({
  firstMs: rows[0][0] as number,
  lastMs: rows[0][rows[0].length - 1] as number,
});
