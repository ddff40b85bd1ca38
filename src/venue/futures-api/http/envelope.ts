import { readJson, type JsonValue } from './lossless-json.js';

export interface VenueErrorText {
  readonly code?: string;
  readonly text: string;
}

/**
 * The envelope of a body (interface: conventions). `unreadable` proves nothing about the request: it is
 * a proxy's page, an empty or truncated body, or an undocumented shape.
 */
export type Envelope =
  | { readonly kind: 'success'; readonly data: JsonValue }
  | { readonly kind: 'failure'; readonly errors: readonly VenueErrorText[] }
  | { readonly kind: 'unreadable'; readonly cause: string };

type JsonObject = { readonly [key: string]: JsonValue };

export function readEnvelope(body: string): Envelope {
  if (body.trim() === '') return unreadable('the body is empty');
  let value: JsonValue;
  try {
    value = readJson(body);
  } catch (error) {
    const cause = /^\s*</.test(body) ? 'a page, not JSON' : String(error);
    return unreadable(cause);
  }
  if (!isObject(value)) return unreadable('the body is not an object');
  if (value['success'] === true) return success(value);
  if (value['success'] === false) return failure(value);
  return unreadable('the body has no envelope');
}

function success(value: JsonObject): Envelope {
  const data = value['data'];
  return data === undefined ? unreadable('a success without data') : { kind: 'success', data };
}

/** The documented list of errors, and two undocumented shapes of real answers (hazard A39). */
function failure(value: JsonObject): Envelope {
  const errors =
    errorList(value['errors']) ?? singleError(value['error']) ?? encodedErrors(value['message']);
  return errors === undefined
    ? unreadable('a failure without a text')
    : { kind: 'failure', errors };
}

function errorList(value: JsonValue | undefined): readonly VenueErrorText[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const errors = value.map((item: JsonValue) =>
    isObject(item) ? errorText(item, 'text') : undefined,
  );
  return errors.every((error) => error !== undefined) ? errors : undefined;
}

/** `"error": {"code", "message"}` */
function singleError(value: JsonValue | undefined): readonly VenueErrorText[] | undefined {
  const error = isObject(value) ? errorText(value, 'message') : undefined;
  return error === undefined ? undefined : [error];
}

/** `"message": "{\"errors\":[…]}"`: the list, encoded as text. */
function encodedErrors(value: JsonValue | undefined): readonly VenueErrorText[] | undefined {
  if (typeof value !== 'string' || !value.startsWith('{')) return undefined;
  try {
    const inner = readJson(value);
    return isObject(inner) ? errorList(inner['errors']) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function errorText(value: JsonObject, key: string): VenueErrorText | undefined {
  const text = value[key];
  const code = value['code'];
  if (typeof text !== 'string') return undefined;
  return typeof code === 'string' ? { code, text } : { text };
}

const unreadable = (cause: string): Envelope => ({ kind: 'unreadable', cause });

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
