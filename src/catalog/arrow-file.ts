import type * as Arrow from 'apache-arrow';
import { CatalogError } from './catalog-error.js';
import { COLUMN_NAMES, type Rows } from './columns.js';
import type { Dataset } from './dataset.js';
import { decimalPlaces } from './decimal-places.js';

/** Loaded on first use: only a command that touches the catalogue pays for it. */
const loadArrow = (): Promise<typeof Arrow> => import('apache-arrow');

const HALF = 2 ** 32;

/**
 * The bytes of an Arrow IPC file: a time column (ms UTC) and doubles, one record batch. Each double prints as
 * the decimal number of the source. The same rows give the same bytes.
 *
 * The metadata of the schema name the dataset and the decimal places of its values.
 */
export async function encodeArrow(dataset: Dataset, rows: Rows): Promise<Uint8Array> {
  const arrow = await loadArrow();
  const names = COLUMN_NAMES[dataset.kind];
  const [times, ...values] = rows;
  const time = new arrow.TimestampMillisecond('UTC');
  const double = new arrow.Float64();
  const fields = names.map((name, index) =>
    index === 0 ? arrow.Field.new(name, time, false) : arrow.Field.new(name, double, false),
  );
  const schema = new arrow.Schema<Arrow.TypeMap>(fields, metadataOf(dataset, values));
  const children = [
    arrow.makeData({ type: time, data: wholeTimes(times) }),
    ...values.map((data) => arrow.makeData({ type: double, data })),
  ];
  const struct = new arrow.Struct<Arrow.TypeMap>(fields);
  const data = arrow.makeData({ type: struct, length: times.length, nullCount: 0, children });
  const table = new arrow.Table(schema, [new arrow.RecordBatch(schema, data)]);
  return arrow.tableToIPC(table, 'file');
}

/**
 * The rows of an Arrow file.
 * @param name of the file, for messages
 * @throws CatalogError for a file that is no Arrow file, is cut off or has other columns
 */
export async function decodeArrow(
  dataset: Dataset,
  bytes: Uint8Array,
  name: string,
): Promise<Rows> {
  const arrow = await loadArrow();
  let table: Arrow.Table;
  try {
    table = arrow.tableFromIPC(bytes);
  } catch (cause) {
    throw new CatalogError(`${name}: this is no whole Arrow file`, { cause });
  }
  const [time, ...values] = COLUMN_NAMES[dataset.kind].map((column) => {
    const found = table.getChild(column);
    if (found === null || found.nullCount > 0)
      throw new CatalogError(`${name}: it has no column ${column} without empty cells`);
    return numbersOf(found.toArray() as unknown, column, name);
  }) as [Float64Array, ...Float64Array[]];
  return [time, ...values];
}

function metadataOf(dataset: Dataset, [first = new Float64Array(), ...others]: Float64Array[]) {
  const metadata = new Map([
    ['sluice.schema', '1'],
    ['sluice.kind', dataset.kind],
    ['sluice.symbol', dataset.symbol],
  ]);
  if (dataset.kind === 'funding') return metadata.set('sluice.rate_places', placesText([first]));
  metadata.set('sluice.interval', dataset.interval);
  metadata.set('sluice.price_places', placesText([first, ...others.slice(0, 3)]));
  const volume = others[3];
  return volume === undefined
    ? metadata
    : metadata.set('sluice.volume_places', placesText([volume]));
}

/** `2`, or `any` where a value has more places than are counted. */
const placesText = (columns: readonly Float64Array[]): string =>
  String(decimalPlaces(columns) ?? 'any');

/** Whole milliseconds as 64-bit integers: two halves, because a BigInt for each row is slow. */
function wholeTimes(times: Float64Array): BigInt64Array {
  const halves = new Int32Array(times.length * 2);
  for (let index = 0; index < times.length; index += 1) {
    const time = times[index] as number;
    // Stored modulo 2^32, as typed arrays convert.
    halves[2 * index] = time;
    halves[2 * index + 1] = Math.floor(time / HALF);
  }
  return new BigInt64Array(halves.buffer);
}

function numbersOf(values: unknown, column: string, name: string): Float64Array {
  if (values instanceof Float64Array) return values;
  if (values instanceof BigInt64Array) {
    const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
    const times = new Float64Array(values.length);
    for (let index = 0; index < times.length; index += 1) {
      const low = (halves[2 * index] as number) >>> 0;
      times[index] = (halves[2 * index + 1] as number) * HALF + low;
    }
    return times;
  }
  throw new CatalogError(`${name}: its column ${column} holds no numbers of the catalogue`);
}
