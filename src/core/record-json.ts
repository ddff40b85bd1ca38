/**
 * JSON of the events of a session or a paper account. Nearly all `Fixed` values are plain numbers. The
 * wide form, a bigint, is `{"$units":"…"}` in units of 1e-18.
 */
export function recordText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // A bigint: JSON has no such type. A replacer on every call would slow down every record.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, wideToJson);
  }
}

export const recordFromText = (text: string): unknown =>
  text.includes(UNITS_MARKER) ? JSON.parse(text, wideFromJson) : JSON.parse(text);

const UNITS_KEY = '$units';
const UNITS_MARKER = `"${UNITS_KEY}"`;

const wideToJson = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { [UNITS_KEY]: value.toString() } : value;

function wideFromJson(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { [UNITS_KEY]: units, ...others } = value as Readonly<Record<string, unknown>>;
  const isWide = typeof units === 'string' && Object.keys(others).length === 0;
  return isWide ? BigInt(units) : value;
}
