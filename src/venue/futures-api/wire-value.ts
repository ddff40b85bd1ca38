import { z } from 'zod';
import type { Currency } from '../../core/currency.js';
import { Decimal } from '../../core/decimal.js';
import {
  FINEST_PLACES,
  FIXED_PLACES,
  fixedFromDecimal,
  fixedFromShortText,
  fixedFromText,
  type Amount,
  type Fixed,
} from '../../core/fixed.js';

/** Numbers arrive as texts from `readJson`, whether the wire had a number or a string. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
/** The same, of any size: it is judged by its value. */
const ANY_NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const MAX_LENGTH = 64;
/** The range of what the interface can print. */
const LARGEST = new Decimal('1e15');
const SMALLEST = new Decimal('1e-18');

const OUT_OF_RANGE = 'is out of range';
const TOO_LONG = `has more than ${MAX_LENGTH} characters`;
/** Faults that make one row of a list unreadable, and not the list. */
export const ROW_FAULTS: ReadonlySet<string> = new Set([OUT_OF_RANGE, TOO_LONG]);
const numberText = z.string().max(MAX_LENGTH, TOO_LONG).regex(NUMBER, 'is not a number');
const anyNumberText = z.string().max(MAX_LENGTH, TOO_LONG).regex(ANY_NUMBER, 'is not a number');

export const decimal = numberText.transform((text) => new Decimal(text));

/** Rounded half-even to `places` where there are more: a sum made with floats may carry some. */
const within = <Unit extends string>(places: number) =>
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

/** Price, quantity or rate: every digit that the interface can print. */
const exact = <Unit extends string>() => within<Unit>(FINEST_PLACES);

/** Money is booked at 1e-8 of its currency. */
const booked = <Unit extends string>() => within<Unit>(FIXED_PLACES);

/** Money of the record's own currency; a PnL may be below 0. */
export const money = booked().transform((value) => value as Fixed as Amount);

/** 0 or more. */
export const amountOf = <Unit extends string>() =>
  exact<Unit>().refine((value) => value >= 0, 'is below 0');

/** Above 0. */
export const positive = <Unit extends string>() =>
  exact<Unit>().refine((value) => value > 0, 'is not above 0');

/** Absent, null, "" and 0 all mean that there is none. */
export const positiveOrNone = <Unit extends string>() =>
  z
    .union([z.literal(''), amountOf<Unit>()])
    .nullish()
    .transform(none);

/** Nothing is read: some requests that succeed answer with empty strings (hazard B2). */
export const nothingRead = z.unknown().transform(() => null);

/**
 * One schema for each argument, and that one compiled: to make one costs more than to read many
 * answers by it.
 */
export function madeOnce<Key, Schema extends z.ZodType>(
  make: (key: Key) => Schema,
): (key: Key) => Schema {
  const made = new Map<Key, Schema>();
  return (key) => {
    const known = made.get(key) ?? z.compile(make(key));
    made.set(key, known);
    return known;
  };
}

/** A field that we can do without: whatever is wrong with it, it is not there. */
export const lenient = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .catch(undefined)
    .transform((value): z.output<Schema> | undefined => value ?? undefined);

/** A step: above 0 and exact, because a rounded one would be another step. */
export const step = <Unit extends string>() =>
  decimal.transform((value, context): Fixed<Unit> => {
    const isExact = value.decimalPlaces() <= FINEST_PLACES;
    if (value.gt(0) && isExact && value.lte(LARGEST)) return fixedFromText(value.toFixed());
    context.addIssue({ code: 'custom', message: 'is not a step of up to 18 places' });
    return z.NEVER;
  });

/** An upper bound, from 0; one beyond the range is met by the largest that is in it. */
export const upperBound = <Unit extends string>() =>
  decimal.transform((value, context): Fixed<Unit> => {
    if (value.gte(0)) return fixedFromDecimal<Unit>(Decimal.min(value, LARGEST), FINEST_PLACES);
    context.addIssue({ code: 'custom', message: 'is below 0' });
    return z.NEVER;
  });

/** Absent, null and "" are the same to us. */
export const optionalText = z
  .string()
  .max(1_024)
  .nullish()
  .transform((text) => (text === null || text === '' ? undefined : text));

/** Two names of one thing (interface): where both are told, they are equal. */
export const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other;

export const id = z.string().min(1).max(128);
export const symbol = z
  .string()
  .min(1)
  .max(32)
  .transform((text) => text.toUpperCase());

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** ISO 8601, UTC → ms. */
export const timestamp = z
  .string()
  .regex(TIMESTAMP, 'is not an ISO 8601 time')
  .transform((text) => Date.parse(text))
  .refine(Number.isFinite, 'is not a time');

/**
 * The tag of a record. Lists name their currency and must not mix (interface, Margin currency
 * model 7): a tag that differs from what was asked makes the answer unreadable.
 */
export const currencyTag = (asked?: Currency) =>
  z
    .enum(['USDT', 'INR'])
    .optional()
    .transform((tag, context): Currency => {
      const currency = tag ?? asked;
      if (currency !== undefined && (asked === undefined || currency === asked)) return currency;
      context.addIssue({ code: 'custom', message: `is not ${asked ?? 'there'}` });
      return z.NEVER;
    });

/** `null` is an empty list, as far as the syntax goes (hazard G1). */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullable()
    .transform((items): z.output<Item>[] => items ?? []);

type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** The value without some of its keys; the order of the others stays. */
export function without<T extends object, K extends keyof T>(
  value: T,
  ...keys: readonly K[]
): Omit<T, K> {
  const left: Partial<T> = {};
  for (const key of Object.keys(value) as (keyof T)[]) {
    if (!keys.includes(key as K)) left[key] = value[key];
  }
  return left as Omit<T, K>;
}

/** Leaves out the keys without a value: `exactOptionalPropertyTypes` has no "there but undefined". */
export function present<T extends object>(fields: T): Present<T> {
  const there: Partial<T> = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    if (fields[key] !== undefined) there[key] = fields[key];
  }
  return there as object as Present<T>;
}

function none<Unit extends string>(
  value: '' | Fixed<Unit> | null | undefined,
): Fixed<Unit> | undefined {
  return value === '' || value === null || value === 0 ? undefined : value;
}
