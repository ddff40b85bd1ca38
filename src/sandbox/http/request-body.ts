import { Decimal } from '../../core/fixed/decimal.js';
import { WireNumber } from './wire-json.js';

export type JsonBody = Readonly<Record<string, unknown>>;

/** Matches text that may contain a number that a double cannot hold exactly. */
const SUSPECT = /\d[\d.]{15}|\d[eE][+-]?\d/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** Marks the text of such a number for `JSON.parse`. */
const MARK = '\u0000number';

/**
 * Fields of the body; none for an empty body, since some clients send only the header (supplement:
 * part 7). A number that a double would change becomes a `WireNumber` with its own text.
 * @returns undefined for a body that is not a JSON object
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

/** @param text a JSON object */
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
