import { msSince, type ReadableClocks } from '../../io/net/clock-reading.js';
import { HEARTBEAT_INTERVAL_MS, type DaemonHeartbeat } from './heartbeat-file.js';

/** Real ms without a beat after which a daemon counts as hung. A slow disk delays a beat. */
const MAX_BEAT_AGE_MS = 15 * HEARTBEAT_INTERVAL_MS;

export interface DaemonHealth {
  readonly healthy: boolean;
  /** For people. */
  readonly reason: string;
  /** Real ms since the last beat; null: there is none. */
  readonly heartbeat_age_ms: number | null;
  /** Real ms since a candle was due that no strategy has decided on; null: no strategy runs. */
  readonly candle_late_ms: number | null;
}

export interface HealthLimits {
  readonly clocks: ReadableClocks;
  /** Real ms that a candle may be late. */
  readonly maxLateMs: number;
}

/**
 * Whether a daemon decides. The measure is the last decided candle and not a port: a process with a dead feed
 * still answers on its port.
 */
export function daemonHealth(
  beat: DaemonHeartbeat | undefined,
  { clocks, maxLateMs }: HealthLimits,
): DaemonHealth {
  if (beat === undefined) {
    const reason = 'no daemon has written a heartbeat into this state folder';
    return { healthy: false, reason, heartbeat_age_ms: null, candle_late_ms: null };
  }
  const age = Math.round(msSince(beat, clocks));
  const late = beat.candle === null ? null : beat.candle.late_ms + age;
  const found = { heartbeat_age_ms: age, candle_late_ms: late };
  const problem = problemOf(beat, found, maxLateMs);
  if (problem !== undefined) return { healthy: false, reason: problem, ...found };
  return { healthy: true, reason: healthyText(beat), ...found };
}

function problemOf(
  { state, pid, candle }: DaemonHeartbeat,
  {
    heartbeat_age_ms: age,
    candle_late_ms: late,
  }: Pick<DaemonHealth, 'heartbeat_age_ms' | 'candle_late_ms'>,
  maxLateMs: number,
): string | undefined {
  if (state === 'stopped') return 'the daemon was stopped as planned';
  if (age !== null && age > MAX_BEAT_AGE_MS) {
    return `process ${pid} has written no heartbeat for ${secondsOf(age)}: it hangs, or has ended`;
  }
  if (candle === null || late === null || late <= maxLateMs) return undefined;
  return `strategy ${candle.strategy} waits for a candle that was due ${secondsOf(late)} ago; last decided: ${timeOf(candle.closed_at)}`;
}

const healthyText = ({ candle, pid }: DaemonHeartbeat): string =>
  candle === null
    ? `process ${pid} runs without a strategy`
    : `process ${pid}; the oldest last candle is that of ${candle.strategy}: ${timeOf(candle.closed_at)}`;

const secondsOf = (ms: number): string => `${Math.round(ms / 1_000)} s`;
const timeOf = (venueTime: number | null): string =>
  venueTime === null ? 'none yet' : new Date(venueTime).toISOString();
