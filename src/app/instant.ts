export const INSTANT_FORM = 'a UTC time such as 2025-05-05 or 2025-05-05T00:00:00Z';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/;

/**
 * ms UTC of an ISO 8601 time with `Z`, or of a day's start; undefined for anything else. A time
 * without `Z` would mean another instant on every machine.
 */
export function instantFromText(text: string): number | undefined {
  const day = DAY.test(text) ? text : TIME.exec(text)?.[1];
  if (day === undefined) return undefined;
  const ms = Date.parse(text);
  // Date.parse takes 30 February for 2 March.
  const dayMs = Date.parse(day);
  return Number.isNaN(ms) || new Date(dayMs).toISOString().slice(0, 10) !== day ? undefined : ms;
}
