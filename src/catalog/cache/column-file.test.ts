import { expect, test } from 'vitest';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import { decodeArrow } from '../arrow-file.js';
import { rowsOfCandles } from '../columns.js';
import { decodeColumns, encodeColumns, type ColumnFile } from './column-file.js';

const candles = (count: number): CandleColumns => {
  const columns = new CandleColumns();
  for (let index = 0; index < count; index += 1) {
    const price = 94_000 + Math.sin(index) * 100;
    const time = Date.UTC(1969, 11, 31) + index * 60_000;
    columns.append(time, price, price + 1.1, price - 1.3, price + 0.7, index / 7);
  }
  return columns;
};
const listOf = (columns: CandleColumns | undefined) =>
  Array.from({ length: columns?.length ?? 0 }, (_, index) => columns?.at(index));
const memoryOf = ({ parts, state }: ColumnFile): ArrayBuffer => {
  const bytes = new Uint8Array(state.bytes);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes.buffer;
};
const DATASET = { kind: 'klines', symbol: 'BTCUSDT', interval: '1m' } as const;

test.each([1, 7, 8, 3_000])('%i candles come back to the last bit', (count) => {
  const file = encodeColumns(candles(count));
  expect(listOf(decodeColumns(memoryOf(file), file.state))).toEqual(listOf(candles(count)));
});

test.each([1, 8, 3_000])(
  'apache-arrow reads a file of %i candles as one of the catalogue',
  async (count) => {
    const file = encodeColumns(candles(count));
    const rows = await decodeArrow(DATASET, new Uint8Array(memoryOf(file)), 'cached');
    expect(rows.map((column) => [...column])).toEqual(
      rowsOfCandles('klines', candles(count)).map((column) => [...column]),
    );
  },
);

test('a changed bit, a missing end and a state of other columns are seen', () => {
  const file = encodeColumns(candles(100));
  const flipped = new Uint8Array(memoryOf(file));
  flipped[1_000] = (flipped[1_000] ?? 0) ^ 1;
  expect(decodeColumns(flipped.buffer, file.state)).toBeUndefined();
  expect(decodeColumns(memoryOf(file).slice(0, -1), file.state)).toBeUndefined();
  expect(decodeColumns(memoryOf(file), { ...file.state, offsets: [0] })).toBeUndefined();
});
