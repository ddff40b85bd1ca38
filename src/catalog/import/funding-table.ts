import { CandleFileError } from '../../market/candles/candle-file-error.js';
import { columnNamed, columnOf, TIME_NAMES } from '../../market/candles/column-names.js';
import type { TimeUnit } from '../../market/candles/time-unit.js';
import type { FundingColumns } from '../columns.js';
import { numbersOf } from './candle-table.js';
import type { ForeignOptions } from './foreign-file.js';
import { tableTimes } from './table-times.js';
import type { Table, TableColumn } from './table.js';

/** Names of the columns, the surest first. freqtrade writes the rate as the open of a candle. */
const NAMES = {
  time: ['calc_time', 'calctime', 'funding_time', 'fundingtime', 'settlement_time', ...TIME_NAMES],
  rate: [
    ...['last_funding_rate', 'lastfundingrate', 'funding_rate', 'fundingrate', 'realized_rate'],
    ...['rate', 'open'],
  ],
  interval: ['funding_interval_hours', 'fundingintervalhours', 'interval_hours'],
} as const;
export const FUNDING_FIELDS = ['time', 'rate', 'interval'] as const;
type FundingField = (typeof FUNDING_FIELDS)[number];

const HOUR_MS = 3_600_000;
/** Longest settlement interval of the venues; a longer distance is a gap. */
const MAX_INTERVAL_MS = 8 * HOUR_MS;
/** Venues stamp a settlement some ms to seconds after its hour. */
const MAX_JITTER_MS = 60_000;

/** Funding rates of a table, and the recognized columns. */
export interface TableFunding {
  readonly columns: FundingColumns;
  readonly timeUnit: TimeUnit;
  /** Name of the column of each field; undefined for an absent interval. */
  readonly names: readonly (string | undefined)[];
}

/** Whether a table holds funding rates: a column of a rate, and no column of a high. */
export const isFundingTable = (names: readonly string[]): boolean =>
  columnNamed(NAMES.rate.slice(0, -1), names, 'rate', '') !== undefined &&
  columnNamed(['high', 'h', 'high_price'], names, 'high', '') === undefined;

/**
 * The funding rates of a table. A time up to 60 s beside a full hour counts as that hour. The settlement interval is
 * that of the file, else the time since the settlement before, up to 8 hours.
 * @throws CandleFileError for a missing column, or for a row that is no rate or not after the row before
 */
export function fundingOfTable(table: Table, path: string, options: ForeignOptions): TableFunding {
  if (table.length === 0) throw new CandleFileError(`${path}: it holds no rate; fetch it again`);
  const time = fundingColumn('time', table, path, options) ?? failMissing('time', table, path);
  const rate = fundingColumn('rate', table, path, options) ?? failMissing('rate', table, path);
  const interval = fundingColumn('interval', table, path, options);
  const read = tableTimes(table, time, options.timeUnit);
  const settled = read.times.map(settlementOf);
  const rates = numbersOf(table, rate, 'rate');
  const hours = numbersOf(table, interval, 'interval');
  const order = orderOf(table, settled, rates, options.isSorting === true);
  const columns = {
    length: order.length,
    time: order.map((row) => settled[row] as number),
    rate: order.map((row) => rates[row] as number),
    intervalMs: order.map((row) => (hours[row] as number) * HOUR_MS),
  };
  checkIntervals(table, hours);
  return {
    columns: { ...columns, intervalMs: intervalsOf(columns) },
    timeUnit: read.unit,
    names: [time.name, rate.name, interval?.name],
  };
}

function fundingColumn(
  field: FundingField,
  { columns }: Table,
  path: string,
  options: ForeignOptions,
): TableColumn | undefined {
  const names = columns.map(({ name }) => name);
  const given = options.columns?.get(field === 'time' ? 'open_time' : field);
  const at =
    given === undefined
      ? columnNamed(NAMES[field], names, field, path)
      : columnOf(given, names, path);
  return at === undefined ? undefined : columns[at];
}

const settlementOf = (time: number): number => {
  const hour = Math.round(time / HOUR_MS) * HOUR_MS;
  return Math.abs(time - hour) <= MAX_JITTER_MS ? hour : time;
};

/** Rows in the order of their times, without repeated ones. @throws CandleFileError */
function orderOf(
  table: Table,
  times: Float64Array,
  rates: Float64Array,
  isSorting: boolean,
): Float64Array {
  const rows = Array.from(times.keys());
  if (isSorting) rows.sort((one, other) => (times[one] as number) - (times[other] as number));
  const kept: number[] = [];
  for (const row of rows) {
    const rate = rates[row] as number;
    if (!(rate > -1 && rate < 1)) {
      throw new CandleFileError(
        `${table.place(row)}: rate ${rate} is no fraction: 0.0001 is 0.01 %, so divide percentages by 100`,
      );
    }
    const last = kept.at(-1);
    const lastTime = last === undefined ? -Infinity : (times[last] as number);
    if ((times[row] as number) > lastTime) kept.push(row);
    else if (!isSorting || rates[last ?? row] !== rate) failOrder(table, row, times, lastTime);
  }
  return Float64Array.from(kept);
}

function failOrder(table: Table, row: number, times: Float64Array, lastTime: number): never {
  const [time, last] = [times[row] as number, lastTime].map((ms) => new Date(ms).toISOString());
  const order =
    time === last
      ? `${time} occurs twice: keep one row for each settlement`
      : `${time} is not after ${last} of the row before: sort the rows by time`;
  throw new CandleFileError(`${table.place(row)}: time ${order}, or import the file with --sort`);
}

function checkIntervals(table: Table, hours: Float64Array): void {
  const row = hours.findIndex((each) => !(each >= 0 && each <= 24));
  if (row < 0) return;
  throw new CandleFileError(
    `${table.place(row)}: interval ${hours[row]} is not 1 to 24 hours: repair the row`,
  );
}

/** The intervals of the file; where it has none, the distance to the settlement before. */
function intervalsOf({
  time,
  intervalMs,
}: Pick<FundingColumns, 'time' | 'intervalMs'>): Float64Array {
  return intervalMs.map((given, row) => {
    if (given > 0 || row === 0) return given;
    const distance = (time[row] as number) - (time[row - 1] as number);
    return distance <= MAX_INTERVAL_MS ? distance : 0;
  });
}

function failMissing(field: string, { columns }: Table, path: string): never {
  const names = columns.map(({ name }) => name).join(',');
  throw new CandleFileError(
    `${path}: the ${field} of the funding is missing: the columns are "${names.slice(0, 120)}"; ` +
      `give the column with sluice data import FILE --columns ${field}=NAME`,
  );
}
