import { describe, expect, it } from 'vitest';
import { ConnectionBudget, type ConnectionBudgetOptions } from './connection-budget.js';
import {
  constantRandom,
  MemoryFiles,
  memoryLogger,
  VirtualTime,
} from '../../test/harness/virtual-ports.js';

const PATH = '/state/connections.json';

function budgetOn(
  time: VirtualTime,
  files: MemoryFiles,
  random: number,
  of: Partial<Pick<ConnectionBudgetOptions, 'clock' | 'boot'>> = {},
) {
  return new ConnectionBudget({
    clock: time,
    scheduler: time,
    random: constantRandom(random),
    logger: memoryLogger(),
    file: { files, path: PATH },
    ...of,
  });
}

const count = (times: readonly number[], from: number): number =>
  times.filter((at) => at >= from && at < from + 60_000).length;

describe('the connection budget', () => {
  it('allows 8 connections in any minute', async () => {
    const time = new VirtualTime();
    const budget = budgetOn(time, new MemoryFiles(), 0.1);
    const made: number[] = [];
    for (let i = 0; i < 30; i += 1) void budget.acquire().then(() => made.push(time.monotonicMs()));
    await time.advance(1_000);
    expect(made).toHaveLength(8);
    await time.advance(300_000);
    expect(made).toHaveLength(30);
    for (const from of made) expect(count(made, from)).toBeLessThanOrEqual(8);
  });

  it('counts what earlier processes made, restart after restart', async () => {
    const files = new MemoryFiles();
    const time = new VirtualTime();
    const made: number[] = [];
    for (let restart = 0; restart < 90; restart += 1) {
      const budget = budgetOn(time, files, restart / 90);
      void budget.acquire().then(() => made.push(time.monotonicMs()));
      await time.advance(600);
    }
    expect(made.length).toBeLessThanOrEqual(8);
  });

  it('is not fooled by a clock that was set back', async () => {
    const files = new MemoryFiles();
    const late = budgetOn(new VirtualTime(2_000_000_000_000), files, 0.1);
    for (let i = 0; i < 8; i += 1) await late.acquire();
    const time = new VirtualTime(1_000_000_000_000);
    let made = false;
    void budgetOn(time, files, 0.2)
      .acquire()
      .then(() => (made = true));
    await time.advance(30_000);
    expect(made).toBe(false);
  });

  it.each([
    { stepMs: 3_600_000, id: 'boot', kept: true },
    { stepMs: -3_600_000, id: 'boot', kept: true },
    { stepMs: 3_600_000, id: 'another', kept: false },
  ])(
    'over a restart on $id, with the clock stepped by $stepMs ms: kept $kept',
    async ({ stepMs, id, kept }) => {
      const files = new MemoryFiles();
      const time = new VirtualTime();
      const sinceMs = (): number => 5_000 + time.monotonicMs();
      const first = budgetOn(time, files, 0.1, { boot: { id: 'boot', sinceMs } });
      for (let i = 0; i < 8; i += 1) await first.acquire();
      const clock = {
        monotonicMs: () => time.monotonicMs(),
        utcMs: () => time.utcMs() + stepMs,
      };
      let made = false;
      const second = budgetOn(time, files, 0.2, { boot: { id, sinceMs }, clock });
      void second.acquire().then(() => (made = true));
      await time.advance(59_000);
      expect(made).toBe(!kept);
      await time.advance(1_000);
      expect(made).toBe(true);
    },
  );

  it.each(['{"torn', '[{"by":"another"}]', '[{"by":"another","utcMs":1,"boot":{"id":"boot"}}]'])(
    'says that its file does not read, and goes on with what it knows: %s',
    async (text) => {
      const files = new MemoryFiles();
      files.contents.set(PATH, new TextEncoder().encode(text));
      const time = new VirtualTime();
      const logger = memoryLogger();
      const budget = new ConnectionBudget({
        clock: time,
        scheduler: time,
        random: constantRandom(0.5),
        logger,
        file: { files, path: PATH },
      });
      await budget.acquire();
      expect(logger.lines.map(({ level }) => level)).toEqual(['warn']);
    },
  );
});
