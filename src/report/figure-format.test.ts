import { expect, it } from 'vitest';
import { formatCount } from './figure-format.js';

it.each([
  [0, '0 candles'],
  [1, '1 candle'],
  [2, '2 candles'],
  [1_000_000, '1,000,000 candles'],
])('a count of %d has the right form of its noun', (count, text) => {
  expect(formatCount(count, 'candle')).toBe(text);
});
