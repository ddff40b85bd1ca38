import {
  absolute,
  add,
  isMore,
  larger,
  sign,
  subtract,
  withSign,
  ZERO,
  type Quantity,
} from '../core/fixed.js';

const NONE = ZERO as Quantity;

/**
 * Which part of a position belongs to others, once a claim is taken over. They have had what no order
 * of ours explains; what was closed by nobody of ours was theirs first. Never more than the position,
 * never of the other sign.
 */
export function foreignShare(
  before: { readonly quantity: Quantity; readonly foreign: Quantity },
  after: { readonly quantity: Quantity; readonly beyond: Quantity },
): Quantity {
  const closed = larger(NONE, subtract(absolute(before.quantity), absolute(after.quantity)));
  const left =
    after.beyond === 0
      ? withSign(
          before.foreign < 0 ? -1 : 1,
          larger(NONE, subtract(absolute(before.foreign), closed)),
        )
      : add(before.foreign, after.beyond);
  return withinPosition(left, after.quantity);
}

/** A share of a position: of its sign, and no larger. */
export function withinPosition(share: Quantity, position: Quantity): Quantity {
  if (share === 0 || sign(share) !== sign(position)) return NONE;
  return isMore(absolute(share), absolute(position)) ? position : share;
}
