import { assert } from '../../../core/assert.js';
import {
  absolute,
  ceilToStep,
  compareProducts,
  divideUp,
  floorToStep,
  isAtMost,
  isLess,
  larger,
  ONE,
  smaller,
  subtract,
  type Price,
  type Quantity,
} from '../../../core/fixed/fixed.js';
import type { Instrument } from '../../../core/instrument.js';
import { oppositeSide, type Side } from '../../../core/order.js';

export interface TargetFacts {
  /** Signed target. */
  readonly desired: Quantity;
  /** Signed believed position. */
  readonly position: Quantity;
  /** An order of this target may still trade. */
  readonly hasOrderInFlight: boolean;
  /**
   * An order of this target has an unknown outcome and may still land: nothing is opened until the venue
   * has confirmed its end, but the position can be reduced. Absent: false.
   */
  readonly hasAbandonedOrder?: boolean;
  readonly instrument: Instrument;
  /** For the minimum notional. */
  readonly referencePrice: Price;
  /** Largest quantity of one increase: it differs for market and limit orders. */
  readonly maxOpenQuantity: Quantity;
}

/** The next order on the way to a target. `quantity` is above 0 and a multiple of the step. */
export type Leg =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly reason: 'in-flight' | 'below-minimum' }
  | OrderLeg;

export interface OrderLeg {
  readonly kind: 'reduce' | 'open';
  readonly side: Side;
  readonly quantity: Quantity;
}

const NOTHING: Leg = { kind: 'nothing' };
const IN_FLIGHT: Leg = { kind: 'wait', reason: 'in-flight' };
const BELOW_MINIMUM: Leg = { kind: 'wait', reason: 'below-minimum' };

/**
 * Nets a target against the believed position: one order at a time, called again when it has ended.
 *
 * - A reversal is two orders: close the whole position, then open the other side.
 * - An increase below the venue's minimum waits. A decrease that would leave less than the minimum
 *   closes the position; one that is itself below the minimum, with enough left, waits.
 * - An order above the venue's maximum is cut so that the rest can still be ordered.
 */
export function nextLeg(facts: TargetFacts): Leg {
  const { desired, position, hasOrderInFlight } = facts;
  if (hasOrderInFlight) return IN_FLIGHT;
  if (desired === position) return NOTHING;
  if (position === 0) return open(facts, absolute(desired));
  if (isOpposite(desired, position) || desired === 0) return reduce(facts, absolute(position));
  const more = subtract(absolute(desired), absolute(position));
  return more > 0 ? open(facts, more) : decrease(facts, absolute(more));
}

function open(facts: TargetFacts, requested: Quantity): Leg {
  if (facts.hasAbandonedOrder === true) return IN_FLIGHT;
  const quantity = boundedQuantity(facts, requested, facts.maxOpenQuantity);
  if (isBelowMinimum(facts, quantity)) return BELOW_MINIMUM;
  return { kind: 'open', side: facts.desired > 0 ? 'buy' : 'sell', quantity };
}

function decrease(facts: TargetFacts, requested: Quantity): Leg {
  if (isBelowMinimum(facts, absolute(facts.desired)))
    return reduce(facts, absolute(facts.position));
  if (isBelowMinimum(facts, floorToStep(requested, facts.instrument.quantityStep)))
    return BELOW_MINIMUM;
  return reduce(facts, requested);
}

function reduce(facts: TargetFacts, requested: Quantity): Leg {
  const { position, instrument } = facts;
  const quantity = boundedQuantity(facts, requested, instrument.maxMarketQuantity);
  if (quantity === 0) return BELOW_MINIMUM;
  assert(isAtMost(quantity, absolute(position)), 'A reduction never flips a position');
  return { kind: 'reduce', side: oppositeSide(position > 0 ? 'buy' : 'sell'), quantity };
}

/** Largest part of `requested` for one order that leaves either nothing or another valid order. */
function boundedQuantity(facts: TargetFacts, requested: Quantity, most: Quantity): Quantity {
  const step = facts.instrument.quantityStep;
  const whole = floorToStep(requested, step);
  if (isAtMost(whole, most)) return whole;
  const bound = floorToStep(most, step);
  const rest = subtract(whole, bound);
  if (!isBelowMinimum(facts, rest)) return bound;
  const shorter = subtract(whole, smallestOrder(facts));
  return isBelowMinimum(facts, shorter) ? bound : smaller(shorter, bound);
}

/** Whether the venue would refuse an order of this quantity as too small. */
export function isBelowMinimum(
  { instrument, referencePrice }: Pick<TargetFacts, 'instrument' | 'referencePrice'>,
  quantity: Quantity,
): boolean {
  if (quantity <= 0 || isLess(quantity, instrument.minQuantity)) return true;
  return compareProducts(quantity, referencePrice, instrument.minNotional, ONE) < 0;
}

/** The least quantity on the step that is not below the minimum. */
function smallestOrder({ instrument, referencePrice }: TargetFacts): Quantity {
  const { minNotional, minQuantity, quantityStep } = instrument;
  const least = larger(minQuantity, quantityStep);
  if (referencePrice <= 0) return ceilToStep(least, quantityStep);
  return ceilToStep(larger(divideUp(minNotional, referencePrice), least), quantityStep);
}

/** Whether the first step from the position to the desired quantity is a reduction. */
export const isReduction = (desired: Quantity, position: Quantity): boolean =>
  position !== 0 &&
  (desired === 0 || isOpposite(desired, position) || isLess(absolute(desired), absolute(position)));

const isOpposite = (a: Quantity, b: Quantity): boolean => (a > 0 && b < 0) || (a < 0 && b > 0);
