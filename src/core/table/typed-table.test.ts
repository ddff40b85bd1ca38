import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedFromText, type Fixed } from '../fixed/fixed.js';
import { Dictionary } from './dictionary.js';
import { TypedTable } from './typed-table.js';

/** A row of a number, a fixed-point value or none, an id or none, and a wide integer or none. */
interface Row {
  readonly number: number;
  readonly fixed: Fixed | undefined;
  readonly id: string | undefined;
  readonly wide: bigint | undefined;
}

const fixedValue = fc
  .constantFrom('0', '1.5', '-0.00000001', '0.000000000000000001', '123456789012345678')
  .map((text) => fixedFromText(text));
const row: fc.Arbitrary<Row> = fc.record({
  number: fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0)),
  fixed: fc.option(fixedValue, { nil: undefined }),
  id: fc.option(fc.constantFrom('b1', 'b01', 'an-id', ''), { nil: undefined }),
  wide: fc.option(fc.bigInt(), { nil: undefined }),
});

function write(table: TypedTable, at: number, { number, fixed, id, wide }: Row): void {
  table.setNumber(at, 0, number);
  table.setFixed(at, 1, fixed);
  table.setId(at, 2, id);
  table.setWide(at, 3, wide);
}

const read = (table: TypedTable, at: number): Row => ({
  number: table.number(at, 0),
  fixed: table.fixed(at, 1),
  id: table.id(at, 2),
  wide: table.wide(at, 3),
});

describe('a table of numbers', () => {
  it('every row reads as it was written last', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(row, row), { maxLength: 30 }), (rows) => {
        const table = new TypedTable(4);
        for (const [first] of rows) write(table, table.add(), first);
        rows.forEach(([, second], at) => write(table, at, second));
        expect(table.length).toBe(rows.length);
        expect(rows.map((_, at) => read(table, at))).toEqual(rows.map(([, second]) => second));
      }),
    );
  });

  it('rows that are kept stay what they were, in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(row, fc.boolean()), { maxLength: 40 }), row, (rows, next) => {
        const table = new TypedTable(4);
        for (const [each] of rows) write(table, table.add(), each);
        table.keep((at) => rows[at]?.[1] === true);
        write(table, table.add(), next);
        const kept = rows.flatMap(([each, isKept]) => (isKept ? [each] : []));
        expect(Array.from({ length: table.length }, (_, at) => read(table, at))).toEqual([
          ...kept,
          next,
        ]);
      }),
    );
  });

  it('rows of several chunks are apart, and new ones are 0', () => {
    const table = new TypedTable(2);
    for (let at = 0; at < 5_000; at += 1) table.setNumber(table.add(), 1, at);
    for (let at = 0; at < 5_000; at += 1) {
      expect(table.number(at, 0)).toBe(0);
      expect(table.number(at, 1)).toBe(at);
    }
  });
});

it('a dictionary gives a value the same number each time', () => {
  const words = new Dictionary<string | undefined>();
  expect(['a', undefined, 'b', 'a', undefined].map((word) => words.indexOf(word))).toEqual([
    0, 1, 2, 0, 1,
  ]);
  expect([0, 1, 2].map((at) => words.at(at))).toEqual(['a', undefined, 'b']);
});
