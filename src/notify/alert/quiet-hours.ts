const MINUTE_MS = 60_000;

/** Minutes of a day, 0 to 1439, in a time zone. `from` may be later than `to`: over midnight. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** Date (`2026-11-23`) and minute of the day. */
export interface TimeOfDay {
  readonly day: string;
  readonly minute: number;
}

/** The local time of a zone of the IANA database, with its daylight saving. */
export class LocalClock {
  readonly #format: Intl.DateTimeFormat;
  #cached: { readonly minute: number; readonly time: TimeOfDay } | undefined;

  /** @throws RangeError for an unknown zone */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
  }

  at(utcMs: number): TimeOfDay {
    const minute = Math.floor(utcMs / MINUTE_MS);
    if (this.#cached?.minute !== minute) this.#cached = { minute, time: this.#read(utcMs) };
    return this.#cached.time;
  }

  #read(utcMs: number): TimeOfDay {
    const parts = new Map(
      this.#format.formatToParts(utcMs).map(({ type, value }) => [type, value] as const),
    );
    const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? '';
    return {
      day: `${part('year')}-${part('month')}-${part('day')}`,
      minute: Number(part('hour')) * 60 + Number(part('minute')),
    };
  }
}

/** Whether a minute lies in the quiet hours; the minute of their end does not. */
export const isQuiet = (minute: number, { fromMinute, toMinute }: QuietHours): boolean =>
  fromMinute <= toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute;
