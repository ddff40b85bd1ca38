const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const DURATION = /^(\d+)(ms|s|m|h|d)$/;

/** What a duration looks like, for messages. */
export const DURATION_FORM = 'a duration such as 30s, 10m, 2h, 1d or 1500ms';

/** `30s`, `10m`, `2h`, `1d` or `1500ms` in ms, above 0; undefined for anything else. */
export function durationFromText(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  const duration = Number(count) * (UNITS_MS[unit ?? ''] ?? NaN);
  return duration > 0 && Number.isSafeInteger(duration) ? duration : undefined;
}
