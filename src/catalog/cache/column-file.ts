import { crc32 } from 'node:zlib';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import { COLUMN_NAMES, rowsOfCandles } from '../columns.js';
import { byte, flatBuffer, long, short, structs, table, tables, flatText } from './flat-table.js';
import type { FlatFields } from './flat-table.js';

/** An Arrow IPC file of candles in parts, one after the other. */
export interface ColumnFile {
  readonly parts: readonly Uint8Array[];
  readonly state: ColumnState;
}

/** Size, checksum and layout of an Arrow file, so that its columns are read without its metadata. */
export interface ColumnState {
  readonly bytes: number;
  /** CRC-32 of the file (RFC 1952): it finds damage, and is not there against forgery. */
  readonly crc32: number;
  readonly rows: number;
  /** Offset of each column; those of a column that a file of mark prices lacks are absent. */
  readonly offsets: readonly number[];
}

const NAMES = COLUMN_NAMES.klines;
const MAGIC = new TextEncoder().encode('ARROW1');
const CONTINUATION = 0xffffffff;
/** Arrow recommends it: a program that maps the file finds each column on a cache line. */
const ALIGNMENT = 64;
const VALUE_BYTES = 8;
const HALF = 2 ** 32;
/** Numbers of the Arrow format (format/Schema.fbs, Message.fbs). */
const VERSION_5 = 4;
const TYPE = { double: 3, timestamp: 10 } as const;
const HEADER = { schema: 1, recordBatch: 3 } as const;
const DOUBLE_PRECISION = 2;
const MILLISECOND = 1;

/**
 * The Arrow file of candles: the columns of the catalogue, one record batch. Its values are those of `columns`, so
 * that it must be written before they change.
 */
export function encodeColumns(columns: CandleColumns): ColumnFile {
  const [times, ...values] = rowsOfCandles('klines', columns);
  const rows = times.length;
  const data = [bytesOf(wholeTimes(times)), ...values.map(bytesOf)];
  const width = padded(rows * VALUE_BYTES);
  const bodyBytes = width * data.length;
  const schema = message(HEADER.schema, SCHEMA, 0, MAGIC_BYTES);
  const batchAt = MAGIC_BYTES + schema.length;
  const batch = message(HEADER.recordBatch, recordBatch(rows, width), bodyBytes, batchAt);
  const bodyAt = batchAt + batch.length;
  const footer = footerOf(batchAt, batch.length, bodyBytes);
  const gap = new Uint8Array(width - rows * VALUE_BYTES);
  const parts = [
    magic(),
    schema,
    batch,
    ...data.flatMap((column) => (gap.length === 0 ? [column] : [column, gap])),
    footer,
  ];
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const offsets = data.map((_, index) => bodyAt + index * width);
  return { parts, state: { bytes, crc32: parts.reduce(checksum, 0), rows, offsets } };
}

/** The columns of a file, over its memory; undefined: it is damaged. */
export function decodeColumns(memory: ArrayBuffer, state: ColumnState): CandleColumns | undefined {
  const { bytes, rows, offsets } = state;
  if (memory.byteLength !== bytes || offsets.length !== NAMES.length) return undefined;
  if (crc32(new Uint8Array(memory)) !== state.crc32) return undefined;
  const [openTime, open, high, low, close, volume] = offsets.map(
    (offset) => new Float64Array(memory, offset, rows),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  timesInPlace(openTime);
  return CandleColumns.wrap({ openTime, open, high, low, close, volume });
}

const checksum = (sum: number, part: Uint8Array): number => crc32(part, sum);

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array | Int32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Whole ms as 64-bit integers, in two halves: a BigInt for each row is slow. */
function wholeTimes(times: Float64Array): Int32Array {
  const halves = new Int32Array(times.length * 2);
  for (let index = 0; index < times.length; index += 1) {
    const time = times[index] as number;
    // Stored modulo 2^32, as typed arrays convert.
    halves[2 * index] = time;
    halves[2 * index + 1] = Math.floor(time / HALF);
  }
  return halves;
}

/** Turns 64-bit integers into doubles of the same places. */
function timesInPlace(times: Float64Array): void {
  const halves = new Int32Array(times.buffer, times.byteOffset, times.length * 2);
  for (let index = 0; index < times.length; index += 1) {
    const low = (halves[2 * index] as number) >>> 0;
    times[index] = (halves[2 * index + 1] as number) * HALF + low;
  }
}

const padded = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

const MAGIC_BYTES = 8;

function magic(): Uint8Array {
  const bytes = new Uint8Array(MAGIC_BYTES);
  bytes.set(MAGIC);
  return bytes;
}

const fieldOf = (name: string, index: number): FlatFields => [
  flatText(name),
  undefined,
  byte(index === 0 ? TYPE.timestamp : TYPE.double),
  index === 0 ? table(short(MILLISECOND), flatText('UTC')) : table(short(DOUBLE_PRECISION)),
  undefined,
  tables([]),
];

const SCHEMA: FlatFields = [
  undefined,
  tables(NAMES.map(fieldOf)),
  tables([
    [flatText('sluice.schema'), flatText('1')],
    [flatText('sluice.kind'), flatText('klines')],
  ]),
];

const recordBatch = (rows: number, width: number): FlatFields => [
  long(rows),
  structs(
    2,
    NAMES.flatMap(() => [rows, 0]),
  ),
  // Each column has an empty bitmap of its nulls before its values.
  structs(
    2,
    NAMES.flatMap((_, index) => [index * width, 0, index * width, rows * VALUE_BYTES]),
  ),
];

/** A message with its prefix; after it the position in the file is aligned. */
function message(header: number, fields: FlatFields, bodyBytes: number, at: number): Uint8Array {
  const content = flatBuffer([short(VERSION_5), byte(header), table(...fields), long(bodyBytes)]);
  const size = padded(at + 8 + content.length) - at;
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, size - 8, true);
  bytes.set(content, 8);
  return bytes;
}

/** The end of the batches, the footer, its size and the magic bytes. */
function footerOf(batchAt: number, metadataBytes: number, bodyBytes: number): Uint8Array {
  const block = [batchAt, metadataBytes, bodyBytes];
  const content = flatBuffer([
    short(VERSION_5),
    table(...SCHEMA),
    structs(3, []),
    structs(3, block),
  ]);
  const bytes = new Uint8Array(8 + content.length + 4 + MAGIC.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CONTINUATION, true);
  bytes.set(content, 8);
  view.setInt32(8 + content.length, content.length, true);
  bytes.set(MAGIC, 8 + content.length + 4);
  return bytes;
}
