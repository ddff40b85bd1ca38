import { expect, test } from 'vitest';
import { VirtualTime } from '../../../test/support/fakes/virtual-time.js';
import { DateHeaderSync } from './date-header-sync.js';
import { VenueClock } from './venue-clock.js';

/** A venue whose clock is `aheadMs` before this machine's, `delayMs` away each way. */
async function syncedClock(aheadMs: number, delayMs: number, answers: number) {
  const time = new VirtualTime();
  const venueClock = new VenueClock(time, time);
  const dates = new DateHeaderSync(venueClock, time);
  const seen: number[] = [];
  for (let n = 0; n < answers; n += 1) {
    const sentAt = time.monotonicMs();
    await time.run(delayMs);
    const serverMs = Math.floor((time.utcMs() + aheadMs) / 1_000) * 1_000;
    await time.run(delayMs);
    dates.onDate({ serverMs, sentAt, receivedAt: time.monotonicMs() });
    seen.push(venueClock.now() - time.utcMs());
    await time.run(730);
  }
  return { seen, venueClock, time };
}

test.each([-90_000, -400, 0, 2_500, 86_400_000])(
  'venue time comes within the header’s bounds, %d ms ahead',
  async (aheadMs) => {
    const { seen } = await syncedClock(aheadMs, 40, 30);
    expect(Math.abs((seen.at(-1) ?? NaN) - aheadMs)).toBeLessThan(200);
  },
);

test('a correct clock is not moved', async () => {
  const { seen } = await syncedClock(0, 40, 30);
  expect(new Set(seen)).toEqual(new Set([0]));
});

test('a clock that was set is followed', async () => {
  const { venueClock, time } = await syncedClock(0, 40, 5);
  const dates = new DateHeaderSync(venueClock, time);
  const at = time.monotonicMs();
  dates.onDate({ serverMs: time.utcMs() + 3_600_000, sentAt: at, receivedAt: at });
  dates.onDate({ serverMs: time.utcMs() - 3_600_000, sentAt: at, receivedAt: at });
  expect(Math.abs(venueClock.now() - time.utcMs() + 3_600_000)).toBeLessThanOrEqual(1_000);
});
