import type { FileMetaData, ParquetParsers, SchemaElement } from 'hyparquet';
import { CandleFileError } from '../../market/candles/candle-file-error.js';
import type { TimeUnit } from '../../market/candles/time-unit.js';
import type { Table, TableColumn } from './table.js';

const UNITS: Readonly<Record<string, TimeUnit>> = {
  MILLIS: 'ms',
  MICROS: 'us',
  NANOS: 'ns',
  TIMESTAMP_MILLIS: 'ms',
  TIMESTAMP_MICROS: 'us',
};

/** Times stay as stored: a Date would cut them to ms. */
const RAW_TIMES: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (time) => time,
  timestampFromMicroseconds: (time) => time,
  timestampFromNanoseconds: (time) => time,
};

/**
 * Columns of a Parquet file, plain or packed with Snappy, Zstandard, gzip, Brotli or LZ4. Doubles are taken as they
 * are; a decimal is the double nearest to it.
 * @throws CandleFileError for a file that is cut off or has nested columns
 */
export async function parquetTable(path: string, bytes: Uint8Array): Promise<Table> {
  const { parquetMetadata, parquetRead } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const file = buffer as ArrayBuffer;
  let metadata: FileMetaData;
  const values = new Map<string, unknown[]>();
  try {
    metadata = parquetMetadata(file);
    const rows = Number(metadata.num_rows);
    for (const { name } of leavesOf(metadata)) values.set(name, new Array<unknown>(rows));
    await parquetRead({
      file,
      metadata,
      compressors,
      parsers: RAW_TIMES,
      onChunk: ({ columnName, columnData, rowStart }) => {
        const column = values.get(columnName);
        for (let row = 0; column !== undefined && row < columnData.length; row += 1)
          column[rowStart + row] = columnData[row];
      },
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CandleFileError(
      `${path}: the Parquet file cannot be read (${reason.slice(0, 120)}); is it cut off? Fetch it again`,
      { cause },
    );
  }
  const columns = leavesOf(metadata).map((leaf) => columnOf(leaf, values.get(leaf.name) ?? []));
  const length = Number(metadata.num_rows);
  return { length, columns, place: (row) => `${path}: row ${row + 1}` };
}

/** The columns without those that are nested. The first element of a schema is its root. */
const leavesOf = ({ schema }: FileMetaData): readonly SchemaElement[] =>
  schema.slice(1).filter(({ num_children: children }) => children === undefined);

function columnOf(leaf: SchemaElement, values: unknown[]): TableColumn {
  const { name, scale } = leaf;
  const isDecimal = leaf.converted_type === 'DECIMAL' || leaf.logical_type?.type === 'DECIMAL';
  if (isDecimal && scale !== undefined) return { name, values: values.map(decimalOf(scale)) };
  const timeUnit = unitOf(leaf);
  return { name, values, ...(timeUnit !== undefined && { timeUnit }) };
}

/** hyparquet multiplies the whole number by a power of ten, which may miss the nearest double. */
const decimalOf =
  (scale: number) =>
  (value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toFixed(scale)) : value;

function unitOf({ type, logical_type: logical, converted_type: converted }: SchemaElement) {
  if (type === 'INT96') return 'ns';
  if (logical?.type === 'TIMESTAMP') return UNITS[logical.unit];
  return converted === undefined ? undefined : UNITS[converted];
}
