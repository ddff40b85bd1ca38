/** Each member's kind: the shape of a golden sample, without its values. */
export function shapeOf(row: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(row as Record<string, unknown>).map(([key, value]) => [key, kindOf(value)]),
  );
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const TIMESTAMP_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'string') return typeof value;
  if (TIMESTAMP.test(value)) return 'time';
  if (TIMESTAMP_MS.test(value)) return 'time with ms';
  if (UUID.test(value)) return 'uuid';
  return DECIMAL.test(value) ? 'decimal' : 'text';
}
