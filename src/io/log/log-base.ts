import { z } from 'zod';
import { HASH_BYTES, type LogPosition } from './log-frame.js';

/**
 * The first frame of a compacted log. A compacted log appears under its name by one rename, so its
 * snapshot is durable as soon as it is visible. If the head still holds the sync marker of the replaced
 * log, the base shows that the compaction stopped after the rename and that no record is missing.
 */
export interface LogBase {
  /** Number of this compaction, from 1. The archive of that number holds the replaced log. */
  readonly number: number;
  /** The end of the replaced log. */
  readonly replaces: LogPosition;
  /** Records appended to this log before the first one after the snapshot, over all compactions. */
  readonly recordsBefore: number;
  /** Frames and bytes of the snapshot, including this frame. */
  readonly snapshot: { readonly count: number; readonly bytes: number };
}

const count = z.int().min(0);
const shape = z.strictObject({
  base: z.literal(1),
  number: z.int().min(1),
  replaces: z.strictObject({
    count,
    bytes: count,
    hash: z.string().regex(new RegExp(`^[0-9a-f]{${2 * HASH_BYTES}}$`)),
  }),
  recordsBefore: count,
  /** Padded, so that the length of this frame does not depend on the values. */
  snapshot: z.strictObject({
    count: z.string().regex(/^\d{16}$/),
    bytes: z.string().regex(/^\d{16}$/),
  }),
});

export function encodeBase(base: LogBase): Uint8Array {
  const { number, replaces, recordsBefore, snapshot } = base;
  const written: z.output<typeof shape> = {
    base: 1,
    number,
    replaces: { ...replaces, hash: Buffer.from(replaces.hash).toString('hex') },
    recordsBefore,
    snapshot: { count: padded(snapshot.count), bytes: padded(snapshot.bytes) },
  };
  return new TextEncoder().encode(`${JSON.stringify(written)}\n`);
}

/** undefined when the payload is not a base. */
export function decodeBase(payload: Uint8Array): LogBase | undefined {
  const read = shape.safeParse(jsonOf(payload));
  if (!read.success) return undefined;
  const { number, replaces, recordsBefore, snapshot } = read.data;
  return {
    number,
    replaces: { ...replaces, hash: Buffer.from(replaces.hash, 'hex') },
    recordsBefore,
    snapshot: { count: Number(snapshot.count), bytes: Number(snapshot.bytes) },
  };
}

const padded = (value: number): string => String(value).padStart(16, '0');

function jsonOf(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    return undefined;
  }
}
