import { z } from 'zod';
import { isPlainDecimal } from '../../core/fixed/decimal.js';
import type { StrategyDefinition } from './definition.js';
import { nearest } from '../../core/suggestion.js';
import { StrategyParamsError, type ParamsIssue } from './params-error.js';

type Given = Record<string, unknown>;

/**
 * Checks parameters and fills in defaults. A plain decimal text becomes a number, and `true` or
 * `false` a boolean, where the schema requires one: YAML and command lines may quote any value.
 *
 * @throws StrategyParamsError naming each field that is wrong or unknown
 */
export function parseParams(definition: StrategyDefinition, given: unknown = {}): unknown {
  const { name, params: schema } = definition;
  const values: unknown = given ?? {};
  const unknown = unknownFields(schema, values);
  const first = schema.safeParse(values);
  if (first.success && unknown.length === 0) return first.data;
  const second = first.success ? first : schema.safeParse(converted(values, first.error.issues));
  const issues = second.success ? [] : second.error.issues;
  const wrong = issues
    .filter((issue) => unknown.length === 0 || isCertain(issue))
    .map((issue) => issueOf(issue, values));
  if (second.success && unknown.length === 0) return second.data;
  throw new StrategyParamsError(name, [...unknown, ...wrong]);
}

/** The schema would drop an unknown field silently, but it is a typing error (hazard M8). */
function unknownFields(schema: z.ZodType, given: unknown): readonly ParamsIssue[] {
  const shape: unknown = 'shape' in schema ? schema.shape : undefined;
  if (!isRecord(shape) || !isRecord(given) || allowsUnknownFields(schema)) return [];
  const known = Object.keys(shape);
  return Object.keys(given)
    .filter((field) => !Object.hasOwn(shape, field))
    .map((field) => ({ path: [field], message: unknownMessage(field, known) }));
}

const allowsUnknownFields = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodObject &&
  schema.def.catchall !== undefined &&
  schema.def.catchall._zod.def.type !== 'never';

function unknownMessage(field: string, known: readonly string[]): string {
  const suggestion = nearest(field, known);
  const hint =
    suggestion === undefined
      ? `there is ${known.join(', ') || 'none'}`
      : `do you mean ${suggestion}?`;
  return `no such parameter; ${hint}`;
}

/** A copy in which each text with an issue has the type that the schema requires. */
function converted(given: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy: unknown = structuredClone(given);
  for (const issue of issues) {
    if (issue.code !== 'invalid_type') continue;
    const field = issue.path.at(-1);
    const holder = issue.path.slice(0, -1).reduce<unknown>(memberOf, copy);
    if (field === undefined || typeof holder !== 'object' || holder === null) continue;
    const value = memberOf(holder, field);
    const convertedValue = typeof value === 'string' ? valueOf(value, issue.expected) : undefined;
    if (convertedValue !== undefined) Reflect.set(holder, field, convertedValue);
  }
  return copy;
}

function valueOf(text: string, expected: string): number | boolean | undefined {
  if (expected === 'number' || expected === 'int')
    return isPlainDecimal(text) ? Number(text) : undefined;
  if (expected !== 'boolean') return undefined;
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

const memberOf = (holder: unknown, field: PropertyKey): unknown =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, field)
    ? (Reflect.get(holder, field) as unknown)
    : undefined;

/**
 * An issue that an unknown field causes: `unknownFields` reports that field with a suggestion, and a
 * rule between fields has checked defaults in its place.
 */
const isCertain = ({ code, path }: z.core.$ZodIssue): boolean =>
  code !== 'custom' && (code !== 'unrecognized_keys' || path.length > 0);

const issueOf = (issue: z.core.$ZodIssue, given: unknown): ParamsIssue => ({
  path: issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
  message: messageOf(issue, issue.path.reduce<unknown>(memberOf, given)),
});

/** zod does not name the unexpected value, which a reader needs to find the field. */
function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  const own = !issue.message.startsWith('Invalid input: expected ');
  if (issue.code !== 'invalid_type' || own) return issue.message;
  const expected = EXPECTED[issue.expected] ?? `a ${issue.expected}`;
  return value === undefined
    ? `is missing; expected ${expected}`
    : `expected ${expected}, not ${JSON.stringify(value)}`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
};

const isRecord = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
