import { describe, expect, it } from 'vitest';
import { ManualTime, memoryLogger } from '../../../test/support/fakes/manual-ports.js';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { HeartbeatWriter } from './heartbeat.js';
import { readHeartbeat, type DaemonHeartbeat } from './heartbeat-file.js';
import { IncidentLog } from './incident-file.js';

function rig(candle: () => DaemonHeartbeat['candle'] = () => null) {
  const time = new ManualTime();
  const files = new MemoryFiles();
  const logger = memoryLogger();
  const hung = { ms: 0 };
  const writer = new HeartbeatWriter({
    files,
    clock: { monotonicMs: () => time.monotonicMs() + hung.ms, utcMs: () => time.utcMs() },
    scheduler: time,
    logger,
    stateDir: '/state',
    pid: 7,
    candle,
  });
  return { time, files, logger, writer, hung, read: () => readHeartbeat(files, '/state') };
}

describe('the heartbeat of a daemon', () => {
  it('is written once a second, into a file that never grows', async () => {
    const { time, files, writer, read } = rig();
    await writer.start();
    const size = (await files.read('/state/heartbeat.json'))?.length;
    expect(await read()).toMatchObject({ count: 1, state: 'running', pid: 7 });
    await time.advance(3_000);
    expect(await read()).toMatchObject({ count: 4, utcMs: time.utcMs() });
    expect((await files.read('/state/heartbeat.json'))?.length).toBe(size);
  });

  it('says that a stop was planned, and only then', async () => {
    const crashed = rig();
    await crashed.writer.start();
    await crashed.writer.close();
    expect(await crashed.read()).toMatchObject({ state: 'running' });
    const stopped = rig();
    await stopped.writer.start();
    stopped.writer.planStop();
    await stopped.writer.close();
    expect(await stopped.read()).toMatchObject({ state: 'stopped' });
    await stopped.time.advance(10_000);
    expect(await stopped.read()).toMatchObject({ count: 2 });
  });

  it('is readable with a strategy of any name', async () => {
    const strategy = 'x'.repeat(5_000);
    const { writer, read } = rig(() => ({ strategy, closed_at: null, late_ms: 0 }));
    await writer.start();
    expect(await read()).toMatchObject({ count: 1, candle: null });
  });

  it('fails with one warning on a broken disk, and goes on', async () => {
    const { time, files, logger, writer, read } = rig();
    await writer.start();
    files.failWith(({ kind }) => (kind === 'write-at' ? { code: 'EIO' } : undefined));
    await time.advance(5_000);
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn']);
    files.failWith(() => undefined);
    await time.advance(1_000);
    expect(await read()).toMatchObject({ count: 7 });
  });

  it('tells what a supervisor did while the daemon hung', async () => {
    const { time, files, logger, writer, hung } = rig();
    await writer.start();
    const log = await IncidentLog.open(writer.run, { files, clock: time, stateDir: '/state' });
    await log.write({ kind: 'silent', silent_ms: 60_000, pid: 7 });
    await log.write({ kind: 'cancel', client_order_id: 'a', symbol: 'BTCUSDT' });
    await log.close();
    await time.advance(3_000);
    expect(logger.lines).toEqual([]);
    hung.ms = 70_000;
    await time.advance(1_000);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'the supervisor canceled 1 entry of ours at 2025-05-05T00:00:00.000Z, because this state folder had no heartbeat for 60 s',
    ]);
    await time.advance(3_000);
    expect(logger.lines).toHaveLength(1);
  });
});
