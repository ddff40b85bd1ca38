import { expect, test } from 'vitest';
import { sparkline } from './sparkline.js';

test.each([
  { name: 'a rise', values: [1, 2, 3, 4, 5, 6, 7, 8], width: 8, line: '▁▂▃▄▅▆▇█' },
  { name: 'a fall below zero', values: [1, 0, -1], width: 3, line: '█▅▁' },
  { name: 'a flat series at half height', values: [5, 5, 5], width: 4, line: '▄▄▄▄' },
  { name: 'one value', values: [5], width: 3, line: '▄▄▄' },
  { name: 'a short series stretched', values: [1, 2], width: 6, line: '▁▁▁███' },
  {
    name: 'a long series by the last value of each section',
    values: [9, 1, 9, 8],
    width: 2,
    line: '▁█',
  },
  { name: 'nothing as blanks', values: [], width: 3, line: '   ' },
  { name: 'gaps as blanks', values: [1, NaN, 2], width: 3, line: '▁ █' },
])('the line shows $name', ({ values, width, line }) => {
  expect(sparkline(values, { width })).toBe(line);
});

test('only the first rows of a column count, and the width is constant', () => {
  const column = new Float64Array(1_000).fill(7, 0, 500);
  expect(sparkline(column, { width: 20, length: 500 })).toBe('▄'.repeat(20));
  expect(sparkline(column, { width: 33 })).toHaveLength(33);
});
