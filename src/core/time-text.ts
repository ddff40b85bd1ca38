const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const DURATION = /^(\d+)(ms|s|m|h|d)$/;

/** The form of a duration, for messages. */
export const DURATION_FORM = 'a duration such as 30s, 10m, 2h, 1d or 1500ms';

/** `30s`, `10m`, `2h`, `1d` or `1500ms` in ms, above 0; undefined for anything else. */
export function durationFromText(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  const duration = Number(count) * (UNITS_MS[unit ?? ''] ?? NaN);
  return duration > 0 && Number.isSafeInteger(duration) ? duration : undefined;
}

/** A duration in ms for a person: `45 s`, `12 min`, `1 h 5 min`, `2 d 3 h`; rounded down. */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return `${seconds} s`;
  if (hours === 0) return `${minutes} min`;
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** The form of a time, for messages. */
export const INSTANT_FORM = 'a UTC time such as 2025-05-05 or 2025-05-05T00:00:00Z';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/;

/**
 * ms UTC of an ISO 8601 time with `Z`, or of the start of a UTC day; undefined for anything else. A time
 * without `Z` would depend on the time zone of the machine.
 */
export function instantFromText(text: string): number | undefined {
  const day = DAY.test(text) ? text : TIME.exec(text)?.[1];
  if (day === undefined) return undefined;
  const ms = Date.parse(text);
  // Date.parse reads 30 February as 2 March.
  const dayMs = Date.parse(day);
  return Number.isNaN(ms) || new Date(dayMs).toISOString().slice(0, 10) !== day ? undefined : ms;
}
