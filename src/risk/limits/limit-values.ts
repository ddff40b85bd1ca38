import { z } from 'zod';
import { Decimal, isPlainDecimal } from '../../core/fixed/decimal.js';
import { FIXED_PLACES, fixedFromText, type Fixed } from '../../core/fixed/fixed.js';
import { symbolFromText } from '../../core/symbol.js';

/** Plausible maxima: a larger value has the wrong unit (hazard M9). */
const MOST_PERCENT = '10000';
const MOST_BPS = '10000';
const MOST_MS = 24 * 3_600_000;
const MOST_COUNT = 10_000;

/** Quoted decimals, or YAML numbers by their shortest text. */
const decimalText = z
  .union([z.string(), z.number()])
  .transform((value) => (typeof value === 'number' ? value.toString() : value))
  .refine(isPlainDecimal, { error: 'expected a plain decimal such as 12.5', abort: true });

const amount = <Unit extends string>() =>
  decimalText.transform((text, context) => fixedOr<Unit>(text, context));

/** A percentage above 0; parsed to a fraction. */
export const percent = decimalText
  .refine((text) => isWithin(text, MOST_PERCENT), {
    error: `expected a percentage above 0, at most ${MOST_PERCENT}`,
    abort: true,
  })
  .transform((text, context) => fixedOr<'ratio'>(new Decimal(text).div(100).toFixed(), context));

/** Basis points above 0. */
export const bps = decimalText
  .refine((text) => isWithin(text, MOST_BPS), {
    error: `expected basis points above 0, at most ${MOST_BPS}`,
    abort: true,
  })
  .transform((text, context) => fixedOr<'ratio'>(text, context));

export const positive = <Unit extends string>() =>
  amount<Unit>().refine((value) => value > 0, { error: 'expected a number above 0' });

export const positiveMs = z.number().int().min(1).max(MOST_MS);
/** 0 disables the window. */
export const windowMs = z.number().int().min(0).max(MOST_MS);
export const positiveCount = z.number().int().min(1).max(MOST_COUNT);

export const symbol = z
  .string()
  .refine((text) => symbolFromText(text) !== undefined, 'expected a trading symbol such as BTCUSDT')
  .transform((text) => symbolFromText(text) ?? text);

/** A control that has no switch: only `true` is accepted. */
export const alwaysOn = (key: string) => z.literal(true, { error: `${key} cannot be disabled` });

const isWithin = (text: string, most: string): boolean => {
  const value = new Decimal(text);
  return value.gt(0) && value.lte(most);
};

function fixedOr<Unit extends string>(text: string, context: z.RefinementCtx): Fixed<Unit> {
  try {
    return fixedFromText<Unit>(text, FIXED_PLACES);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
}
