import type { BootClock, Clock, ProcessFacts } from '../../core/ports.js';

/** A time stored in a file, from which any process of this machine can compute its age. */
export interface ClockReading {
  readonly utcMs: number;
  /** Id of the machine's boot and ms since then, if the system reports them. */
  readonly boot?: { readonly id: string; readonly atMs: number };
}

export interface ReadableClocks {
  readonly clock: Clock;
  readonly boot?: BootClock;
}

export const readClocks = ({ clock, boot }: ReadableClocks): ClockReading => ({
  utcMs: clock.utcMs(),
  ...(boot !== undefined && { boot: { id: boot.id, atMs: boot.uptimeMs() } }),
});

/**
 * Age of a reading in ms, ≥ 0. A step of the wall clock affects it only after a reboot, or if the system
 * does not report its boots. A reading in the future then has age 0.
 */
export function msSince(
  { utcMs, boot: readingBoot }: ClockReading,
  { clock, boot }: ReadableClocks,
): number {
  const isSameBoot = boot !== undefined && readingBoot?.id === boot.id;
  return Math.max(0, isSameBoot ? boot.uptimeMs() - readingBoot.atMs : clock.utcMs() - utcMs);
}

/** Whether a value from a file is a reading. Other keys are allowed. */
export const isClockReading = (value: unknown): value is ClockReading =>
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

/** The machine's boot clock, where the system has one. */
export async function bootClockOf(facts: ProcessFacts): Promise<Pick<ReadableClocks, 'boot'>> {
  const id = await facts.bootId();
  const uptimeMs = facts.sinceBootMs?.bind(facts);
  return id !== '' && uptimeMs !== undefined ? { boot: { id, uptimeMs } } : {};
}
