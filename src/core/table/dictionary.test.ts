import { expect, test } from 'vitest';
import { Dictionary, MAX_VALUES } from './dictionary.js';

test('a dictionary gives a value the same number again, and a new one the next number', () => {
  const dictionary = new Dictionary<string>();
  expect(['BTCUSDT', 'ETHUSDT', 'BTCUSDT'].map((value) => dictionary.indexOf(value))).toEqual([
    0, 1, 0,
  ]);
  expect(dictionary.at(1)).toBe('ETHUSDT');
});

test('a dictionary refuses a value whose number no longer fits beside another in one cell', () => {
  const dictionary = new Dictionary<number>();
  for (let value = 0; value < MAX_VALUES; value += 1) dictionary.indexOf(value);
  expect(() => dictionary.indexOf(MAX_VALUES)).toThrow('many rows share');
  expect(dictionary.indexOf(7)).toBe(7);
});
