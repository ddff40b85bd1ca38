import { expect, it } from 'vitest';
import { firstEngineFailure } from './walks.js';

it('believes what is, whatever lags, blips, is lost or done by others, and starts as it ended', () => {
  expect(firstEngineFailure(100)).toBeUndefined();
}, 120_000);
