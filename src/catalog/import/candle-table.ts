import { CandleColumns } from '../../market/candles/candle-columns.js';
import { CandleFileError } from '../../market/candles/candle-file-error.js';
import { candleRowFault } from '../../market/candles/candle-row-fault.js';
import { CANDLE_FIELDS, candleColumnsOf } from '../../market/candles/column-names.js';
import type { TimeUnit } from '../../market/candles/time-unit.js';
import type { ForeignOptions } from './foreign-file.js';
import { tableTimes } from './table-times.js';
import { numericValue, valueText, type Table, type TableColumn } from './table.js';

/** Candles of a table, and the recognized columns. */
export interface TableCandles {
  readonly columns: CandleColumns;
  readonly timeUnit: TimeUnit;
  /** Name of the column of each field; undefined for an absent volume. */
  readonly names: readonly (string | undefined)[];
}

/**
 * The candles of a table, checked row by row.
 * @throws CandleFileError for a missing column, or for a row that is no candle or not after the row before
 */
export function candlesOfTable(
  table: Table,
  path: string,
  options: ForeignOptions & { readonly isVolumeOptional: boolean },
): TableCandles {
  if (table.length === 0) throw new CandleFileError(`${path}: it holds no candle; fetch it again`);
  const at = candleColumnsOf(
    table.columns.map(({ name }) => name),
    options.columns ?? new Map(),
    { place: path, isVolumeOptional: options.isVolumeOptional },
  );
  const [time, ...values] = at.map((index) => table.columns[index]);
  const { times, unit } = tableTimes(table, time as TableColumn, options.timeUnit);
  const [open, high, low, close, volume] = values.map((column, field) =>
    numbersOf(table, column, CANDLE_FIELDS[field + 1] ?? ''),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  const columns = CandleColumns.wrap({ openTime: times, open, high, low, close, volume });
  checkRows(table, columns, options.isSorting === true);
  return { columns, timeUnit: unit, names: at.map((index) => table.columns[index]?.name) };
}

/** @returns zeros for an absent column */
export function numbersOf(
  table: Table,
  column: TableColumn | undefined,
  field: string,
): Float64Array {
  const numbers = new Float64Array(table.length);
  if (column === undefined) return numbers;
  const { values } = column;
  for (let row = 0; row < table.length; row += 1) {
    const number = numericValue(values[row]);
    if (!Number.isFinite(number)) {
      const text = valueText(values[row]);
      throw new CandleFileError(
        `${table.place(row)}: ${field} ${text} is not a number: repair or drop the row`,
      );
    }
    numbers[row] = number;
  }
  return numbers;
}

function checkRows(table: Table, columns: CandleColumns, isSorting: boolean): void {
  let last = -Infinity;
  for (let row = 0; row < columns.length; row += 1) {
    const candle = columns.at(row);
    const fault = candleRowFault(candle, last);
    if (fault !== undefined) {
      throw new CandleFileError(`${table.place(row)}: ${fault.column} ${fault.problem}`);
    }
    if (!isSorting) last = candle.openTime;
  }
}
