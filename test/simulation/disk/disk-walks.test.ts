import { expect, it } from 'vitest';
import { firstLost } from './walks.js';

it('finds after any lives and faults of the disk what the lives before were promised', async () => {
  expect(await firstLost(2_000)).toBeUndefined();
}, 120_000);
