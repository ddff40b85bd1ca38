import {
  absolute,
  add,
  isAtLeast,
  isAtMost,
  larger,
  negate,
  sign,
  smaller,
  subtract,
  ZERO,
  type Quantity,
} from '../../core/fixed.js';
import { signOf } from '../../core/order.js';
import type { OwnOrder } from '../../execution/order/own-order.js';

/** How far a position can be moved by orders that the venue has or may have, signed. `low` ≤ `high`. */
export interface Reach {
  readonly low: Quantity;
  readonly high: Quantity;
}

const NONE = ZERO as Quantity;

/** One symbol in one currency. Quantities are signed. */
export interface PositionSides {
  readonly believed: Quantity;
  /** What the venue shows; 0 where it shows nothing. */
  readonly claimed: Quantity;
  /** Where our own orders can have brought it. */
  readonly ours: Reach;
  /** By how much the listed orders of others can move it: `low` ≤ 0 ≤ `high`. */
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
  if (isAtLeast(claimed, ours.low) && isAtMost(claimed, ours.high)) return { kind: 'explained' };
  const most = claimed > 0 ? larger(ours.high, NONE) : smaller(ours.low, NONE);
  const beyond = subtract(claimed, most);
  if (beyond === 0 || sign(beyond) !== sign(claimed)) return { kind: 'shrunk' };
  const byOthers = claimed > 0 ? foreign.high : foreign.low;
  return { kind: isAtMost(absolute(beyond), absolute(byOthers)) ? 'foreign' : 'grown', beyond };
}

/**
 * Where these orders can have brought a position that may have been any of these, the first of them now.
 * A reduction may have filled before what has moved it since, and then goes further than from here.
 */
export function furthestOf(positions: readonly Quantity[], orders: readonly OwnOrder[]): Reach {
  const [now = NONE] = positions;
  const reaches = positions.flatMap((position) => {
    const { low, high } = reachOf(position, orders);
    const since = subtract(now, position);
    return [
      { low, high },
      { low: add(low, since), high: add(high, since) },
    ];
  });
  return {
    low: reaches.map(({ low }) => low).reduce((a, b) => smaller(a, b)),
    high: reaches.map(({ high }) => high).reduce((a, b) => larger(a, b)),
  };
}

/** Where these orders of ours can bring a position; a reduction takes it no further than flat. */
export function reachOf(position: Quantity, orders: Iterable<OwnOrder>): Reach {
  let low = position;
  let high = position;
  let sells = NONE;
  let buys = NONE;
  for (const { terms, remaining, fenceReach } of orders) {
    high = add(high, larger(NONE, fenceReach));
    low = add(low, smaller(NONE, fenceReach));
    if (terms.reduceOnly && terms.side === 'sell') sells = add(sells, remaining);
    else if (terms.reduceOnly) buys = add(buys, remaining);
    else if (signOf(terms.side) > 0) high = add(high, remaining);
    else low = subtract(low, remaining);
  }
  return {
    low: subtract(low, smaller(sells, larger(NONE, high))),
    high: add(high, smaller(buys, larger(NONE, negate(low)))),
  };
}
