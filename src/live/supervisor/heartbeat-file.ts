import { z } from 'zod';
import type { Files } from '../../core/ports.js';
import { isClockReading, type ClockReading } from '../../io/net/clock-reading.js';

/** In the state folder: the proof that a daemon works on it. */
export const HEARTBEAT_FILE = 'heartbeat.json';
/** Real ms between two beats. */
export const HEARTBEAT_INTERVAL_MS = 1_000;
/** Bytes of the file. It never grows, so that a beat needs no room on a full disk. */
const SIZE = 1_024;

const schema = z.object({
  v: z.literal(1),
  /** Id of the run: another daemon on the folder has another. */
  run: z.string(),
  pid: z.number(),
  /** Grows by one with each beat. */
  count: z.number(),
  /** `stopped`: a planned stop has ended. Everything else that ends a daemon leaves `running`. */
  state: z.enum(['running', 'stopped']),
  /** The strategy whose last decided candle is the latest; null: no strategy runs. */
  candle: z
    .object({
      strategy: z.string(),
      /** Close of the candle, ms UTC at the venue; null: it has decided on none yet. */
      closed_at: z.number().nullable(),
      /** Real ms since the next candle was due; 0: it is not due yet. */
      late_ms: z.number(),
    })
    .nullable(),
});

/** One beat, with the time at which it was written. */
export type DaemonHeartbeat = Readonly<z.infer<typeof schema>> & ClockReading;

export const heartbeatPathIn = (stateDir: string): string => `${stateDir}/${HEARTBEAT_FILE}`;

/** Overwrites the file in place. Durable when it resolves. */
export const writeHeartbeat = (
  files: Pick<Files, 'writeAt'>,
  stateDir: string,
  beat: DaemonHeartbeat,
): Promise<void> => files.writeAt(heartbeatPathIn(stateDir), 0, encode(beat));

function encode(beat: DaemonHeartbeat): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(beat));
  // Only the name of a strategy can be that long.
  if (text.length >= SIZE) return encode({ ...beat, candle: null });
  const bytes = new Uint8Array(SIZE).fill(0x20);
  bytes.set(text);
  bytes[SIZE - 1] = 0x0a;
  return bytes;
}

/** undefined: no daemon with a heartbeat has run here, or the file is being written or damaged. */
export async function readHeartbeat(
  files: Pick<Files, 'read'>,
  stateDir: string,
): Promise<DaemonHeartbeat | undefined> {
  const bytes = await files.read(heartbeatPathIn(stateDir));
  return bytes === undefined ? undefined : decodeHeartbeat(bytes);
}

export function decodeHeartbeat(bytes: Uint8Array): DaemonHeartbeat | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const parsed = schema.loose().safeParse(value);
  if (!parsed.success || !isClockReading(value)) return undefined;
  return { ...parsed.data, utcMs: value.utcMs, ...(value.boot && { boot: value.boot }) };
}
