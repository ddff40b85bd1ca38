import { describe, expect, it } from 'vitest';
import { ConnectionBudget, type ConnectionBudgetOptions } from './connection-budget.js';
import {
  constantRandom,
  MemoryFileStore,
  memoryLogger,
  ManualTime,
} from '../../../test/support/fakes/manual-ports.js';

const PATH = '/state/connections.json';

function budgetOn(
  time: ManualTime,
  files: MemoryFileStore,
  random: number,
  of: Partial<Pick<ConnectionBudgetOptions, 'clock' | 'boot' | 'logger'>> = {},
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
  it('the budget allows 8 connections in any minute', async () => {
    const time = new ManualTime();
    const budget = budgetOn(time, new MemoryFileStore(), 0.1);
    const made: number[] = [];
    for (let i = 0; i < 30; i += 1) void budget.acquire().then(() => made.push(time.monotonicMs()));
    await time.advance(1_000);
    expect(made).toHaveLength(8);
    await time.advance(300_000);
    expect(made).toHaveLength(30);
    for (const from of made) expect(count(made, from)).toBeLessThanOrEqual(8);
  });

  it('a long wait for a connection is logged with its cause', async () => {
    const time = new ManualTime();
    const logger = memoryLogger();
    const budget = budgetOn(time, new MemoryFileStore(), 0.1, { logger });
    for (let i = 0; i < 8; i += 1) await budget.acquire();
    await time.advance(20_000);
    expect(logger.lines).toEqual([]);
    for (let i = 0; i < 9; i += 1) void budget.acquire();
    await time.advance(120_000);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'market data waits 40 s for its connection: 8 were opened within a minute, which is the limit',
    ]);
  });

  it('the budget counts the connections of previous runs over several restarts', async () => {
    const files = new MemoryFileStore();
    const time = new ManualTime();
    const made: number[] = [];
    for (let restart = 0; restart < 90; restart += 1) {
      const budget = budgetOn(time, files, restart / 90);
      void budget.acquire().then(() => made.push(time.monotonicMs()));
      await time.advance(600);
    }
    expect(made.length).toBeLessThanOrEqual(8);
  });

  it('a wall clock that was set back does not change the count', async () => {
    const files = new MemoryFileStore();
    const late = budgetOn(new ManualTime(2_000_000_000_000), files, 0.1);
    for (let i = 0; i < 8; i += 1) await late.acquire();
    const time = new ManualTime(1_000_000_000_000);
    let made = false;
    void budgetOn(time, files, 0.2)
      .acquire()
      .then(() => (made = true));
    await time.advance(30_000);
    expect(made).toBe(false);
  });

  it.each([
    { stepMs: 3_600_000, id: 'boot', isRetained: true },
    { stepMs: -3_600_000, id: 'boot', isRetained: true },
    { stepMs: 3_600_000, id: 'another', isRetained: false },
  ])(
    'a restart on $id with a clock step of $stepMs ms retains the count: $isRetained',
    async ({ stepMs, id, isRetained }) => {
      const files = new MemoryFileStore();
      const time = new ManualTime();
      const uptimeMs = (): number => 5_000 + time.monotonicMs();
      const first = budgetOn(time, files, 0.1, { boot: { id: 'boot', uptimeMs } });
      for (let i = 0; i < 8; i += 1) await first.acquire();
      const clock = {
        monotonicMs: () => time.monotonicMs(),
        utcMs: () => time.utcMs() + stepMs,
      };
      let made = false;
      const second = budgetOn(time, files, 0.2, { boot: { id, uptimeMs }, clock });
      void second.acquire().then(() => (made = true));
      await time.advance(59_000);
      expect(made).toBe(!isRetained);
      await time.advance(1_000);
      expect(made).toBe(true);
    },
  );

  it.each(['{"torn', '[{"by":"another"}]', '[{"by":"another","utcMs":1,"boot":{"id":"boot"}}]'])(
    'the budget logs an unreadable file and continues with its own connections: %s',
    async (text) => {
      const files = new MemoryFileStore();
      files.contents.set(PATH, new TextEncoder().encode(text));
      const time = new ManualTime();
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
