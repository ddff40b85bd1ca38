import { ensure, fail, isFields, type Fields } from './expect.js';
import { JsonNumber, type Json } from './json.js';

/** A name for each type of the resource tables. */
export type FieldType =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'object'
  | 'array'
  | 'null'
  /** A string that holds a plain decimal. */
  | 'decimal'
  | 'uuid'
  /** ISO 8601, UTC: whole seconds. */
  | 'timestamp'
  /** ISO 8601, UTC: with milliseconds. */
  | 'timestamp-ms';

/** `decimal|null` is either type. A field name that ends in `?` is optional. */
export type Shape = Readonly<Record<string, string>>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const HOLDS: Readonly<Record<FieldType, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => value instanceof JsonNumber,
  integer: (value) => value instanceof JsonNumber && /^-?\d+$/.test(value.text),
  boolean: (value) => typeof value === 'boolean',
  object: (value) => isFields(value),
  array: (value) => Array.isArray(value),
  null: (value) => value === null,
  decimal: (value) => typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value),
  uuid: (value) => typeof value === 'string' && UUID.test(value),
  timestamp: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value),
  'timestamp-ms': (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
};

/** Every field exists with its type. Further fields are allowed, because changes are additive. */
export function hasFields(value: Fields, shape: Shape, what: string): void {
  for (const [written, types] of Object.entries(shape)) {
    const name = written.replace(/\?$/, '');
    const field = value[name];
    if (field === undefined) {
      ensure(written.endsWith('?'), `${what} has the field ${name}`, Object.keys(value));
      continue;
    }
    const fits = types.split('|').some((type) => HOLDS[type as FieldType](field));
    if (!fits) fail(`${what}.${name} is ${types}`, field);
  }
}

/** None of the fields that an earlier release removed. */
export function hasNone(value: Fields, names: readonly string[], what: string): void {
  const found = names.filter((name) => name in value);
  ensure(found.length === 0, `${what} has no ${found.join(', ')}: a release removed it`);
}
