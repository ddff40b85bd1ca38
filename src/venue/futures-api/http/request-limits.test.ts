import { describe, expect, it } from 'vitest';
import {
  constantRandom,
  MemoryFileStore,
  memoryLogger,
  ManualTime,
} from '../../../../test/support/fakes/manual-ports.js';
import { DEFAULT_API_LIMITS } from './api-limits.js';
import { RequestLimits, type RequestLimitsOptions } from './request-limits.js';

const PATH = '/state/rate-usage.json';
const MINUTE_LIMIT = 450; // 500 × 0.9

type Past = Pick<RequestLimitsOptions, 'processAgeMs' | 'boot' | 'clock' | 'earlierUsage'>;

function start(time: ManualTime, files: MemoryFileStore, of: Partial<Past> = {}) {
  const logger = memoryLogger();
  const limits = new RequestLimits({
    tiers: DEFAULT_API_LIMITS.tiers,
    clock: time,
    scheduler: time,
    random: constantRandom(0.5),
    logger,
    file: { files, path: PATH },
    ...of,
  });
  return { limits, logger };
}

/** Requests many permits and counts the granted ones. */
function requestPermits(limits: RequestLimits, count: number) {
  const state = { granted: 0 };
  for (let i = 0; i < count; i += 1) {
    void limits.acquire(['default'], 'verify').then(() => (state.granted += 1));
  }
  return state;
}

