import { z } from 'zod';
import type { Currency } from '../../../core/currency.js';
import { Decimal } from '../../../core/fixed/decimal.js';
import {
  MAX_PLACES,
  FIXED_PLACES,
  fixedFromDecimal,
  fixedFromShortText,
  fixedFromText,
  type Amount,
  type Fixed,
} from '../../../core/fixed/fixed.js';

/** `readJson` returns numbers as text, whether the wire has a number or a string. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
/** The same with any exponent: a value that is too large is out of range, and no syntax error. */
const ANY_NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const MAX_LENGTH = 64;
/** The range of numbers that the interface can print. */
const LARGEST = new Decimal('1e15');
const SMALLEST = new Decimal('1e-18');

const OUT_OF_RANGE = 'is out of range';
const TOO_LONG = `has more than ${MAX_LENGTH} characters`;
/** Faults that make only their row unreadable, not the whole list. */
export const ROW_FAULTS: ReadonlySet<string> = new Set([OUT_OF_RANGE, TOO_LONG]);
const numberText = z.string().max(MAX_LENGTH, TOO_LONG).regex(NUMBER, 'is not a number');
const anyNumberText = z.string().max(MAX_LENGTH, TOO_LONG).regex(ANY_NUMBER, 'is not a number');

export const decimalSchema = numberText.transform((text) => new Decimal(text));

/** Rounds half-even to `places`: a sum of floats may have more digits. */
const fixedSchema = <Unit extends string>(places: number) =>
  anyNumberText.transform((text, context): Fixed<Unit> => {
    const short = fixedFromShortText<Unit>(text);
    if (short !== undefined) return short;
    const value = new Decimal(text);
    const size = value.abs();
    if (size.lte(LARGEST) && (size.gte(SMALLEST) || size.isZero())) {
      return fixedFromDecimal<Unit>(value, places);
    }
    context.addIssue({ code: 'custom', message: OUT_OF_RANGE });
    return z.NEVER;
  });

/** Price, quantity or rate, with every digit that the interface can print. */
const exactSchema = <Unit extends string>() => fixedSchema<Unit>(MAX_PLACES);

/** Money, rounded to 1e-8 of its currency: the ledger books no smaller amount. */
const ledgerSchema = <Unit extends string>() => fixedSchema<Unit>(FIXED_PLACES);

/** Money of the record's own currency; a PnL may be below 0. */
export const moneySchema = ledgerSchema().transform((value) => value as Fixed as Amount);

/** 0 or more. */
export const nonNegativeSchema = <Unit extends string>() =>
  exactSchema<Unit>().refine((value) => value >= 0, 'is below 0');

/** Above 0. */
export const positiveSchema = <Unit extends string>() =>
  exactSchema<Unit>().refine((value) => value > 0, 'is not above 0');

/** Absent, null, "" and 0 all mean: none. */
export const positiveOrAbsentSchema = <Unit extends string>() =>
  z
    .union([z.literal(''), nonNegativeSchema<Unit>()])
    .nullish()
    .transform(undefinedIfZero);

/** Accepts any value and drops it: some successful requests answer with empty strings (hazard B2). */
export const ignoredSchema = z.unknown().transform(() => null);

/**
 * One compiled schema for each argument, because compiling one costs more than parsing many answers with
 * it.
 */
export function memoizeSchema<Key, Schema extends z.ZodType>(
  make: (key: Key) => Schema,
): (key: Key) => Schema {
  const schemas = new Map<Key, Schema>();
  return (key) => {
    const schema = schemas.get(key) ?? z.compile(make(key));
    schemas.set(key, schema);
    return schema;
  };
}

/** An optional field: any fault in it makes it absent. */
export const lenientSchema = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .catch(undefined)
    .transform((value): z.output<Schema> | undefined => value ?? undefined);

/** A tick or lot size: above 0 and exact, because rounding would change it. */
export const stepSchema = <Unit extends string>() =>
  decimalSchema.transform((value, context): Fixed<Unit> => {
    const isExact = value.decimalPlaces() <= MAX_PLACES;
    if (value.gt(0) && isExact && value.lte(LARGEST)) return fixedFromText(value.toFixed());
    context.addIssue({ code: 'custom', message: 'is not a step of up to 18 places' });
    return z.NEVER;
  });

/** An upper bound of 0 or more. One out of range becomes the largest value in range. */
export const upperBoundSchema = <Unit extends string>() =>
  decimalSchema.transform((value, context): Fixed<Unit> => {
    if (value.gte(0)) return fixedFromDecimal<Unit>(Decimal.min(value, LARGEST), MAX_PLACES);
    context.addIssue({ code: 'custom', message: 'is below 0' });
    return z.NEVER;
  });

/** Absent, null and "" all mean: none. */
export const optionalTextSchema = z
  .string()
  .max(1_024)
  .nullish()
  .transform((text) => (text === null || text === '' ? undefined : text));

/** Whether two fields with the same meaning agree: equal, or one of them absent. */
export const areConsistent = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other;

/** An id of the venue or of a client. */
export const idSchema = z.string().min(1).max(128);
/** A symbol in any case → upper case. */
export const symbolSchema = z
  .string()
  .min(1)
  .max(32)
  .transform((text) => text.toUpperCase());

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** ISO 8601, UTC → ms. */
export const timestampSchema = z
  .string()
  .regex(TIMESTAMP, 'is not an ISO 8601 time')
  .transform((text) => Date.parse(text))
  .refine(Number.isFinite, 'is not a time');

/**
 * The currency tag of a record. Lists of both currencies must not mix (interface: margin currency), so a
 * tag other than the requested one makes the answer unreadable.
 */
export const currencySchema = (requested?: Currency) =>
  z
    .enum(['USDT', 'INR'])
    .optional()
    .transform((tag, context): Currency => {
      const currency = tag ?? requested;
      if (currency !== undefined && (requested === undefined || currency === requested))
        return currency;
      context.addIssue({ code: 'custom', message: `is not ${requested ?? 'there'}` });
      return z.NEVER;
    });

/** `null` is an empty list in the syntax of the venue (hazard G1). */
export const listSchema = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullable()
    .transform((items): z.output<Item>[] => items ?? []);

/** The first fault that a schema found: `price is not above 0`. */
export function issueText(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
}

type WithoutUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** The value without some of its keys; the other keys keep their order. */
export function omit<T extends object, K extends keyof T>(
  value: T,
  ...keys: readonly K[]
): Omit<T, K> {
  const left: Partial<T> = {};
  for (const key of Object.keys(value) as (keyof T)[]) {
    if (!keys.includes(key as K)) left[key] = value[key];
  }
  return left as Omit<T, K>;
}

/** Drops undefined fields, because `exactOptionalPropertyTypes` forbids them. */
export function withoutUndefined<T extends object>(fields: T): WithoutUndefined<T> {
  const defined: Partial<T> = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    if (fields[key] !== undefined) defined[key] = fields[key];
  }
  return defined as object as WithoutUndefined<T>;
}

function undefinedIfZero<Unit extends string>(
  value: '' | Fixed<Unit> | null | undefined,
): Fixed<Unit> | undefined {
  return value === '' || value === null || value === 0 ? undefined : value;
}
