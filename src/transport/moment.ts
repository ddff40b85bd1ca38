import type { BootClock, Clock } from '../core/ports.js';

/** A moment in a file: any process of this machine can tell how long ago it was. */
export interface Moment {
  readonly utcMs: number;
  /** On machines that tell it: which start of theirs, and how long after it. */
  readonly boot?: { readonly id: string; readonly atMs: number };
}

export interface MomentClocks {
  readonly clock: Clock;
  readonly boot?: BootClock;
}

export const momentNow = ({ clock, boot }: MomentClocks): Moment => ({
  utcMs: clock.utcMs(),
  ...(boot !== undefined && { boot: { id: boot.id, atMs: boot.sinceMs() } }),
});

/**
 * ms, ≥ 0. A step of the wall clock moves it only where the machine was started anew in between, or
 * does not tell of its starts; then a moment of the future counts as just passed.
 */
export function msSince({ utcMs, boot: then }: Moment, { clock, boot }: MomentClocks): number {
  const isSameBoot = boot !== undefined && then?.id === boot.id;
  return Math.max(0, isSameBoot ? boot.sinceMs() - then.atMs : clock.utcMs() - utcMs);
}

/** What `momentNow` made, read from a file; with whatever stands beside it. */
export const isMoment = (value: unknown): value is Moment =>
  typeof value === 'object' &&
  value !== null &&
  'utcMs' in value &&
  Number.isFinite(value.utcMs) &&
  (!('boot' in value) || isBootTime(value.boot));

const isBootTime = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'atMs' in value &&
  Number.isFinite(value.atMs);
