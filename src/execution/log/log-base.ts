import { z } from 'zod';
import { HASH_BYTES, type Position } from './log-frame.js';

/**
 * What a compacted log says of itself, in its first frame. It was written whole, under its final name,
 * in one rename; so all of its snapshot is durable as soon as it can be seen at all. Whoever finds a
 * head that still promises what was replaced knows by it that the compaction was cut off after the
 * rename, and that nothing is missing.
 */
export interface LogBase {
  /** How often this log was compacted, from 1; the archive of that number holds what was replaced. */
  readonly number: number;
  /** The end of what was replaced. */
  readonly replaces: Position;
  /** Records ever appended before the first one after the snapshot. */
  readonly recordsBefore: number;
  /** Frames and bytes of the snapshot, this frame included. */
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
  /** Padded, so that the length of this frame does not depend on it. */
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

/** undefined where these bytes are none. */
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
