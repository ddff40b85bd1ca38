import { describe, expect, it } from 'vitest';
import {
  constantRandom,
  MemoryFiles,
  memoryLogger,
  VirtualTime,
} from '../../../test/harness/virtual-ports.js';
import { DEFAULT_LIMITS } from './limits.js';
import { RequestLimits, type RequestLimitsOptions } from './request-limits.js';

const PATH = '/state/rate-usage.json';
const MINUTE_LIMIT = 450; // 500 × 0.9

type Past = Pick<RequestLimitsOptions, 'processAgeMs' | 'boot' | 'clock'>;

function start(time: VirtualTime, files: MemoryFiles, of: Partial<Past> = {}) {
  const logger = memoryLogger();
  const limits = new RequestLimits({
    tiers: DEFAULT_LIMITS.tiers,
    clock: time,
    scheduler: time,
    random: constantRandom(0.5),
    logger,
    file: { files, path: PATH },
    ...of,
  });
  return { limits, logger };
}

/** Asks for many, and counts what is granted. */
function ask(limits: RequestLimits, count: number) {
  const state = { granted: 0 };
  for (let i = 0; i < count; i += 1) {
    void limits.acquire(['default'], 'verify').then(() => (state.granted += 1));
  }
  return state;
}

describe('the request limits', () => {
  it('keep the minute over a clean restart', async () => {
    const files = new MemoryFiles();
    const time = new VirtualTime();
    const first = start(time, files).limits;
    const before = ask(first, 1_000);
    await time.advance(30_000);
    await first.close();
    const after = ask(start(time, files).limits, 1_000);
    await time.advance(29_000);
    expect(before.granted).toBeGreaterThan(200);
    expect(before.granted + after.granted).toBeLessThanOrEqual(MINUTE_LIMIT);
  });

  it('keep the minute in a crash loop, although crashes lose the last count', async () => {
    const files = new MemoryFiles();
    const time = new VirtualTime();
    let granted = 0;
    for (let crash = 0; crash < 29; crash += 1) {
      const run = ask(start(time, files).limits, 100);
      await time.advance(2_000);
      granted += run.granted;
    }
    expect(granted).toBeGreaterThan(0);
    expect(granted).toBeLessThanOrEqual(MINUTE_LIMIT);
  });

  it.each([
    { stepMs: 3_600_000, id: 'boot', kept: true },
    { stepMs: -3_600_000, id: 'boot', kept: true },
    { stepMs: 3_600_000, id: 'another', kept: false },
  ])(
    'over a clean restart on $id, with the clock stepped by $stepMs ms: kept $kept',
    async ({ stepMs, id, kept }) => {
      const files = new MemoryFiles();
      const time = new VirtualTime();
      const sinceMs = (): number => 5_000 + time.monotonicMs();
      const first = start(time, files, { boot: { id: 'boot', sinceMs } }).limits;
      const before = ask(first, 1_000);
      await time.advance(100);
      await first.close();
      const clock = {
        monotonicMs: () => time.monotonicMs(),
        utcMs: () => time.utcMs() + stepMs,
      };
      const after = ask(start(time, files, { boot: { id, sinceMs }, clock }).limits, 1_000);
      await time.advance(900);
      expect(before.granted).toBe(9);
      expect(after.granted).toBe(kept ? 0 : 9);
      await time.advance(500);
      expect(after.granted).toBeGreaterThan(0);
    },
  );

  it('keep the second after a crash, from when the crashed process had surely ended', async () => {
    const granted = async (processAgeMs: number): Promise<number> => {
      const files = new MemoryFiles();
      const time = new VirtualTime();
      ask(start(time, files).limits, 1);
      await time.advance(10_000);
      const run = ask(start(time, files, { processAgeMs }).limits, 20);
      await time.advance(1_000);
      return run.granted;
    };
    expect(await granted(0), 'it may have sent at the last moment').toBe(0);
    expect(await granted(1_500)).toBeGreaterThan(0);
  });

  it.each(['{', '[]', '{"utcMs":1,"closed":true,"usage":{"default":[[["x",1]]]}}'])(
    'say that the file %s does not read, and start',
    async (text) => {
      const files = new MemoryFiles();
      files.contents.set(PATH, new TextEncoder().encode(text));
      const time = new VirtualTime();
      const { limits, logger } = start(time, files);
      await limits.acquire(['default'], 'poll');
      expect(logger.lines[0]?.level).toBe('warn');
    },
  );

  it('wait longer with each refusal in a row, until an answer is none', async () => {
    const time = new VirtualTime();
    const { limits, logger } = start(time, new MemoryFiles());
    const refuse = async (): Promise<void> => {
      limits.answered(['default'], 429, undefined);
      await time.advance(60_000);
    };
    for (let i = 0; i < 4; i += 1) await refuse();
    limits.answered(['market'], 200, undefined);
    await refuse();
    limits.answered(['default'], 200, undefined);
    await refuse();
    const waits = logger.lines.map(({ fields }) => fields['waitMs']);
    expect(waits).toEqual([1_500, 2_500, 4_500, 8_500, 16_500, 1_500]);
  });

  it('take refusals of requests that were under way together for one', async () => {
    const time = new VirtualTime();
    const { limits, logger } = start(time, new MemoryFiles());
    for (let i = 0; i < 5; i += 1) limits.answered(['core', 'default'], 429, undefined);
    expect(logger.lines).toHaveLength(1);
    limits.answered(['market'], 429, '7');
    expect(logger.lines.map(({ fields }) => fields['waitMs'])).toEqual([1_500, 7_000]);
  });

  it('let cancels go on after a moment, and double it while the venue goes on refusing', async () => {
    const time = new VirtualTime();
    const { limits } = start(time, new MemoryFiles());
    const waits: number[] = [];
    for (let refusal = 0; refusal < 4; refusal += 1) {
      limits.answered(['default'], 429, undefined);
      const refusedAt = time.monotonicMs();
      let granted = false;
      void limits.acquire(['default'], 'cancel').then(() => (granted = true));
      while (!granted) await time.advance(50);
      waits.push(time.monotonicMs() - refusedAt);
    }
    expect(waits).toEqual([100, 200, 400, 800]);
  });

  it('leave most of the minute to a bot that was killed ten times in it', async () => {
    const files = new MemoryFiles();
    const time = new VirtualTime();
    for (let crash = 0; crash < 10; crash += 1) {
      ask(start(time, files).limits, 10);
      await time.advance(3_000);
    }
    const after = ask(start(time, files).limits, 10);
    await time.advance(3_000);
    expect(after.granted).toBe(10);
  });
});
