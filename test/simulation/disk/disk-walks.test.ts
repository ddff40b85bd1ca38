import { expect, it } from 'vitest';
import { firstDiskFailure } from './walks.js';

it('a run finds every record that earlier runs synced, after any faults of the disk', async () => {
  expect(await firstDiskFailure(2_000)).toBeUndefined();
}, 120_000);
