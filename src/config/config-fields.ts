import { z } from 'zod';
import { FIXED_PLACES } from '../core/fixed/fixed.js';
import { readFixed } from '../core/fixed/read-fixed.js';
import { isPlainDecimal } from '../core/fixed/decimal.js';
import { didYouMean } from '../core/suggestion.js';

/** A scalar of the file; numbers arrive as text. @param read returns undefined for another form */
export const scalar = <T>(expected: string, read: (text: string) => T | undefined) =>
  z
    .string({
      error: ({ input }) => missingOr(input, `expected ${expected}, not ${kindOf(input)}`),
    })
    .transform((text, context): T => {
      const value = read(text);
      if (value !== undefined) return value;
      return reject(context, text, `expected ${expected}, not "${text}"`);
    });

export const choice = <const T extends string>(choices: readonly T[]) =>
  z
    .string({
      error: ({ input }) => missingOr(input, `expected ${oneOf(choices)}, not ${kindOf(input)}`),
    })
    .transform((text, context): T => {
      const match = choices.find((candidate) => candidate === text);
      if (match !== undefined) return match;
      const what = `expected ${oneOf(choices)}, not "${text}"${didYouMean(text, choices)}`;
      return reject(context, text, what);
    });

export const matchingText = (expected: string, pattern: RegExp) =>
  scalar(expected, (text) => (pattern.test(text) ? text : undefined));

/** A decimal above 0, without rounding. */
export const positiveFixed = <Unit extends string>(places = FIXED_PLACES) =>
  scalar(`a decimal above 0 with at most ${places} places, such as "0.01"`, (text) => {
    const value = readFixed<Unit>(text, places);
    return value !== undefined && value > 0 ? value : undefined;
  });

/** A decimal of at least 0, without rounding. */
export const unsignedFixed = <Unit extends string>(places = FIXED_PLACES) =>
  scalar(`a decimal of at least 0 with at most ${places} places, such as "0.01"`, (text) => {
    const value = readFixed<Unit>(text, places);
    return value !== undefined && value >= 0 ? value : undefined;
  });

/** A number above 0 and at most `most`, for percentages and basis points. */
export const positiveNumberUpTo = (unit: string, most: number) =>
  scalar(`${unit} above 0 and at most ${most}`, (text) => {
    const value = isPlainDecimal(text) ? Number(text) : NaN;
    return value > 0 && value <= most ? value : undefined;
  });

export const integer = (least: number, most: number) =>
  scalar(`a whole number from ${least} to ${most}`, (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : NaN;
    return value >= least && value <= most ? value : undefined;
  });

/** A map with these keys and no others. */
export const block = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ input }) => missingOr(input, `expected a map, not ${kindOf(input)}`),
  });

export const list = <Item extends z.ZodType>(item: Item, of: string) =>
  z
    .array(item, {
      error: ({ input }) => missingOr(input, `expected a list of ${of}, not ${kindOf(input)}`),
    })
    .min(1, { error: `expected at least one of ${of}` });

function reject(
  context: { readonly issues: z.core.$ZodRawIssue[] },
  input: unknown,
  message: string,
): never {
  context.issues.push({ code: 'custom', input, message });
  return z.NEVER;
}

const missingOr = (input: unknown, otherwise: string): string =>
  input === undefined ? 'is missing' : otherwise;

/** The name of a value in a message. */
export function kindOf(input: unknown): string {
  if (input === null || input === undefined) return 'nothing';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'object') return 'a map';
  return `"${String(input)}"`;
}

const oneOf = (options: readonly string[]): string =>
  options.length === 1 ? String(options[0]) : `one of ${options.join(', ')}`;
