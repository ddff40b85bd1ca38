import { describe, expect, it } from 'vitest';
import { fixed } from '../core/fixed/fixed.js';
import { externalShare, withinPosition } from './external-share.js';
import { scaledOf } from '../../test/support/builders/scaled.js';

describe("external share after the venue's quantity is accepted", () => {
  it.each([
    // Nothing unexplained: a close without our orders takes from the external part first.
    { before: 10, theirs: 4, after: 10, beyond: 0, left: 4 },
    { before: 10, theirs: 4, after: 7, beyond: 0, left: 1 },
    { before: 10, theirs: 4, after: 6, beyond: 0, left: 0 },
    { before: 10, theirs: 4, after: 3, beyond: 0, left: 0 },
    { before: 10, theirs: 4, after: 12, beyond: 0, left: 4 },
    { before: 10, theirs: 0, after: 10, beyond: 0, left: 0 },
    { before: -10, theirs: -4, after: -9, beyond: 0, left: -3 },
    { before: -10, theirs: -4, after: -2, beyond: 0, left: 0 },
    { before: 10, theirs: 10, after: 10, beyond: 0, left: 10 },
    // An unexplained change is external.
    { before: 10, theirs: 0, after: 13, beyond: 3, left: 3 },
    { before: 10, theirs: 4, after: 13, beyond: 3, left: 7 },
    { before: 10, theirs: 4, after: 8, beyond: -2, left: 2 },
    { before: 0, theirs: 0, after: -5, beyond: -5, left: -5 },
    // Never more than the position, and of its sign.
    { before: 10, theirs: 4, after: 5, beyond: 3, left: 5 },
    { before: 10, theirs: 4, after: 6, beyond: -5, left: 0 },
    { before: 10, theirs: 4, after: 0, beyond: 3, left: 0 },
    { before: 10, theirs: 4, after: -3, beyond: 0, left: 0 },
    { before: -10, theirs: -4, after: -5, beyond: -3, left: -5 },
  ])('$before ($theirs external) → $after ($beyond unexplained) leaves $left external', (of) => {
    const share = externalShare(
      { quantity: fixed(of.before), external: fixed(of.theirs) },
      { quantity: fixed(of.after), unexplained: fixed(of.beyond) },
    );
    expect(scaledOf(share) + 0).toBe(of.left);
  });

  it.each([
    { share: 3, position: 5, within: 3 },
    { share: 5, position: 5, within: 5 },
    { share: 6, position: 5, within: 5 },
    { share: -6, position: -5, within: -5 },
    { share: -3, position: -5, within: -3 },
    { share: 3, position: -5, within: 0 },
    { share: -3, position: 5, within: 0 },
    { share: 3, position: 0, within: 0 },
    { share: 0, position: 5, within: 0 },
    { share: 0, position: 0, within: 0 },
  ])(
    'a share of $share within a position of $position is $within',
    ({ share, position, within }) => {
      expect(withinPosition(fixed(share), fixed(position))).toBe(within);
    },
  );
});
