import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateBudget, type RateTier } from './rate-budget.js';
import { ManualTime } from '../../../test/support/fakes/manual-ports.js';

type Tier = 'a' | 'b';
type Priority = 'kill' | 'cancel' | 'verify' | 'protect' | 'place' | 'poll';
const PRIORITIES: readonly Priority[] = ['kill', 'cancel', 'verify', 'protect', 'place', 'poll'];
const RESERVED: readonly Priority[] = ['kill', 'cancel', 'verify'];

const WINDOWS = [
  { lengthMs: 1_000, limit: 10 },
  { lengthMs: 60_000, limit: 50 },
  { lengthMs: 3_600_000, limit: 200 },
];
const TIERS: Readonly<Record<Tier, RateTier>> = {
  a: { windows: WINDOWS },
  b: { windows: [{ lengthMs: 1_000, limit: 4 }] },
};

function budgetOn(time: ManualTime, tiers = TIERS, jitterMs = 250) {
  return new RateBudget<Tier, Priority>({
    tiers,
    priorities: PRIORITIES,
    reserved: RESERVED,
    jitterMs,
    clock: time,
    scheduler: time,
  });
}

/** Maximum number of times within any window of this length. */
const mostWithin = (times: readonly number[], lengthMs: number): number =>
  Math.max(0, ...times.map((from) => times.filter((t) => t >= from && t < from + lengthMs).length));

