import { z } from 'zod';
import type { Files } from '../../core/ports.js';

/** The last rate that the venue has named for a settlement to come. */
export interface PendingFunding {
  /** ms UTC. */
  readonly settlementMs: number;
  /** Fraction of the position's value. */
  readonly rate: number;
  /** ms UTC at the venue when the rate was read. */
  readonly readMs: number;
  /** ms from the settlement before; 0: not known. */
  readonly intervalMs: number;
}

export type PendingRates = ReadonlyMap<string, PendingFunding>;

/** A reading of the venue's asset detail. */
export type FundingReading = Pick<PendingFunding, 'settlementMs' | 'rate' | 'readMs'>;

/** A rate may change until its settlement: an older reading is no settled rate. */
export const MAX_RATE_AGE_MS = 10 * 60_000;

/** Whether the rate was read so shortly before its settlement that it counts as settled. */
export const isSettledRate = ({ settlementMs, readMs }: PendingFunding): boolean =>
  settlementMs - readMs <= MAX_RATE_AGE_MS;

/**
 * The pending rate after a reading. The interval is known only if the reading follows shortly on a settlement: after an
 * outage the venue may have settled several times.
 */
export function afterReading(
  before: PendingFunding | undefined,
  { settlementMs, rate, readMs }: FundingReading,
): PendingFunding {
  if (before?.settlementMs === settlementMs)
    return { settlementMs, rate, readMs, intervalMs: before.intervalMs };
  const isNext =
    before !== undefined &&
    before.settlementMs <= readMs &&
    readMs - before.settlementMs <= MAX_RATE_AGE_MS;
  const intervalMs = isNext ? settlementMs - before.settlementMs : 0;
  return { settlementMs, rate, readMs, intervalMs };
}

const ratesSchema = z.strictObject({
  schema: z.literal(1),
  pending: z.record(
    z.string(),
    z.strictObject({
      settlementMs: z.number().int(),
      rate: z.number(),
      readMs: z.number().int(),
      intervalMs: z.number().int().min(0),
    }),
  ),
});

/** @returns undefined for a file that is there and does not read */
export async function loadPending(
  files: Pick<Files, 'read'>,
  path: string,
): Promise<PendingRates | undefined> {
  const bytes = await files.read(path);
  if (bytes === undefined) return new Map();
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  const parsed = ratesSchema.safeParse(value);
  return parsed.success ? new Map(Object.entries(parsed.data.pending)) : undefined;
}

/** Replaces the file as a whole, durably. */
export function savePending(
  files: Pick<Files, 'replace'>,
  path: string,
  pending: PendingRates,
): Promise<void> {
  const state = { schema: 1, pending: Object.fromEntries(pending) };
  return files.replace(path, new TextEncoder().encode(`${JSON.stringify(state, null, 2)}\n`));
}
