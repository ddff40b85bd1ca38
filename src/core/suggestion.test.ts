import { expect, it } from 'vitest';
import { nearest } from './suggestion.js';

it.each([
  ['sma-crss', 'sma-cross'],
  ['sma_cross', 'sma-cross'],
  ['SMA-CROSS', 'sma-cross'],
  ['donchain-breakout', 'donchian-breakout'],
  ['fsat', undefined],
  ['grid', undefined],
])('the suggestion for %s is %s', (given, expected) => {
  expect(nearest(given, ['sma-cross', 'donchian-breakout'])).toBe(expected);
});

it('a swap of adjacent characters is one mistake', () => {
  expect(nearest('fsat', ['fast', 'slow'])).toBe('fast');
});
