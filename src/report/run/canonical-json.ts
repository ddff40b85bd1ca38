/**
 * JSON with the keys of every object in order and without spaces: equal data have equal texts. Undefined
 * entries are left out; numbers that JSON cannot hold become null.
 */
export const canonicalJson = (value: unknown): string => JSON.stringify(ordered(value));

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, ordered(each)]),
  );
}
