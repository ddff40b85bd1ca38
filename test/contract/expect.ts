import { Decimal } from 'decimal.js';
import { JsonNumber, type Json } from './json.js';
import type { RawResponse } from './venue-under-test.js';

/** The venue deviates from the document. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
}

export type Fields = { readonly [field: string]: Json };

export function fail(what: string, got?: unknown): never {
  throw new Mismatch(got === undefined ? what : `${what}; got ${shown(got)}`);
}

export function ensure(holds: boolean, what: string, got?: unknown): asserts holds {
  if (!holds) fail(what, got);
}

export function equal(got: unknown, expected: unknown, what: string): void {
  if (shown(got) !== shown(expected)) fail(`${what}: expected ${shown(expected)}`, got);
}

/** `data` of a success envelope. */
export function success(answer: RawResponse, status = 200): Json {
  const { json } = answer;
  const expected = `expected ${status} with {"success":true,"data":…}`;
  if (answer.status !== status || !isFields(json)) fail(expected, describeAnswer(answer));
  if (json['success'] !== true || !('data' in json)) fail(expected, describeAnswer(answer));
  ensure(isJsonType(answer), 'an answer is JSON', answer.headers['content-type']);
  return json['data'] as Json;
}

export interface Refusal {
  readonly status: number;
  readonly text: string;
  /** Absent if the document names none: then an integer or null. */
  readonly code?: number | null;
}

/** Checks for a failure envelope with this status and this first text. */
export function refused(answer: RawResponse, expected: Refusal): void {
  const { json } = answer;
  const sentence = `expected ${expected.status} ${JSON.stringify(expected.text)}`;
  if (answer.status !== expected.status || !isFields(json)) fail(sentence, describeAnswer(answer));
  const errors = json['errors'];
  if (json['success'] !== false || !Array.isArray(errors)) fail(sentence, describeAnswer(answer));
  const first: unknown = errors[0];
  if (!isFields(first) || first['text'] !== expected.text) fail(sentence, describeAnswer(answer));
  const code = first['code'] ?? null;
  const isWhole = code === null || (code instanceof JsonNumber && /^-?\d+$/.test(code.text));
  ensure(isWhole && 'code' in first, 'code is an integer or null', describeAnswer(answer));
  if (expected.code === undefined) return;
  equal(code, expected.code === null ? null : new JsonNumber(String(expected.code)), 'code');
}

export function record(value: Json | undefined, what = 'the value'): Fields {
  if (!isFields(value)) fail(`${what} is an object`, value);
  return value;
}

export function list(value: Json | undefined, what = 'data'): readonly Json[] {
  if (!Array.isArray(value)) fail(`${what} is an array`, value);
  return value as readonly Json[];
}

export const records = (value: Json | undefined, what = 'data'): readonly Fields[] =>
  list(value, what).map((item) => record(item, `an item of ${what}`));

export function textOf(from: Fields, field: string): string {
  const value = from[field];
  if (typeof value !== 'string') fail(`${field} is a string`, value);
  return value;
}

/** A number or a decimal text. */
export function decimal(value: Json | undefined, what = 'the value'): Decimal {
  const text = value instanceof JsonNumber ? value.text : value;
  if (typeof text !== 'string' || !/^-?\d/.test(text)) fail(`${what} is a decimal`, value);
  return new Decimal(text);
}

export const decimalOf = (from: Fields, field: string): Decimal => decimal(from[field], field);

/** Equal as numbers. */
export function sameNumber(got: Json | undefined, expected: Decimal.Value, what: string): void {
  const value = decimal(got, what);
  ensure(
    value.eq(expected),
    `${what}: expected ${new Decimal(expected).toFixed()}`,
    value.toFixed(),
  );
}

/** Equal within this number of last digits, for rounding. */
export function near(got: Decimal, expected: Decimal, within: Decimal.Value, what: string): void {
  const close = got.minus(expected).abs().lte(within);
  ensure(close, `${what}: expected ${expected.toFixed()} (± ${String(within)})`, got.toFixed());
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof JsonNumber);

const isJsonType = (answer: RawResponse): boolean =>
  /^application\/json\b/.test(answer.headers['content-type'] ?? '');

const describeAnswer = (answer: RawResponse): string =>
  `${answer.status} ${answer.text.slice(0, 300)}`;

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value).slice(0, 400);
  const text = JSON.stringify(value, (_key, item: unknown) =>
    item instanceof JsonNumber || item instanceof Decimal ? `#${plain(item)}` : item,
  );
  return (text ?? 'nothing').slice(0, 400);
}

const plain = (item: JsonNumber | Decimal): string =>
  item instanceof JsonNumber ? item.text : item.toFixed();
