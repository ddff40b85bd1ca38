import { DAY_MS } from '../../core/interval.js';

/** Start of the venue's trading day, ms UTC: midnight UTC at or before a venue time. */
export const tradingDayOf = (venueTime: number): number => Math.floor(venueTime / DAY_MS) * DAY_MS;

/** `2025-05-05` */
export const tradingDayText = (day: number): string => new Date(day).toISOString().slice(0, 10);
