import { z } from 'zod';
import { isFixed, textFromFixed } from '../../core/fixed.js';
import { decimalOf, isDecimal } from './journal-values.js';

/** This way is not sure: the schema itself has the word. */
export const UNSURE = Symbol('unsure');

type Read = (raw: unknown) => unknown;

/** From text to values, or back: they differ in the decimals alone. */
interface Way {
  readonly decimal: Read;
  readonly slowly: (schema: z.ZodType) => Read;
}

const DECODING: Way = {
  decimal: (raw) => (typeof raw === 'string' ? (decimalOf(raw) ?? UNSURE) : UNSURE),
  slowly: (schema) => (raw) => {
    const result = z.safeDecode(schema, raw);
    return result.success ? result.data : UNSURE;
  },
};

const ENCODING: Way = {
  decimal: (raw) => (isFixed(raw) ? textFromFixed(raw) : UNSURE),
  slowly: (schema) => (raw) => {
    const result = z.safeEncode(schema, raw);
    return result.success ? result.data : UNSURE;
  },
};

/**
 * Reads what a schema reads, several times faster: a start reads a hundred thousand records that a
 * Sluice wrote. It takes nothing that the schema refuses; what it does not know it leaves to the schema.
 * @param omit a field that is checked, and not given on
 */
export const quickDecoder = (schema: z.ZodType, omit?: string): Read =>
  quick(schema, DECODING, omit);

/**
 * Writes what a schema writes, keys in its order. The first records of a run are written on the way to
 * an order, and the schema takes a millisecond for each kind of record that it meets for the first time.
 */
export const quickEncoder = (schema: z.ZodType): Read => quick(schema, ENCODING);

function quick(schema: z.ZodType, way: Way, omit?: string): Read {
  if (isDecimal(schema)) return way.decimal;
  if (schema instanceof z.ZodDiscriminatedUnion) return unionReader(schema, way, omit);
  if (schema instanceof z.ZodObject) return objectReader(schema, way, omit);
  if (schema instanceof z.ZodRecord && isPlain(schema.keyType) && isPlain(schema.valueType)) {
    return readTexts;
  }
  if (schema instanceof z.ZodNumber) return numberReader(schema);
  if (schema instanceof z.ZodBoolean) return sure((raw) => typeof raw === 'boolean');
  if (isPlain(schema)) return readText;
  if (schema instanceof z.ZodLiteral) return oneOf([...schema.values]);
  if (schema instanceof z.ZodEnum) return oneOf(schema.options);
  return way.slowly(schema);
}

const sure =
  (holds: (raw: unknown) => boolean): Read =>
  (raw) =>
    holds(raw) ? raw : UNSURE;

const readText = sure((raw) => typeof raw === 'string');

/** Any text. */
const isPlain = (schema: unknown): boolean =>
  schema instanceof z.ZodString && schema.def.checks === undefined;

const readTexts = sure(
  (raw) =>
    isObject(raw) &&
    !Object.hasOwn(raw, '__proto__') &&
    Object.values(raw).every((value) => typeof value === 'string'),
);

function oneOf(values: readonly unknown[]): Read {
  const known = new Set(values);
  return sure((raw) => known.has(raw));
}

/** Whole numbers: the journal has no others. */
function numberReader({ minValue, maxValue }: z.ZodNumber): Read {
  const least = minValue ?? Number.MIN_SAFE_INTEGER;
  const most = maxValue ?? Number.MAX_SAFE_INTEGER;
  return sure(
    (raw) => Number.isSafeInteger(raw) && (raw as number) >= least && (raw as number) <= most,
  );
}

interface Field {
  readonly key: string;
  readonly read: Read;
  readonly optional: boolean;
}

function objectReader(schema: z.ZodObject, way: Way, omit?: string): Read {
  const fields = Object.entries(schema.shape).map(([key, field]) =>
    fieldOf(key, field as z.ZodType, way),
  );
  return (raw) => {
    if (!isObject(raw)) return UNSURE;
    const value: Record<string, unknown> = {};
    let known = 0;
    for (const { key, read, optional } of fields) {
      if (!Object.hasOwn(raw, key)) {
        if (optional) continue;
        return UNSURE;
      }
      const member = read(raw[key]);
      if (member === UNSURE) return UNSURE;
      if (key !== omit) value[key] = member;
      known += 1;
    }
    // A field that the schema does not name.
    return Object.keys(raw).length === known ? value : UNSURE;
  };
}

function fieldOf(key: string, schema: z.ZodType, way: Way): Field {
  const optional = schema instanceof z.ZodExactOptional;
  const inner = optional ? (schema.unwrap() as z.ZodType) : schema;
  return { key, read: quick(inner, way), optional };
}

function unionReader(schema: z.ZodDiscriminatedUnion, way: Way, omit?: string): Read {
  const key = schema.def.discriminator;
  const readers = new Map<unknown, Read>();
  for (const option of schema.options) {
    const tag = option instanceof z.ZodObject ? (option.shape[key] as z.ZodType) : undefined;
    if (!(tag instanceof z.ZodLiteral)) continue;
    const read = quick(option as z.ZodType, way, omit);
    for (const value of tag.values) readers.set(value, read);
  }
  return (raw) => (isObject(raw) ? (readers.get(raw[key])?.(raw) ?? UNSURE) : UNSURE);
}

const isObject = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw);
