import { z } from 'zod';
import {
  absolute,
  add,
  fixedFromNumber,
  fixedFromUnits,
  floorToStep,
  isLess,
  larger,
  numberFromFixed,
  ONE_IN_UNITS,
  smaller,
  subtract,
  unitsOf,
  type Price,
} from '../../core/fixed/fixed.js';
import { quantizePrice, type Instrument } from '../../core/instrument.js';
import { sideSign, type Side } from '../../core/order.js';
import { positiveNumber } from './positive-number.js';

/** Protection attached to an entry; percentages of its price. */
export interface Protection {
  readonly stopLossPct?: number;
  readonly takeProfitPct?: number;
  /** Below the best price since the entry (above it for a short): the stop follows it (`ExitManager`). */
  readonly trailingPct?: number;
  /** Once the price has moved this far in favour, the stop moves to the entry. */
  readonly breakEvenPct?: number;
  /** Venue ms after which the position is closed. */
  readonly maxHoldMs?: number;
}

/** Prices from the strategy instead of the configured percentages. */
export interface ProtectionPrices {
  readonly stopLoss?: number;
  readonly takeProfit?: number;
}

export interface AttachedPrices {
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
}

export interface ProtectionFacts {
  /** Of the entry. */
  readonly side: Side;
  /** The order's price: its limit, or the reference price of a market order. */
  readonly price: Price;
  readonly instrument: Instrument;
}

/**
 * Trigger prices on the price step. Both are rounded toward the entry: the stop never risks more
 * than configured, and the target never waits for more. A price that would round onto the entry
 * is one step away from it, because the venue refuses it there (interface: place order v2).
 */
export function protectionFor(
  facts: ProtectionFacts,
  protection: Protection,
  given: ProtectionPrices = {},
): AttachedPrices {
  const { stopLossPct = protection.trailingPct } = protection;
  const stopLoss = attached(facts, stopLossPct, given.stopLoss, -1);
  const takeProfit = attached(facts, protection.takeProfitPct, given.takeProfit, 1);
  if (stopLoss === undefined) return takeProfit === undefined ? UNPROTECTED : { takeProfit };
  return takeProfit === undefined ? { stopLoss } : { stopLoss, takeProfit };
}

/** Neither a stop nor a target. */
export const UNPROTECTED: AttachedPrices = {};

/** Reason why the given prices cannot protect that entry, or undefined. */
export function protectionFault(
  { side, price }: ProtectionFacts,
  { stopLoss, takeProfit }: ProtectionPrices,
): string | undefined {
  const entry = numberFromFixed(price);
  const sign = sideSign(side);
  if (stopLoss !== undefined && (entry - stopLoss) * sign <= 0)
    return `stopLoss ${stopLoss} is not ${sign > 0 ? 'below' : 'above'} the entry at ${entry}`;
  if (takeProfit !== undefined && (takeProfit - entry) * sign <= 0)
    return `takeProfit ${takeProfit} is not ${sign > 0 ? 'above' : 'below'} the entry at ${entry}`;
  return undefined;
}

/** USDT between entry and stop, for sizing. */
export const stopDistanceOf = (price: Price, { stopLoss }: AttachedPrices): number | undefined =>
  stopLoss === undefined ? undefined : numberFromFixed(absolute(subtract(price, stopLoss)));

/** `direction`: 1 is the winning side of the entry, −1 the losing one. */
function attached(
  { side, price, instrument }: ProtectionFacts,
  percent: number | undefined,
  given: number | undefined,
  direction: 1 | -1,
): Price | undefined {
  if (percent === undefined && given === undefined) return undefined;
  const sign = direction * sideSign(side);
  const rounded =
    given === undefined
      ? atPercent(price, (percent ?? 0) * sign, instrument)
      : quantizePrice(given, instrument, sign > 0 ? 'down' : 'up');
  const { priceStep, minPrice, maxPrice } = instrument;
  const floor = floorToStep(price, priceStep);
  const next = sign > 0 || isLess(floor, price) ? floor : subtract(floor, priceStep);
  const apart = sign > 0 ? larger(rounded, add(next, priceStep)) : smaller(rounded, next);
  return smaller(larger(apart, minPrice), maxPrice);
}

const HUNDRED = 100n * ONE_IN_UNITS;

/** Exact: price × (100 + percent) ÷ 100, onto the step that is nearer to the price. */
function atPercent(price: Price, percent: number, { priceStep }: Instrument): Price {
  const scaled = unitsOf(price) * (HUNDRED + unitsOf(fixedFromNumber(percent)));
  const divisor = HUNDRED * unitsOf(priceStep);
  const steps = scaled / divisor;
  const up = percent < 0 && scaled > 0n && scaled % divisor !== 0n;
  return fixedFromUnits((up ? steps + 1n : steps) * unitsOf(priceStep));
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `90m`, `4h`, `2d`. */
const durationMs = z
  .string({ error: 'expected a time such as 90m, 4h or 2d' })
  .transform((text, context): number => {
    const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
    const ms = Number(count) * (UNITS_MS[unit ?? ''] ?? Number.NaN);
    if (ms > 0) return ms;
    context.addIssue({
      code: 'custom',
      message: `expected a time such as 90m, 4h or 2d, not "${text}"`,
    });
    return z.NEVER;
  });

/**
 * `{ stop_loss_pct: 2, take_profit_pct: 4 }` go out with the entry; `{ trailing_pct: 1.5, break_even_pct: 1,
 * max_hold: 4h }` are applied while the position is open. All optional.
 */
export const protectionSchema = z
  .strictObject({
    stop_loss_pct: positiveNumber.refine((percent) => percent < 100, 'below 100').optional(),
    take_profit_pct: positiveNumber.optional(),
    trailing_pct: positiveNumber.refine((percent) => percent < 100, 'below 100').optional(),
    break_even_pct: positiveNumber.optional(),
    max_hold: durationMs.optional(),
  })
  .transform((given): Protection => ({
    ...(given.stop_loss_pct !== undefined && { stopLossPct: given.stop_loss_pct }),
    ...(given.take_profit_pct !== undefined && { takeProfitPct: given.take_profit_pct }),
    ...(given.trailing_pct !== undefined && { trailingPct: given.trailing_pct }),
    ...(given.break_even_pct !== undefined && { breakEvenPct: given.break_even_pct }),
    ...(given.max_hold !== undefined && { maxHoldMs: given.max_hold }),
  }));
