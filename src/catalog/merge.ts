import type { Dataset } from './dataset.js';
import { COLUMN_NAMES, lengthOfRows, rowsSlice, type Rows } from './columns.js';

/** The first row at which two sources disagree. */
export interface RowConflict {
  readonly timeMs: number;
  readonly column: string;
  readonly old: number;
  readonly new: number;
}

export interface MergedRows {
  readonly rows: Rows;
  readonly added: number;
  /** Rows whose values changed. */
  readonly replaced: number;
  /** Rows that were there with the same values. */
  readonly unchanged: number;
  /** Set if a value differs; without `overwrite` the merge is then unusable. */
  readonly conflict: RowConflict | undefined;
  readonly conflicts: number;
}

/** Merges new rows into the old ones. Both ascend. A new row replaces the old one of its time. */
export function mergeRows(dataset: Dataset, old: Rows, added: Rows): MergedRows {
  const [oldTimes] = old;
  const [newTimes] = added;
  const from: [rows: Rows, first: number, end: number][] = [];
  let [oldAt, newAt, length] = [0, 0, 0];
  const tally = { added: 0, replaced: 0, unchanged: 0, conflicts: 0 };
  let conflict: RowConflict | undefined;
  const take = (rows: Rows, index: number): void => {
    length += 1;
    const last = from.at(-1);
    if (last !== undefined && last[0] === rows && last[2] === index) last[2] += 1;
    else from.push([rows, index, index + 1]);
  };
  while (oldAt < oldTimes.length || newAt < newTimes.length) {
    const oldTime = oldTimes[oldAt] ?? Infinity;
    const newTime = newTimes[newAt] ?? Infinity;
    if (oldTime < newTime) take(old, oldAt++);
    else if (newTime < oldTime) {
      tally.added += 1;
      take(added, newAt++);
    } else {
      const difference = compareRows(dataset, [old, oldAt], [added, newAt]);
      if (difference === undefined) tally.unchanged += 1;
      else if (difference === 'filled') tally.replaced += 1;
      else {
        tally.conflicts += 1;
        tally.replaced += 1;
        conflict ??= difference;
      }
      take(difference === undefined ? old : added, difference === undefined ? oldAt : newAt);
      oldAt += 1;
      newAt += 1;
    }
  }
  return { rows: joined(from, length, old.length), conflict, ...tally };
}

type RowAt = readonly [rows: Rows, index: number];

/** `filled`: the old row has an unknown settlement interval, and the new one names it. */
function compareRows(
  { kind }: Dataset,
  [old, oldAt]: RowAt,
  [added, newAt]: RowAt,
): RowConflict | 'filled' | undefined {
  let isFilled = false;
  for (let column = 1; column < old.length; column += 1) {
    const before = old[column]?.[oldAt] as number;
    const after = added[column]?.[newAt] as number;
    if (before === after) continue;
    const isInterval = kind === 'funding' && column === 2;
    if (isInterval && after === 0) continue;
    if (isInterval && before === 0) {
      isFilled = true;
      continue;
    }
    const timeMs = old[0][oldAt] as number;
    return { timeMs, column: COLUMN_NAMES[kind][column] ?? '', old: before, new: after };
  }
  return isFilled ? 'filled' : undefined;
}

/** Copies whole runs of rows: rows are rarely interleaved. */
function joined(
  from: readonly (readonly [rows: Rows, first: number, end: number])[],
  length: number,
  width: number,
): Rows {
  const [time, ...values] = Array.from({ length: width }, () => new Float64Array(length)) as [
    Float64Array,
    ...Float64Array[],
  ];
  const result: Rows = [time, ...values];
  let at = 0;
  for (const [rows, first, end] of from) {
    const part = rowsSlice(rows, first, end);
    result.forEach((column, index) => column.set(part[index] ?? [], at));
    at += lengthOfRows(part);
  }
  return result;
}
