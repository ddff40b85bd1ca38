import { describe, expect, it } from 'vitest';
import { ManualTime } from '../../../test/support/fakes/manual-ports.js';
import { CandleTimes } from '../status/candle-times.js';
import type { StrategyHost } from '../../strategy/host/strategy-host.js';
import { daemonHealth } from './daemon-health.js';
import { decodeHeartbeat, type DaemonHeartbeat } from './heartbeat-file.js';
import { latestCandle } from './latest-candle.js';

const time = new ManualTime();
const at = Date.UTC(2025, 4, 5);
const limits = { clocks: { clock: time }, maxLateMs: 120_000 };
const beat = (fields: Partial<DaemonHeartbeat> = {}): DaemonHeartbeat => ({
  v: 1,
  run: 'r1',
  pid: 7,
  count: 3,
  state: 'running',
  candle: { strategy: 'trend', closed_at: at, late_ms: 0 },
  utcMs: time.utcMs(),
  ...fields,
});
const late = (ms: number): DaemonHeartbeat =>
  beat({ candle: { strategy: 'trend', closed_at: at, late_ms: ms } });

describe('the health of a daemon', () => {
  it('is good while each strategy gets its candles in time', () => {
    expect(daemonHealth(beat(), limits)).toMatchObject({ healthy: true, candle_late_ms: 0 });
    expect(daemonHealth(late(120_000), limits).healthy).toBe(true);
  });

  it('is bad when a candle is late, though the process beats', () => {
    const health = daemonHealth(late(120_001), limits);
    expect(health.healthy).toBe(false);
    expect(health.reason).toBe(
      'strategy trend waits for a candle that was due 120 s ago; last decided: 2025-05-05T00:00:00.000Z',
    );
  });

  it('is bad when the process hangs, has stopped or never ran', () => {
    const old = (ms: number): DaemonHeartbeat => beat({ utcMs: time.utcMs() - ms });
    expect(daemonHealth(old(15_000), limits).healthy).toBe(true);
    expect(daemonHealth(old(15_001), limits).reason).toContain('no heartbeat for 15 s');
    expect(daemonHealth(beat({ state: 'stopped' }), limits).reason).toContain('as planned');
    expect(daemonHealth(undefined, limits).reason).toContain('no daemon has written');
  });

  it('counts the age of the beat as part of the lateness', () => {
    const health = daemonHealth({ ...late(115_000), utcMs: time.utcMs() - 6_000 }, limits);
    expect(health).toMatchObject({ healthy: false, candle_late_ms: 121_000 });
  });

  it('does not depend on the wall clock while the machine has not rebooted', () => {
    const boot = { id: 'b', uptimeMs: () => 50_000 };
    const stepped = beat({ utcMs: 0, boot: { id: 'b', atMs: 49_000 } });
    const health = daemonHealth(stepped, { ...limits, clocks: { clock: time, boot } });
    expect(health).toMatchObject({ healthy: true, heartbeat_age_ms: 1_000 });
  });

  it('cannot be read from a damaged file', () => {
    for (const text of ['', '{', '{"v":2}', '{"v":1,"run":"r"}', 'null'])
      expect(decodeHeartbeat(new TextEncoder().encode(text)), text).toBeUndefined();
  });
});

describe('the candle of a heartbeat', () => {
  const host = (id: string, interval: StrategyHost['interval']) => ({ id, interval });
  const input = (hosts: readonly ReturnType<typeof host>[], venueTime: number, rate = 1) =>
    latestCandle({ hosts, candleTimes: new CandleTimes(), startedAt: at, venueTime, rate });

  it('is late from the close of the first candle after the start', () => {
    expect(input([host('trend', '1m')], at + 60_000)).toMatchObject({ late_ms: 0 });
    expect(input([host('trend', '1m')], at + 61_000)).toMatchObject({ late_ms: 1_000 });
    expect(input([host('slow', '1h')], at + 3_600_000)).toMatchObject({ late_ms: 0 });
  });

  it('is that of the strategy that waits longest', () => {
    const hosts = [host('slow', '1h'), host('trend', '1m'), host('calm', '5m')];
    expect(input(hosts, at + 600_000)?.strategy).toBe('trend');
    expect(input([], at)).toBeNull();
  });

  it('is late by real time, also on a fast or a stopped clock', () => {
    expect(input([host('trend', '1m')], at + 120_000, 20)).toMatchObject({ late_ms: 3_000 });
    expect(input([host('trend', '1m')], at + 120_000, 0)).toMatchObject({ late_ms: 0 });
  });
});
