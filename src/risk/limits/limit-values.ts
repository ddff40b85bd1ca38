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
  .union([z.string(), z.number()], {
    error: ({ input }) =>
      input === null
        ? 'has no value: give one, or leave the key out'
        : 'expected a plain decimal such as 12.5',
  })
  .transform((value) => (typeof value === 'number' ? value.toString() : value))
  .refine(isPlainDecimal, { error: 'expected a plain decimal such as 12.5', abort: true });

const amount = <Unit extends string>() =>
  decimalText.transform((text, context) => fixedOr<Unit>(text, context));

/**
 * A percentage from `least` to `most`; parsed to a fraction. A value below `least` is refused, because it is
 * more often a fraction (0.03 for 3 %) than a limit.
 */
export const percent = (least: string, most: string = MOST_PERCENT) =>
  decimalText
    .refine((text) => isWithin(text, most), {
      error: `expected a percentage above 0, at most ${most}`,
      abort: true,
    })
    .refine((text) => new Decimal(text).gte(least), {
      error: ({ input }) =>
        `is ${String(input)} %; a percentage is written as 3 for 3 %, and the least here is ${least}${hundredfold(input, least)}`,
      abort: true,
    })
    .transform((text, context) => fixedOr<'ratio'>(new Decimal(text).div(100).toFixed(), context));

/** Suggests the hundredfold where that is plausible. */
function hundredfold(input: unknown, least: string): string {
  const value = new Decimal(String(input)).times(100);
  return value.gte(least) ? `; did you mean ${value.toFixed()}?` : '';
}

/** Basis points, at least 1: a smaller value is more often a percentage (0.5 for 0.5 %). */
export const bps = decimalText
  .refine((text) => isWithin(text, MOST_BPS), {
    error: `expected basis points above 0, at most ${MOST_BPS}`,
    abort: true,
  })
  .refine((text) => new Decimal(text).gte(1), {
    error: ({ input }) =>
      `is ${String(input)} basis points; 100 are written for 1 %, and the least here is 1${hundredfold(input, '1')}`,
    abort: true,
  })
  .transform((text, context) => fixedOr<'ratio'>(text, context));

export const positive = <Unit extends string>() =>
  amount<Unit>().refine((value) => value > 0, { error: 'expected a number above 0' });

const wholeNumber = (least: number, most: number, unit: string) => {
  const error = `expected a whole number${unit} from ${least} to ${most}`;
  return z.number({ error }).int({ error, abort: true }).min(least, { error }).max(most, { error });
};

export const positiveMs = wholeNumber(1, MOST_MS, ' of milliseconds');
/** 0 disables the window. */
export const windowMs = wholeNumber(0, MOST_MS, ' of milliseconds');
export const positiveCount = wholeNumber(1, MOST_COUNT, '');

/** A map of limits. @param example of its form, for the error of another value */
export const group = <Shape extends z.ZodRawShape>(example: string, shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'invalid_type' ? `expected a map such as ${example}` : undefined,
  });

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
