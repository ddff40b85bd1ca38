import { describe, expect, it } from 'vitest';
import { d } from '../../../test/harness/risk-case.js';
import { DirtyLegs } from './dirty-legs.js';

describe('an order that an edit may still reach', () => {
  it.each([
    { edits: [], to: '100', forbidden: false },
    { edits: ['100'], to: '100', forbidden: false },
    { edits: ['100'], to: '101', forbidden: true },
    { edits: ['100', '101'], to: '100', forbidden: true },
    { edits: ['100', '101'], to: '101', forbidden: true },
    { edits: ['100', '100'], to: '100', forbidden: false },
  ])('after $edits may not be edited to $to: $forbidden', ({ edits, to, forbidden }) => {
    const dirty = new DirtyLegs();
    for (const price of edits) dirty.add('s1', d(price));
    expect(dirty.forbids('s1', d(to))).toBe(forbidden);
    expect(dirty.forbids('s2', d(to)), 'another order').toBe(false);
    dirty.clear('s1');
    expect(dirty.forbids('s1', d(to)), 'once nothing can land').toBe(false);
  });
});
