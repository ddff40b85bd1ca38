import type * as Arrow from 'apache-arrow';
import { CandleFileError } from '../../market/candles/candle-file-error.js';
import type { TimeUnit } from '../../market/candles/time-unit.js';
import { unpackLz4 } from './lz4-frame.js';
import type { Table, TableColumn } from './table.js';

/** In the order of Arrow's enumeration `TimeUnit`. */
const UNITS: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns'];

/**
 * Columns of a Feather file of version 2, which is an Arrow IPC file, plain or packed with LZ4 or Zstandard.
 * Doubles are taken as they are.
 * @throws CandleFileError for a file that is cut off or no Arrow file
 */
export async function featherTable(path: string, bytes: Uint8Array): Promise<Table> {
  const arrow = await import('apache-arrow');
  await registerCodecs(arrow);
  let table: Arrow.Table;
  try {
    table = arrow.tableFromIPC(bytes);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CandleFileError(
      `${path}: the Feather file cannot be read (${reason.slice(0, 120)}); is it cut off? Fetch it again`,
      { cause },
    );
  }
  const columns = table.schema.fields.map((field, index) =>
    columnOf(field.name, table.getChildAt(index), arrow),
  );
  return { length: table.numRows, columns, place: (row) => `${path}: row ${row + 1}` };
}

async function registerCodecs(arrow: typeof Arrow): Promise<void> {
  const { CompressionType, compressionRegistry } = arrow;
  if (compressionRegistry.get(CompressionType.LZ4_FRAME) !== null) return;
  const { decompressZstd } = await import('hyparquet-compressors');
  compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: unpackLz4 });
  compressionRegistry.set(CompressionType.ZSTD, { decode: (packed) => decompressZstd(packed) });
}

function columnOf(name: string, vector: Arrow.Vector | null, arrow: typeof Arrow): TableColumn {
  if (vector === null) return { name, values: [] };
  const { type } = vector;
  if (!arrow.DataType.isTimestamp(type)) {
    // Null cells of a typed array read as 0: only a column without them is taken as it is.
    const isPlain = vector.nullCount === 0 && arrow.DataType.isFloat(type);
    const values = isPlain ? (vector.toArray() as ArrayLike<unknown>) : [...vector];
    return { name, values };
  }
  const timeUnit = UNITS[type.unit];
  // The values as stored: reading them one by one would round them to ms.
  const values = vector.nullCount === 0 ? (vector.toArray() as ArrayLike<unknown>) : [...vector];
  return { name, values, ...(timeUnit !== undefined && { timeUnit }) };
}
