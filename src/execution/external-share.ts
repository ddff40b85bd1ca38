import {
  absolute,
  add,
  isGreater,
  larger,
  sign,
  subtract,
  withSign,
  ZERO,
  type Quantity,
} from '../core/fixed/fixed.js';

const NONE = ZERO as Quantity;

/**
 * External part of a position after the venue's quantity was accepted. A change that no order of
 * ours explains is external. A reduction without our orders takes from the external part first. The
 * result never exceeds the position and has its sign.
 */
export function externalShare(
  before: { readonly quantity: Quantity; readonly external: Quantity },
  after: { readonly quantity: Quantity; readonly unexplained: Quantity },
): Quantity {
  const closed = larger(NONE, subtract(absolute(before.quantity), absolute(after.quantity)));
  const left =
    after.unexplained === 0
      ? withSign(
          before.external < 0 ? -1 : 1,
          larger(NONE, subtract(absolute(before.external), closed)),
        )
      : add(before.external, after.unexplained);
  return withinPosition(left, after.quantity);
}

/** Limits a share to the position: of its sign, and no larger. */
export function withinPosition(share: Quantity, position: Quantity): Quantity {
  if (share === 0 || sign(share) !== sign(position)) return NONE;
  return isGreater(absolute(share), absolute(position)) ? position : share;
}
