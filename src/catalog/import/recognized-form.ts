import type { CsvLayout } from '../../market/candles/csv-layout.js';
import type { TimeUnit } from '../../market/candles/time-unit.js';
import type { ForeignFormat, RecognizedForm } from './foreign-file.js';

/** `open_time=Date, open=Open`: each field with the column that it was read from. */
export function formOf(
  format: ForeignFormat,
  fields: readonly string[],
  names: readonly (string | undefined)[],
  timeUnit: TimeUnit,
  layout?: CsvLayout,
): RecognizedForm {
  const columns = fields
    .flatMap((field, index) => (names[index] === undefined ? [] : [`${field}=${names[index]}`]))
    .join(', ');
  return {
    format,
    columns,
    timeUnit,
    ...(layout !== undefined && { delimiter: layout.delimiter, hasHeader: layout.hasHeader }),
  };
}
