import { expect, it } from 'vitest';
import { nearest } from './suggestion.js';

it.each([
  ['sma-crss', 'sma-cross'],
  ['sma_cross', 'sma-cross'],
  ['SMA-CROSS', 'sma-cross'],
  ['donchain-breakout', 'donchian-breakout'],
  ['fsat', undefined],
  ['grid', undefined],
])('suggests for %s: %s', (given, expected) => {
  expect(nearest(given, ['sma-cross', 'donchian-breakout'])).toBe(expected);
});

it('takes a swap of neighbours as one mistake', () => {
  expect(nearest('fsat', ['fast', 'slow'])).toBe('fast');
});
