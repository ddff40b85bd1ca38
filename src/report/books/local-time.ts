const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Zones change their offset at multiples of this. */
const OFFSET_STEP_MS = 15 * MINUTE_MS;

/** Times of one IANA time zone. */
export class LocalTime {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;
  /** By step of time. */
  readonly #offsets = new Map<number, number>();

  /** @throws RangeError for a zone that does not exist */
  constructor(zone: string) {
    this.zone = zone;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  }

  /** `2025-05-05T05:30:00+05:30` of ms UTC. */
  text(ms: number): string {
    const offset = this.#offsetAt(ms);
    const size = Math.abs(offset) / MINUTE_MS;
    const [hours, minutes] = [Math.floor(size / 60), size % 60];
    const two = (value: number): string => String(value).padStart(2, '0');
    const local = new Date(ms + offset).toISOString().slice(0, 19);
    return `${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
  }

  /** `2025-05-05`: the day in the zone. */
  day(ms: number): string {
    return new Date(ms + this.#offsetAt(ms)).toISOString().slice(0, 10);
  }

  /** ms UTC of the start of a day in the zone; undefined for another text. */
  dayStart(text: string): number | undefined {
    if (!DAY.test(text)) return undefined;
    const utc = Date.parse(`${text}T00:00:00Z`);
    if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 10) !== text) return undefined;
    const guess = utc - this.#offsetAt(utc);
    return utc - this.#offsetAt(guess);
  }

  /** ms UTC of the start of the day after the one that starts at `start`. A day of a zone may have 23 or 25 hours. */
  nextDayStart(start: number): number {
    return this.dayStart(this.day(start + DAY_MS + DAY_MS / 8)) ?? start + DAY_MS;
  }

  /** ms that the local time is ahead of UTC. */
  #offsetAt(ms: number): number {
    const step = Math.floor(ms / OFFSET_STEP_MS);
    let offset = this.#offsets.get(step);
    if (offset === undefined) this.#offsets.set(step, (offset = this.#readOffset(step)));
    return offset;
  }

  #readOffset(step: number): number {
    const ms = step * OFFSET_STEP_MS;
    const parts = new Map(
      this.#format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
    );
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const local = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return local - ms;
  }
}