describe('the request limits', () => {
  it('the minute window survives a clean restart', async () => {
    const files = new MemoryFileStore();
    const time = new ManualTime();
    const first = start(time, files).limits;
    const before = requestPermits(first, 1_000);
    await time.advance(30_000);
    await first.close();
    const after = requestPermits(start(time, files).limits, 1_000);
    await time.advance(29_000);
    expect(before.granted).toBeGreaterThan(200);
    expect(before.granted + after.granted).toBeLessThanOrEqual(MINUTE_LIMIT);
  });

  it('requests of an earlier client of the process count beside those of the file', async () => {
    const files = new MemoryFileStore();
    const time = new ManualTime();
    const past = start(time, files).limits;
    const before = requestPermits(past, 1_000);
    await time.advance(20_000);
    await past.close();
    const other = start(time, new MemoryFileStore()).limits;
    const meanwhile = requestPermits(other, 3);
    await time.advance(1);
    const session = start(time, files, { earlierUsage: other.usage }).limits;
    const after = requestPermits(session, 1_000);
    await time.advance(39_000);
    expect(meanwhile.granted).toBe(3);
    const granted = before.granted + meanwhile.granted + after.granted;
    expect(granted).toBeLessThanOrEqual(MINUTE_LIMIT);
    expect(granted).toBeGreaterThan(MINUTE_LIMIT - 30);
  });

  it('a burst right after an earlier client stays within the limit of a second', async () => {
    const time = new ManualTime();
    const other = start(time, new MemoryFileStore()).limits;
    requestPermits(other, 5);
    await time.advance(1);
    const { usage } = other;
    const session = start(time, new MemoryFileStore(), { earlierUsage: usage }).limits;
    const after = requestPermits(session, 100);
    await time.advance(100);
    expect(after.granted).toBe(4);
  });

  it('the minute window survives a crash loop, although crashes lose the last count', async () => {
    const files = new MemoryFileStore();
    const time = new ManualTime();
    let granted = 0;
    for (let crash = 0; crash < 29; crash += 1) {
      const run = requestPermits(start(time, files).limits, 100);
      await time.advance(2_000);
      granted += run.granted;
    }
    expect(granted).toBeGreaterThan(0);
    expect(granted).toBeLessThanOrEqual(MINUTE_LIMIT);
  });

  it.each([
    { stepMs: 3_600_000, id: 'boot', keeps: true },
    { stepMs: -3_600_000, id: 'boot', keeps: true },
    { stepMs: 3_600_000, id: 'another', keeps: false },
  ])(
    'a clean restart on boot id $id with the clock stepped by $stepMs ms keeps the usage: $keeps',
    async ({ stepMs, id, keeps }) => {
      const files = new MemoryFileStore();
      const time = new ManualTime();
      const uptimeMs = (): number => 5_000 + time.monotonicMs();
      const first = start(time, files, { boot: { id: 'boot', uptimeMs } }).limits;
      const before = requestPermits(first, 1_000);
      await time.advance(100);
      await first.close();
      const clock = {
        monotonicMs: () => time.monotonicMs(),
        utcMs: () => time.utcMs() + stepMs,
      };
      const after = requestPermits(
        start(time, files, { boot: { id, uptimeMs }, clock }).limits,
        1_000,
      );
      await time.advance(900);
      expect(before.granted).toBe(9);
      expect(after.granted).toBe(keeps ? 0 : 9);
      await time.advance(500);
      expect(after.granted).toBeGreaterThan(0);
    },
  );

  it('the second window survives a crash, counted from the latest possible end of the crashed process', async () => {
    const granted = async (processAgeMs: number): Promise<number> => {
      const files = new MemoryFileStore();
      const time = new ManualTime();
      requestPermits(start(time, files).limits, 1);
      await time.advance(10_000);
      const run = requestPermits(start(time, files, { processAgeMs }).limits, 20);
      await time.advance(1_000);
      return run.granted;
    };
    expect(await granted(0), 'it may have sent just before its end').toBe(0);
    expect(await granted(1_500)).toBeGreaterThan(0);
  });

  it.each(['{', '[]', '{"utcMs":1,"closed":true,"usage":{"default":[[["x",1]]]}}'])(
    'the unreadable file %s is logged, and the limits start',
    async (text) => {
      const files = new MemoryFileStore();
      files.contents.set(PATH, new TextEncoder().encode(text));
      const time = new ManualTime();
      const { limits, logger } = start(time, files);
      await limits.acquire(['default'], 'poll');
      expect(logger.lines[0]?.level).toBe('warn');
    },
  );

  it('the pause grows with each 429 in a row, until another answer resets it', async () => {
    const time = new ManualTime();
    const { limits, logger } = start(time, new MemoryFileStore());
    const refuse = async (): Promise<void> => {
      limits.onResponse(['default'], 429, undefined);
      await time.advance(60_000);
    };
    for (let i = 0; i < 4; i += 1) await refuse();
    limits.onResponse(['market'], 200, undefined);
    await refuse();
    limits.onResponse(['default'], 200, undefined);
    await refuse();
    const waits = logger.lines.map(({ fields }) => fields['waitMs']);
    expect(waits).toEqual([1_500, 2_500, 4_500, 8_500, 16_500, 1_500]);
  });

  it('the 429 answers of concurrent requests count once', async () => {
    const time = new ManualTime();
    const { limits, logger } = start(time, new MemoryFileStore());
    for (let i = 0; i < 5; i += 1) limits.onResponse(['core', 'default'], 429, undefined);
    expect(logger.lines).toHaveLength(1);
    limits.onResponse(['market'], 429, '7');
    expect(logger.lines.map(({ fields }) => fields['waitMs'])).toEqual([1_500, 7_000]);
  });

  it('cancels resume after a short pause, which doubles with each further 429', async () => {
    const time = new ManualTime();
    const { limits } = start(time, new MemoryFileStore());
    const waits: number[] = [];
    for (let refusal = 0; refusal < 4; refusal += 1) {
      limits.onResponse(['default'], 429, undefined);
      const refusedAt = time.monotonicMs();
      let granted = false;
      void limits.acquire(['default'], 'cancel').then(() => (granted = true));
      while (!granted) await time.advance(50);
      waits.push(time.monotonicMs() - refusedAt);
    }
    expect(waits).toEqual([100, 200, 400, 800]);
  });

  it('a bot that was killed ten times in a minute keeps most of that minute', async () => {
    const files = new MemoryFileStore();
    const time = new ManualTime();
    for (let crash = 0; crash < 10; crash += 1) {
      requestPermits(start(time, files).limits, 10);
      await time.advance(3_000);
    }
    const after = requestPermits(start(time, files).limits, 10);
    await time.advance(3_000);
    expect(after.granted).toBe(10);
  });
});
