import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SubmittedLegs } from './submitted-legs.js';

it('the set has added legs and no other, in any order and form', () => {
  const leg = fc.oneof(fc.nat(30), fc.constantFrom('a', 'b', '3'));
  fc.assert(
    fc.property(fc.array(leg), fc.array(leg), (added, asked) => {
      const memory = new SubmittedLegs();
      const expected = new Set(added);
      for (const one of added) memory.add(one);
      for (const one of [...added, ...asked]) expect(memory.has(one)).toBe(expected.has(one));
    }),
  );
});

it('numbers out of order are found after many ascending ones', () => {
  const memory = new SubmittedLegs();
  for (let leg = 0; leg < 2_000; leg += 2) memory.add(leg);
  for (const leg of [1_999, 1, 1_001, 1, 1_999]) memory.add(leg);
  const odd = Array.from({ length: 1_000 }, (_, index) => 2 * index + 1);
  expect(odd.filter((leg) => memory.has(leg))).toEqual([1, 1_001, 1_999]);
  expect(memory.has(1_998)).toBe(true);
  expect(memory.has(2_000)).toBe(false);
});

it('the set has at most its limit of texts, each counted once', () => {
  const memory = new SubmittedLegs();
  for (let leg = 0; leg < 100_000; leg += 1) memory.add(`text ${leg}`);
  memory.add('text 99999');
  expect(memory.has('text 0')).toBe(true);
});

it('the oldest entry leaves a full set', () => {
  const memory = new SubmittedLegs();
  for (let leg = 0; leg <= 200_000; leg += 1) {
    memory.add(leg);
    if (leg <= 100_000) memory.add(`text ${leg}`);
  }
  expect([memory.has(0), memory.has(200_000), memory.has(100_001)]).toEqual([false, true, true]);
  expect([memory.has('text 0'), memory.has('text 100000')]).toEqual([false, true]);
});
