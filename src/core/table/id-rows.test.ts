import { expect, it } from 'vitest';
import { IdRows } from './id-rows.js';

it('it has what was added, before and after a look-up', () => {
  const ids = new IdRows();
  for (let number = 0; number < 3_000; number += 1) ids.add(`b${number}`);
  ids.add('a-long-id');
  expect(['b0', 'b2999', 'b3000', 'a-long-id', ''].map((id) => ids.has(id))).toEqual([
    ...[true, true, false, true, false],
  ]);
  ids.add('b3000');
  expect(ids.has('b3000')).toBe(true);
});
