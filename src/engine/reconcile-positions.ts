import { fixed, type Quantity } from '../core/fixed.js';
import { signOf } from '../core/order.js';
import type { OwnOrder } from '../execution/own-order.js';

/** How far a position can be moved by orders that the venue has or may have. `low` ≤ `high`. */
export interface Reach {
  readonly low: Quantity;
  readonly high: Quantity;
}

/** One symbol in one currency. Quantities are signed. */
export interface PositionSides {
  readonly believed: Quantity;
  /** What the venue shows; 0 where it shows nothing. */
  readonly claimed: Quantity;
  /** By our own orders. */
  readonly ours: Reach;
  /** By orders of others that were listed as open. */
  readonly foreign: Reach;
}

/**
 * What the venue shows of a position, against what we believe.
 *
 * What holds, and is tested as such:
 *
 * 1. Equal sides are `equal`, whatever is under way.
 * 2. What our own orders can have made is `explained`: their own answers are to say so.
 * 3. Between flat and the furthest that they reach it is `shrunk`: a stop fired, a liquidation, somebody's
 *    hand. Never more risk than was there, and believed on evidence alone (P28).
 * 4. Further than that, as far as listed orders of others reach, it is `foreign`.
 * 5. Beyond both it is `grown`: exposure without an intent (R22, G16). More orders of ours never make
 *    less of a claim explained, and patience never turns growth into anything else.
 * 6. `beyond` is what ours do not explain: of the claim's sign, never larger than the claim.
 * 7. The verdict hangs on the arguments alone (P26).
 */
export type PositionVerdict =
  | { readonly kind: 'equal' | 'explained' | 'shrunk' }
  | { readonly kind: 'foreign' | 'grown'; readonly beyond: Quantity };

export function judgePosition({
  believed,
  claimed,
  ours,
  foreign,
}: PositionSides): PositionVerdict {
  if (claimed === believed) return { kind: 'equal' };
  if (claimed >= ours.low && claimed <= ours.high) return { kind: 'explained' };
  const most = claimed > 0 ? Math.max(ours.high, 0) : Math.min(ours.low, 0);
  const beyond = fixed<'quantity'>(claimed - most);
  if (beyond === 0 || Math.sign(beyond) !== Math.sign(claimed)) return { kind: 'shrunk' };
  const byOthers = claimed > 0 ? foreign.high : foreign.low;
  return { kind: Math.abs(beyond) <= Math.abs(byOthers) ? 'foreign' : 'grown', beyond };
}

/** How far these orders of ours can move a position; a reduction takes it no further than flat. */
export function reachOf(position: Quantity, orders: Iterable<OwnOrder>): Reach {
  let low = position as number;
  let high = position as number;
  let sells = 0;
  let buys = 0;
  for (const { terms, remaining } of orders) {
    if (terms.reduceOnly && terms.side === 'sell') sells += remaining;
    else if (terms.reduceOnly) buys += remaining;
    else if (signOf(terms.side) > 0) high += remaining;
    else low -= remaining;
  }
  return {
    low: fixed(low - Math.min(sells, Math.max(0, high))),
    high: fixed(high + Math.min(buys, Math.max(0, -low))),
  };
}

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
  if (Math.sign(share) !== Math.sign(position)) return fixed(0);
  return Math.abs(share) > Math.abs(position) ? position : share;
}
