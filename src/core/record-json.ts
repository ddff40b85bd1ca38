/**
 * JSON of what a session or a paper account was told, values of core among it. Nearly all of them are
 * plain numbers; the wide form, a bigint, is `{"$units":"…"}` in units of 1e-18.
 */
export function recordText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // A bigint: JSON has no word for it.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, wideToJson);
  }
}

export const recordFromText = (text: string): unknown =>
  text.includes(MARK) ? JSON.parse(text, wideFromJson) : JSON.parse(text);

const KEY = '$units';
const MARK = `"${KEY}"`;

const wideToJson = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { [KEY]: value.toString() } : value;

function wideFromJson(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { [KEY]: units, ...others } = value as Readonly<Record<string, unknown>>;
  const isWide = typeof units === 'string' && Object.keys(others).length === 0;
  return isWide ? BigInt(units) : value;
}
