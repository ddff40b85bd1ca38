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
} from '../../core/fixed/fixed.js';
import { sideSign } from '../../core/order.js';
import type { OwnOrder } from '../../execution/order/own-order.js';

/** Range to which orders that the venue has, or may have, can move a position. Signed, `low` ≤ `high`. */
export interface ExposureRange {
  readonly low: Quantity;
  readonly high: Quantity;
}

const NONE = ZERO as Quantity;

/** One symbol in one currency. Quantities are signed. */
export interface PositionReconciliationInput {
  readonly believed: Quantity;
  /** As the venue shows it; 0 where it shows none. */
  readonly reported: Quantity;
  /** Range to which our own orders can have moved it. */
  readonly own: ExposureRange;
  /** Range by which listed external orders can move it: `low` ≤ 0 ≤ `high`. */
  readonly external: ExposureRange;
}

/**
 * Compares the venue's report of a position with ours.
 *
 * Invariants, each tested:
 *
 * 1. Equal sides are `equal`, even while orders are open.
 * 2. A position within the range of our own orders is `explained`: their own reports will confirm it.
 * 3. Between flat and that range it is `shrunk`: a stop, a liquidation, a manual trade. It never adds risk,
 *    and is accepted on evidence alone.
 * 4. Beyond it, within the range of listed external orders, it is `foreign`.
 * 5. Beyond both it is `grown`: exposure without an intent (control R22, hazard G16). More orders of ours
 *    never make a claim less explained, and time never turns growth into another verdict.
 * 6. `beyond` is the part that our orders do not explain: it has the claim's sign, and never exceeds it.
 * 7. The verdict depends on the arguments alone.
 */
export type PositionVerdict =
  | { readonly kind: 'equal' | 'explained' | 'shrunk' }
  | { readonly kind: 'foreign' | 'grown'; readonly beyond: Quantity };

export function judgePosition({
  believed,
  reported,
  own,
  external,
}: PositionReconciliationInput): PositionVerdict {
  if (reported === believed) return { kind: 'equal' };
  if (isAtLeast(reported, own.low) && isAtMost(reported, own.high)) return { kind: 'explained' };
  const most = reported > 0 ? larger(own.high, NONE) : smaller(own.low, NONE);
  const beyond = subtract(reported, most);
  if (beyond === 0 || sign(beyond) !== sign(reported)) return { kind: 'shrunk' };
  const byOthers = reported > 0 ? external.high : external.low;
  return { kind: isAtMost(absolute(beyond), absolute(byOthers)) ? 'foreign' : 'grown', beyond };
}

/**
 * Range of a position that may have been any of `positions`, the first of them now. A reduction may have
 * filled before a later change, and then reaches further than from the current position.
 */
export function widestPositionRange(
  positions: readonly Quantity[],
  orders: readonly OwnOrder[],
): ExposureRange {
  const [now = NONE] = positions;
  const ranges = positions.flatMap((position) => {
    const { low, high } = possiblePositionRange(position, orders);
    const since = subtract(now, position);
    return [
      { low, high },
      { low: add(low, since), high: add(high, since) },
    ];
  });
  return {
    low: ranges.map(({ low }) => low).reduce((a, b) => smaller(a, b)),
    high: ranges.map(({ high }) => high).reduce((a, b) => larger(a, b)),
  };
}

/** Range to which these orders can move a position; a reduction moves it no further than flat. */
export function possiblePositionRange(
  position: Quantity,
  orders: Iterable<OwnOrder>,
): ExposureRange {
  let low = position;
  let high = position;
  let sells = NONE;
  let buys = NONE;
  for (const { terms, remaining, fenceExposure } of orders) {
    high = add(high, larger(NONE, fenceExposure));
    low = add(low, smaller(NONE, fenceExposure));
    if (terms.reduceOnly && terms.side === 'sell') sells = add(sells, remaining);
    else if (terms.reduceOnly) buys = add(buys, remaining);
    else if (sideSign(terms.side) > 0) high = add(high, remaining);
    else low = subtract(low, remaining);
  }
  return {
    low: subtract(low, smaller(sells, larger(NONE, high))),
    high: add(high, smaller(buys, larger(NONE, negate(low)))),
  };
}
