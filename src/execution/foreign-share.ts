import { fixed, ZERO, type Quantity } from '../core/fixed.js';

/**
 * Which part of a position belongs to others, once a claim is taken over. They have had what no order
 * of ours explains; what was closed by nobody of ours was theirs first. Never more than the position,
 * never of the other sign.
 */
export function foreignShare(
  before: { readonly quantity: Quantity; readonly foreign: Quantity },
  after: { readonly quantity: Quantity; readonly beyond: Quantity },
): Quantity {
  const closed = Math.max(0, Math.abs(before.quantity) - Math.abs(after.quantity));
  const left =
    after.beyond === 0
      ? Math.sign(before.foreign) * Math.max(0, Math.abs(before.foreign) - closed)
      : before.foreign + after.beyond;
  return withinPosition(fixed(left), after.quantity);
}

/** A share of a position: of its sign, and no larger. */
export function withinPosition(share: Quantity, position: Quantity): Quantity {
  if (share === 0 || Math.sign(share) !== Math.sign(position)) return ZERO as Quantity;
  return Math.abs(share) > Math.abs(position) ? position : share;
}
