import { isPlainDecimal } from '../../core/fixed/decimal.js';
import { formatNumber } from '../figure-format.js';
import type { Column, Row } from '../rows-table.js';
import type { ComparedRow } from './run-comparison.js';

/** Characters of an input in the table. */
const MAX_CELL = 28;

/** One column for each run. */
export const comparedColumns = (letters: readonly string[]): readonly Column[] => [
  { key: 'key', head: '' },
  ...letters.map((key) => ({ key, alignRight: true })),
];

/** One row of the table; a key whose values are equal has a `=`. */
export const comparedCells = (
  { key, values, differs }: ComparedRow,
  letters: readonly string[],
  textOf: (value: unknown) => string,
): Row => ({
  key: differs ? key : `${key} =`,
  ...Object.fromEntries(values.map((value, index) => [letters[index] ?? '', textOf(value)])),
});

/** An input, cut to a cell. */
export function inputText(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1)}…` : text;
}

const PLACES = 4;

/** Exact money and ratios in four places; whole numbers as they are. */
export function figureText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' && !isPlainDecimal(value) && !/^-\d/.test(value)) return value;
  const number = Number(value);
  return formatNumber(number, Number.isInteger(number) ? 0 : PLACES);
}
