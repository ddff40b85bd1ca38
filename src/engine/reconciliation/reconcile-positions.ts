import { fixed, ZERO, type Quantity } from '../../core/fixed.js';
import { signOf } from '../../core/order.js';
import type { OwnOrder } from '../../execution/order/own-order.js';

/** How far a position can be moved by orders that the venue has or may have, signed. `low` ≤ `high`. */
export interface Reach {
  readonly low: Quantity;
  readonly high: Quantity;
}

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
  if (claimed >= ours.low && claimed <= ours.high) return { kind: 'explained' };
  const most = claimed > 0 ? Math.max(ours.high, 0) : Math.min(ours.low, 0);
  const beyond = fixed<'quantity'>(claimed - most);
  if (beyond === 0 || Math.sign(beyond) !== Math.sign(claimed)) return { kind: 'shrunk' };
  const byOthers = claimed > 0 ? foreign.high : foreign.low;
  return { kind: Math.abs(beyond) <= Math.abs(byOthers) ? 'foreign' : 'grown', beyond };
}

/**
 * Where these orders can have brought a position that may have been any of these, the first of them now.
 * A reduction may have filled before what has moved it since, and then goes further than from here.
 */
export function furthestOf(positions: readonly Quantity[], orders: readonly OwnOrder[]): Reach {
  const [now = ZERO] = positions;
  const reaches = positions.flatMap((position) => {
    const { low, high } = reachOf(position, orders);
    const since = now - position;
    return [
      { low, high },
      { low: low + since, high: high + since },
    ];
  });
  return {
    low: fixed(Math.min(...reaches.map(({ low }) => low))),
    high: fixed(Math.max(...reaches.map(({ high }) => high))),
  };
}

/** Where these orders of ours can bring a position; a reduction takes it no further than flat. */
export function reachOf(position: Quantity, orders: Iterable<OwnOrder>): Reach {
  let low = position as number;
  let high = position as number;
  let sells = 0;
  let buys = 0;
  for (const { terms, remaining, fenceReach } of orders) {
    high += Math.max(0, fenceReach);
    low += Math.min(0, fenceReach);
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
