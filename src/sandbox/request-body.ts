import { Decimal } from '../core/decimal.js';
import { WireNumber } from './wire-json.js';

export type JsonBody = Readonly<Record<string, unknown>>;

/** Text in which a number may stand that a double does not hold to the last digit. */
const SUSPECT = /\d[\d.]{15}|\d[eE][+-]?\d/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** Marks the text of such a number on its way through `JSON.parse`. */
const MARK = '\u0000number';

/**
 * The body's fields; an empty body has none (some clients send the header alone, supplement part 7).
 * A number that a double would change arrives as a `WireNumber` with its own text. undefined for what
 * is not a JSON object.
 */
export function parseBody(text: string): JsonBody | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return SUSPECT.test(text) ? parseExactly(text) : (value as JsonBody);
  } catch {
    // Not JSON, or nested too deeply to read.
    return undefined;
  }
}

/** The text is known to be a JSON object. */
function parseExactly(text: string): JsonBody {
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || isHeldByDouble(token) ? token : `{${JSON.stringify(MARK)}:"${token}"}`,
  );
  return JSON.parse(marked, (_key, value: unknown) => {
    const exact = (value as { readonly [MARK]?: unknown } | null)?.[MARK];
    return typeof exact === 'string' ? new WireNumber(exact) : value;
  }) as JsonBody;
}

function isHeldByDouble(text: string): boolean {
  const double = Number(text);
  return Number.isFinite(double) && new Decimal(text).eq(double);
}