describe('the rate budget', () => {
  it('no window of any tier is exceeded for any sequence of requests, and every request is granted', async () => {
    const request = fc.record({
      gapMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 })),
      priority: fc.constantFrom(...PRIORITIES),
      tiers: fc.constantFrom<readonly Tier[]>(['a'], ['b'], ['a', 'b']),
      landsLateMs: fc.integer({ min: 0, max: 240 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 120 }), async (requests) => {
        const time = new ManualTime();
        const budget = budgetOn(time);
        const landed: Record<Tier, number[]> = { a: [], b: [] };
        let granted = 0;
        for (const { gapMs, priority, tiers, landsLateMs } of requests) {
          await time.advance(gapMs);
          void budget.acquire(tiers, priority).then(() => {
            granted += 1;
            for (const tier of tiers) landed[tier].push(time.monotonicMs() + landsLateMs);
          });
        }
        await time.advance(4 * 3_600_000);
        expect(granted).toBe(requests.length);
        for (const tier of ['a', 'b'] as const) {
          for (const { lengthMs, limit } of TIERS[tier].windows) {
            expect(mostWithin(landed[tier], lengthMs)).toBeLessThanOrEqual(limit);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('only reserved priorities may use the last 30 %', async () => {
    const time = new ManualTime();
    const budget = budgetOn(time);
    const granted: string[] = [];
    const ask = (priority: Priority): void =>
      void budget.acquire(['a'], priority).then(() => granted.push(priority));
    for (let i = 0; i < 10; i += 1) ask('poll');
    await time.advance(0);
    expect(granted).toHaveLength(6); // 10 × 0.9 × 0.7
    for (const priority of ['verify', 'cancel', 'kill', 'kill'] as const) ask(priority);
    await time.advance(0);
    expect(granted.slice(6)).toEqual(['verify', 'cancel', 'kill']); // 9 = 10 × 0.9
  });

  it('a cancel is granted within one second for any number of waiting polls', async () => {
    const time = new ManualTime();
    const budget = budgetOn(time);
    for (let i = 0; i < 500; i += 1) void budget.acquire(['a'], 'poll');
    await time.advance(0);
    for (let round = 0; round < 10; round += 1) {
      const requestedAt = time.monotonicMs();
      let grantedAt = Infinity;
      void budget.acquire(['a'], 'cancel').then(() => (grantedAt = time.monotonicMs()));
      await time.advance(1_300);
      expect(grantedAt - requestedAt).toBeLessThanOrEqual(1_251);
    }
  });

  it('requests are granted by priority, then first in, first out', async () => {
    const time = new ManualTime();
    const budget = budgetOn(time);
    const served: string[] = [];
    for (let i = 0; i < 6; i += 1) void budget.acquire(['a'], 'poll');
    const priorities = ['poll', 'place', 'protect', 'poll', 'place', 'protect'] as const;
    priorities.forEach((priority, index) => {
      void budget.acquire(['a'], priority).then(() => served.push(`${priority}${index}`));
    });
    await time.advance(3_000);
    expect(served).toEqual(['protect2', 'protect5', 'place1', 'place4', 'poll0', 'poll3']);
  });

  it('a request does not overtake one ahead of it in a tier, even if that waits for another tier', async () => {
    const time = new ManualTime();
    const budget = budgetOn(time);
    const served: string[] = [];
    for (let i = 0; i < 2; i += 1) await budget.acquire(['b'], 'place');
    void budget.acquire(['a', 'b'], 'place').then(() => served.push('both'));
    void budget.acquire(['a'], 'place').then(() => served.push('a alone'));
    await time.advance(0);
    expect(served).toEqual([]);
    await time.advance(2_000);
    expect(served).toEqual(['both', 'a alone']);
  });

  it('lookups are granted beside exits that wait behind two windows of cancels, and delay none', async () => {
    const time = new ManualTime();
    const budget = budgetOn(time, { a: TIERS.a, b: { windows: [{ lengthMs: 1_000, limit: 10 }] } });
    const none: readonly number[] = [];
    const servedAt = { cancel: [...none], exit: [...none], lookup: [...none] };
    const acquire = (
      what: keyof typeof servedAt,
      tiers: readonly Tier[],
      priority: Priority,
    ): void => {
      void budget.acquire(tiers, priority).then(() => servedAt[what].push(time.monotonicMs()));
    };
    for (let i = 0; i < 40; i += 1) acquire('cancel', ['a'], 'cancel');
    for (let i = 0; i < 3; i += 1) acquire('exit', ['a', 'b'], 'verify');
    for (let i = 0; i < 30; i += 1) acquire('lookup', ['b'], 'place');
    await time.advance(0);
    expect([servedAt.cancel.length, servedAt.lookup.length]).toEqual([9, 6]);
    await time.advance(20_000);
    const lastCancel = Math.max(...servedAt.cancel);
    const firstExit = Math.min(...servedAt.exit);
    expect(firstExit - lastCancel).toBeLessThan(1_300);
    const beforeExits = servedAt.lookup.filter((at) => at < firstExit).length;
    expect(beforeExits).toBeGreaterThanOrEqual(12);
    expect(servedAt.lookup).toHaveLength(30);
  });

  it('the budget stops after a 429, continues at half the rate and recovers after a minute', async () => {
    const time = new ManualTime();
    const tiers = { ...TIERS, a: { windows: [{ lengthMs: 1_000, limit: 10 }] } };
    const budget = budgetOn(time, tiers);
    const grantedIn = async (forMs: number, priority: 'kill' | 'place'): Promise<number> => {
      let granted = 0;
      const abort = new AbortController();
      setMaxListeners(20, abort.signal);
      for (let i = 0; i < 20; i += 1) {
        void budget.acquire(['a'], priority, abort.signal).then(() => (granted += 1));
      }
      await time.advance(forMs);
      abort.abort();
      return granted;
    };
    budget.penalise(['a'], 5_000);
    expect(await grantedIn(4_999, 'place')).toBe(0);
    expect(await grantedIn(1, 'place'), '70 % of half of 9').toBe(2);
    await time.advance(60_000);
    expect(await grantedIn(0, 'place')).toBe(6);
    await time.advance(60_000);
    budget.penalise(['a'], 5_000, 200);
    expect(await grantedIn(199, 'kill')).toBe(0);
    expect(await grantedIn(1, 'kill'), 'what takes risk back goes on at the whole rate').toBe(9);
    expect(await grantedIn(1_500, 'place')).toBe(0);
  });

  it('orders are granted beside the polls of an account after any number of 429s', async () => {
    const time = new ManualTime();
    const windows = [
      { lengthMs: 1_000, limit: 10 },
      { lengthMs: 60_000, limit: 500 },
    ];
    const budget = budgetOn(time, { ...TIERS, a: { windows } });
    for (let i = 0; i < 50; i += 1) void budget.acquire(['a'], 'verify');
    await time.advance(10_000);
    for (const waitMs of [1_000, 2_000, 4_000]) {
      budget.penalise(['a'], waitMs, 100);
      await time.advance(waitMs);
    }
    // A poll that has waited for a second has the rank of a verification.
    for (let second = 0; second < 60; second += 1) {
      await budget.acquire(['a'], 'verify');
      let placed = false;
      if (second % 4 === 0) void budget.acquire(['a'], 'place').then(() => (placed = true));
      await time.advance(1_000);
      expect(placed, `in second ${second}`).toBe(second % 4 === 0);
    }
  });

  it('urgent requests use the full limit, with 0.1 s of jitter', async () => {
    const time = new ManualTime();
    const budget = new RateBudget<Tier, Priority>({
      tiers: { ...TIERS, a: { windows: [{ lengthMs: 1_000, limit: 10 }] } },
      priorities: PRIORITIES,
      reserved: RESERVED,
      urgent: ['kill', 'cancel'],
      clock: time,
      scheduler: time,
    });
    const sent: number[] = [];
    for (let i = 0; i < 40; i += 1)
      void budget.acquire(['a'], 'cancel').then(() => sent.push(time.monotonicMs()));
    await time.advance(3_399);
    expect(sent).toHaveLength(40);
    expect(mostWithin(sent, 1_100)).toBe(10);
    let verified = false;
    void budget.acquire(['a'], 'verify').then(() => (verified = true));
    await time.advance(1_100);
    expect(verified, 'what is not keeps the whole distance').toBe(false);
  });

  it('an aborted request leaves the queue, and the next one is granted', async () => {
    const time = new ManualTime();
    const budget = budgetOn(time);
    for (let i = 0; i < 2; i += 1) await budget.acquire(['b'], 'place');
    const abort = new AbortController();
    const served: string[] = [];
    void budget.acquire(['a', 'b'], 'place', abort.signal).then(() => served.push('aborted'));
    void budget.acquire(['a'], 'poll').then(() => served.push('behind'));
    abort.abort();
    await time.advance(10_000);
    expect(served).toEqual(['behind']);
    expect(time.pendingTimers).toBe(0);
  });

  it('the usage of the windows survives a restart', async () => {
    const before = new ManualTime();
    const first = budgetOn(before);
    for (let i = 0; i < 200; i += 1) void first.acquire(['a'], 'kill');
    await before.advance(20_000);
    const usage = JSON.parse(JSON.stringify(first.export())) as ReturnType<typeof first.export>;

    const after = new ManualTime();
    const second = budgetOn(after);
    second.restore(usage, 3_000);
    let grantedAt = Infinity;
    void second.acquire(['a'], 'kill').then(() => (grantedAt = after.monotonicMs()));
    await after.advance(36_000);
    expect(grantedAt).toBe(Infinity); // 45 were used 23 s to 17 s before, so the minute is full
    await after.advance(10_000);
    expect(grantedAt).toBeLessThan(46_000);
  });

  it('a closed budget grants no request', async () => {
    const time = new ManualTime();
    const budget = budgetOn(time);
    budget.close();
    let granted = false;
    void budget.acquire(['a'], 'kill').then(() => (granted = true));
    await time.advance(60_000);
    expect(granted).toBe(false);
  });

  describe('tryAcquire', () => {
    it('tryAcquire grants and counts a request that may be sent now', () => {
      const time = new ManualTime();
      const budget = budgetOn(time);
      const given = Array.from({ length: 12 }, () => budget.tryAcquire(['a'], 'place'));
      expect(given.filter(Boolean)).toHaveLength(6);
      expect(given.lastIndexOf(true)).toBe(5);
      const verifying = Array.from({ length: 5 }, () => budget.tryAcquire(['a'], 'verify'));
      expect(verifying.filter(Boolean)).toHaveLength(3);
    });

    it('tryAcquire does not overtake a waiting request of its own or a higher priority', async () => {
      const time = new ManualTime();
      const budget = budgetOn(time);
      while (budget.tryAcquire(['a'], 'place'));
      let granted = false;
      void budget.acquire(['a'], 'place').then(() => (granted = true));
      await time.advance(1_240);
      expect([granted, budget.tryAcquire(['a'], 'place')]).toEqual([false, false]);
      expect(budget.tryAcquire(['a'], 'verify'), 'whose reserve it is').toBe(true);
      expect(budget.tryAcquire(['b'], 'place'), 'another tier').toBe(true);
    });

    it('tryAcquire of a closed budget grants no permit', () => {
      const budget = budgetOn(new ManualTime());
      budget.close();
      expect(budget.tryAcquire(['a'], 'kill')).toBe(false);
    });
  });
});
