import { assert } from '../../core/assert.js';
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
} from '../../core/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import { opposite, type Side } from '../../core/order.js';

export interface TargetFacts {
  /** Signed; what the strategy wants. */
  readonly desired: Quantity;
  /** Signed; what is believed. */
  readonly position: Quantity;
  /** An order of this lane may still trade. */
  readonly busy: boolean;
  /**
   * An order of this lane was given up on and may still land: nothing more is opened until the venue
   * has proved it, but a position can be left. Absent: false.
   */
  readonly mayLand?: boolean;
  readonly instrument: Instrument;
  /** For the minimum notional. */
  readonly referencePrice: Price;
  /** Most that one order that increases may be: it differs for market and limit orders. */
  readonly maxOpenQuantity: Quantity;
}

/** The next order on the way to a target. `quantity` is above 0 and a multiple of the step. */
export type Leg =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly reason: 'in-flight' | 'below-minimum' }
  | { readonly kind: 'reduce'; readonly side: Side; readonly quantity: Quantity }
  | { readonly kind: 'open'; readonly side: Side; readonly quantity: Quantity };

const NOTHING: Leg = { kind: 'nothing' };
const IN_FLIGHT: Leg = { kind: 'wait', reason: 'in-flight' };
const BELOW_MINIMUM: Leg = { kind: 'wait', reason: 'below-minimum' };

/**
 * Nets a target against what is believed: one order at a time, asked again when it has ended.
 *
 * - A reversal is two orders: the whole position off, then the open (design part 5).
 * - An increase below the venue's minimum waits. A decrease that would leave less than the minimum
 *   takes all off; one that is itself below the minimum, with enough left, waits.
 * - An order above the venue's bound is cut so that what is left can still be ordered.
 */
export function nextLeg(facts: TargetFacts): Leg {
  const { desired, position, busy } = facts;
  if (busy) return IN_FLIGHT;
  if (desired === position) return NOTHING;
  if (position === 0) return open(facts, absolute(desired));
  if (isOpposite(desired, position) || desired === 0) return reduce(facts, absolute(position));
  const more = subtract(absolute(desired), absolute(position));
  return more > 0 ? open(facts, more) : decrease(facts, absolute(more));
}

function open(facts: TargetFacts, wanted: Quantity): Leg {
  if (facts.mayLand === true) return IN_FLIGHT;
  const quantity = cut(facts, wanted, facts.maxOpenQuantity);
  if (isBelowMinimum(facts, quantity)) return BELOW_MINIMUM;
  return { kind: 'open', side: facts.desired > 0 ? 'buy' : 'sell', quantity };
}

function decrease(facts: TargetFacts, wanted: Quantity): Leg {
  if (isBelowMinimum(facts, absolute(facts.desired)))
    return reduce(facts, absolute(facts.position));
  if (isBelowMinimum(facts, floorToStep(wanted, facts.instrument.quantityStep)))
    return BELOW_MINIMUM;
  return reduce(facts, wanted);
}

function reduce(facts: TargetFacts, wanted: Quantity): Leg {
  const { position, instrument } = facts;
  const quantity = cut(facts, wanted, instrument.maxMarketQuantity);
  if (quantity === 0) return BELOW_MINIMUM;
  assert(isAtMost(quantity, absolute(position)), 'A reduction never flips a position');
  return { kind: 'reduce', side: opposite(position > 0 ? 'buy' : 'sell'), quantity };
}

/** What one order may take of `wanted`, so that the rest is either nothing or an order too. */
function cut(facts: TargetFacts, wanted: Quantity, most: Quantity): Quantity {
  const step = facts.instrument.quantityStep;
  const whole = floorToStep(wanted, step);
  const bound = floorToStep(most, step);
  if (isAtMost(whole, bound)) return whole;
  const rest = subtract(whole, bound);
  if (!isBelowMinimum(facts, rest)) return bound;
  const shorter = subtract(whole, smallestOrder(facts));
  return isBelowMinimum(facts, shorter) ? bound : smaller(shorter, bound);
}

/** Whether the venue would refuse an order of this quantity for its smallness. */
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

/** Whether the way from a position to what is wanted begins with taking something off. */
export const isReduction = (desired: Quantity, position: Quantity): boolean =>
  position !== 0 &&
  (desired === 0 || isOpposite(desired, position) || isLess(absolute(desired), absolute(position)));

const isOpposite = (a: Quantity, b: Quantity): boolean => (a > 0 && b < 0) || (a < 0 && b > 0);
