import { closeTimeOf, openTimeOf } from '../../core/interval.js';
import type { StrategyHost } from '../../strategy/host/strategy-host.js';
import type { CandleTimes } from '../status/candle-times.js';
import type { DaemonHeartbeat } from './heartbeat-file.js';

export interface LatestCandleInputs {
  readonly hosts: readonly Pick<StrategyHost, 'id' | 'interval'>[];
  readonly candleTimes: CandleTimes;
  /** Venue ms, now and when the run began. */
  readonly venueTime: number;
  readonly startedAt: number;
  /** Venue ms per real ms; 0: the clock of the venue is stopped. */
  readonly rate: number;
}

/** The strategy that waits longest for its next candle. null: no strategy runs. */
export function latestCandle(inputs: LatestCandleInputs): DaemonHeartbeat['candle'] {
  const rows = inputs.hosts.map((host) => rowOf(host, inputs));
  return rows.reduce<DaemonHeartbeat['candle']>(
    (worst, row) => (worst === null || row.late_ms > worst.late_ms ? row : worst),
    null,
  );
}

function rowOf(
  { id, interval }: Pick<StrategyHost, 'id' | 'interval'>,
  { candleTimes, venueTime, startedAt, rate }: LatestCandleInputs,
): NonNullable<DaemonHeartbeat['candle']> {
  const closedAt = candleTimes.of(id);
  const lateMs = venueTime - closeTimeOf(interval, openTimeOf(interval, closedAt ?? startedAt));
  return {
    strategy: id,
    closed_at: closedAt ?? null,
    late_ms: rate === 0 ? 0 : Math.max(0, Math.round(lateMs / rate)),
  };
}
