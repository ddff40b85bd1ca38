import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import { UnconfirmedEdits } from './protective-order-submitter.js';

describe('order that an unclear edit may still reach', () => {
  it.each([
    { edits: [], to: '100', forbidden: false },
    { edits: ['100'], to: '100', forbidden: false },
    { edits: ['100'], to: '101', forbidden: true },
    { edits: ['100', '101'], to: '100', forbidden: true },
    { edits: ['100', '101'], to: '101', forbidden: true },
    { edits: ['100', '100'], to: '100', forbidden: false },
  ])('an edit to $to after $edits is forbidden: $forbidden', ({ edits, to, forbidden }) => {
    const dirty = new UnconfirmedEdits();
    for (const price of edits) dirty.add('s1', d(price));
    expect(dirty.forbids('s1', d(to))).toBe(forbidden);
    expect(dirty.forbids('s2', d(to)), 'another order').toBe(false);
    dirty.clear('s1');
    expect(dirty.forbids('s1', d(to)), 'once nothing can land').toBe(false);
  });
});
