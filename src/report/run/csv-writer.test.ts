import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixedFromUnits, textFromFixed } from '../../core/fixed/fixed.js';
import { CsvWriter } from './csv-writer.js';

const textOf = (csv: CsvWriter): string => new TextDecoder().decode(csv.bytes());

/** The cell that a writer without any memory of its own writes. */
const cellOf = (write: (csv: CsvWriter) => unknown): string => {
  const csv = new CsvWriter('h', 0);
  write(csv);
  csv.endRow();
  return textOf(csv).slice('h\n'.length, -1);
};

test('cells are joined by commas, and rows end with a line feed', () => {
  const csv = new CsvWriter('a,b', 4);
  csv.text('').text('x').endRow();
  csv.number(12).text('').endRow();
  expect(textOf(csv)).toBe('a,b\n,x\n12,\n');
});

test('an exact value is written as its text', () => {
  const units = fc.oneof(
    fc.bigInt({ min: -(10n ** 36n), max: 10n ** 36n }),
    fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }).map((scaled) => scaled * 10n ** 10n),
    fc.bigInt({ min: -99n, max: 99n }).map((whole) => whole * 10n ** 18n),
  );
  fc.assert(
    fc.property(units.map(fixedFromUnits), (value) => {
      expect(cellOf((csv) => csv.fixed(value))).toBe(textFromFixed(value));
    }),
    { numRuns: 2_000 },
  );
});

test('an instant is written as ISO 8601, beside the instant before', () => {
  const time = fc.oneof(
    fc.integer({ min: -1e12, max: 5e12 }),
    fc.integer({ min: -8.6e15, max: 8.6e15 }),
  );
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 6 }), (times) => {
      const cells = cellOf((csv) => {
        for (const each of times)
          csv
            .instant(each)
            .instant(each + 1)
            .instant(each - 1);
      });
      const iso = (at: number): string => new Date(at).toISOString();
      expect(cells).toBe(times.flatMap((at) => [iso(at), iso(at + 1), iso(at - 1)]).join(','));
    }),
    { examples: [[[0, -1, 86_399_999, 86_400_000]]] },
  );
  expect(() => cellOf((csv) => csv.instant(NaN))).toThrow(RangeError);
});

test('a number is written with at most 8 places, and without an exponent below 1e21', () => {
  const plain = (value: number): string => {
    const text = value.toFixed(8).replace(/\.?0+$/, '');
    return text === '-0' ? '0' : text;
  };
  const number = fc.oneof(
    fc.double({ min: -1e20, max: 1e20, noNaN: true }),
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 }).map((value) => value / 1_000),
    fc.double({ min: -1e-6, max: 1e-6, noNaN: true }),
  );
  fc.assert(
    fc.property(number, (value) => {
      expect(cellOf((csv) => csv.number(value))).toBe(plain(value));
    }),
    { numRuns: 2_000, examples: [[0], [-0], [-1e-12], [100], [-100], [2 ** 53]] },
  );
  expect([1e21, NaN, -Infinity].map((value) => cellOf((csv) => csv.number(value)))).toEqual([
    '1e+21',
    'NaN',
    '-Infinity',
  ]);
});

test('a text of any script is UTF-8', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
      const rows = texts.map((text) => text.replaceAll(/[\n,]/g, ' '));
      const cells = cellOf((csv) => {
        for (const text of rows) csv.text(text);
      });
      expect(cells).toBe(rows.join(','));
    }),
  );
});
