/** Unit of a time in a file of market data; `iso`: ISO 8601 text. */
export type TimeUnit = 's' | 'ms' | 'us' | 'ns' | 'iso';
export const TIME_UNITS = ['s', 'ms', 'us', 'ns', 'iso'] as const satisfies readonly TimeUnit[];

/** Factors from a unit to ms: a time is multiplied, then divided. Both are exact in a double. */
export interface TimeScale {
  readonly unit: Exclude<TimeUnit, 'iso'>;
  readonly multiplier: number;
  readonly divisor: number;
  /** Times of the unit by size: `from` ≤ time < `below`. */
  readonly from: number;
  readonly below: number;
}

/** 1e11 s is the year 5138 and 1e11 ms is 1973, so the size of a time determines its unit. */
export const TIME_SCALES: readonly TimeScale[] = [
  { unit: 's', multiplier: 1_000, divisor: 1, from: 0, below: 1e11 },
  { unit: 'ms', multiplier: 1, divisor: 1, from: 1e11, below: 1e14 },
  { unit: 'us', multiplier: 1, divisor: 1_000, from: 1e14, below: 1e17 },
  { unit: 'ns', multiplier: 1, divisor: 1_000_000, from: 1e17, below: 1e20 },
];

/** The unit of a time by its size; undefined for a negative time or one that is too large. */
export const scaleBySize = (time: number): TimeScale | undefined =>
  TIME_SCALES.find(({ from, below }) => time >= from && time < below);

/** A double near 1.7e18 is off by up to 128 ns, which is below this share of a ms. */
const NS_ROUNDING_MS = 0.001;

/** A time in ms; not a whole number for a time that is not one of whole ms. */
export function timeInMs(time: number, { unit, multiplier, divisor }: TimeScale): number {
  const ms = (time * multiplier) / divisor;
  if (unit !== 'ns') return ms;
  const whole = Math.round(ms);
  return Math.abs(ms - whole) < NS_ROUNDING_MS ? whole : ms;
}

/** `2025-05-05`, `2025-05-05 00:01`, `2025/05/05T00:01:00.000Z`, `2025-05-05T00:01:00+05:30`. */
const ISO =
  /^(\d{4})([-/.])(\d\d)\2(\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?\s?(Z|UTC|[+-]\d\d:?\d\d)?)?$/;

/** ms UTC of an ISO 8601 time, in UTC unless it names a zone; undefined for any other text. */
export function isoTime(text: string): number | undefined {
  const [, year, , month, date, minute = '00:00', seconds = ':00', zone = 'Z'] =
    ISO.exec(text) ?? [];
  if (year === undefined) return undefined;
  const day = `${year}-${month}-${date}`;
  // Date.parse reads 30 February as 2 March.
  const dayMs = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, 10) !== day) return undefined;
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const ms = Date.parse(`${day}T${minute}${seconds.slice(0, 7)}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}
