import { expect, test } from 'vitest';
import { tortureJournal } from './journal-torture.js';

/** All of it: `npm run torture:journal`. */
test('a journal that is cut, flipped or reordered is never opened in silence', async () => {
  const totals = await tortureJournal({ every: 97, reorders: 300 });
  expect(totals).toEqual({
    truncations: 676,
    flips: 676,
    reorders: 300,
    silent: 0,
    crashes: 0,
    needless: 0,
  });
});
