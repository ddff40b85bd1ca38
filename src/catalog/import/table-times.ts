import { CandleFileError } from '../../market/candles/candle-file-error.js';
import {
  isoTime,
  scaleBySize,
  timeInMs,
  TIME_SCALES,
  type TimeScale,
  type TimeUnit,
} from '../../market/candles/time-unit.js';
import { numericValue, valueText, type Table, type TableColumn } from './table.js';

/** Times of a table in ms UTC, and their unit in the file. */
export interface TableTimes {
  readonly times: Float64Array;
  readonly unit: TimeUnit;
}

/** Times of a named unit lie in the years 1990 to 2100: another unit puts them outside. */
const EARLIEST_MS = Date.UTC(1990, 0);
const LATEST_MS = Date.UTC(2100, 0);

/**
 * The times of a column. Their unit is the one that the user names, else that of the format, else by their size.
 * @throws CandleFileError for a value that is no time, and for one of another unit than those before
 */
export function tableTimes(table: Table, column: TableColumn, named?: TimeUnit): TableTimes {
  const times = new Float64Array(table.length);
  const first = column.values[0];
  const isText = typeof first === 'string' && !Number.isFinite(numericValue(first));
  if (first instanceof Date || isText || named === 'iso') {
    for (let row = 0; row < table.length; row += 1) times[row] = dateMs(table, row, column);
    return { times, unit: 'iso' };
  }
  const unit = named ?? column.timeUnit;
  const scale =
    TIME_SCALES.find((each) => each.unit === unit) ??
    scaleBySize(numericValue(first)) ??
    failTime(table, 0, column);
  const isBySize = unit === undefined;
  for (let row = 0; row < table.length; row += 1)
    times[row] = epochMs(table, row, column, scale, isBySize);
  return { times, unit: scale.unit };
}

function dateMs(table: Table, row: number, column: TableColumn): number {
  const value = column.values[row];
  const ms = value instanceof Date ? value.getTime() : isoTime(String(value).trim());
  return ms !== undefined && Number.isSafeInteger(ms) ? ms : failTime(table, row, column);
}

function epochMs(
  table: Table,
  row: number,
  column: TableColumn,
  scale: TimeScale,
  isBySize: boolean,
): number {
  const time = numericValue(column.values[row]);
  if (isBySize && !(time >= scale.from && time < scale.below)) {
    if (!Number.isFinite(time)) failTime(table, row, column);
    fail(
      table,
      row,
      `${time} changes the unit of the rows above (${scale.unit}): use one unit throughout`,
    );
  }
  const ms = timeInMs(time, scale);
  if (!Number.isSafeInteger(ms)) failTime(table, row, column);
  if (!isBySize && !(ms >= EARLIEST_MS && ms < LATEST_MS)) {
    const year = new Date(ms).getUTCFullYear();
    const other = scaleBySize(time)?.unit ?? 'iso';
    fail(table, row, `${time} in ${scale.unit} is of ${year}: give --time-unit ${other}`);
  }
  return ms;
}

const failTime = (table: Table, row: number, { values }: TableColumn): never =>
  fail(
    table,
    row,
    `${valueText(values[row])} is not a time: epoch s, ms, us or ns, or ISO 8601 such as 2025-05-05T00:00:00Z`,
  );

function fail(table: Table, row: number, problem: string): never {
  throw new CandleFileError(`${table.place(row)}: open_time ${problem}`);
}
