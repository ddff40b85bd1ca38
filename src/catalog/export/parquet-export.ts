import type { Rows } from '../columns.js';
import type { Dataset } from '../dataset.js';
import { exportColumns, EXPORT_NAMES } from './csv-export.js';

/** Rows of one row group, as pyarrow writes by default. */
const ROWS_PER_GROUP = 1_048_576;

/** The rows as Parquet, packed with Snappy: a timestamp in ms UTC and doubles. */
export async function parquetOf(dataset: Dataset, rows: Rows): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const [times, ...values] = exportColumns(dataset, rows) as [Float64Array, ...Float64Array[]];
  const [timeName = '', ...names] = EXPORT_NAMES[dataset.kind];
  const buffer = parquetWriteBuffer({
    columnData: [
      {
        name: timeName,
        data: Array.from(times, (ms) => new Date(ms)),
        type: 'TIMESTAMP',
        nullable: false,
      },
      ...names.map((name, index) => ({
        name,
        data: values[index] ?? new Float64Array(times.length),
        type: 'DOUBLE' as const,
        nullable: false,
      })),
    ],
    rowGroupSize: ROWS_PER_GROUP,
    createdBy: 'sluice',
  });
  return new Uint8Array(buffer);
}
