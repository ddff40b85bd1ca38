import { describe, expect, test } from 'vitest';
import type { HttpResponse, Net } from '../core/ports.js';
import { VirtualTime } from '../../test/harness/virtual-time.js';
import { VenueClock } from './venue-clock.js';
import { openVenueTime } from './venue-time.js';

const START_MS = Date.UTC(2025, 4, 5);

async function open(answer: Partial<HttpResponse>, sandboxOnly: boolean) {
  const time = new VirtualTime(START_MS);
  const net: Net = {
    connect: () => ({ send() {}, ping() {}, close() {} }),
    request: () => Promise.resolve({ status: 200, headers: {}, body: '', ...answer }),
  };
  const venueClock = new VenueClock(time, time);
  const failed = (): void => undefined;
  const parts = { net, baseUrl: 'https://venue.example', venueClock, clock: time };
  const found = await openVenueTime({ ...parts, scheduler: time, failed }, { sandboxOnly });
  return { found, venueClock };
}

const date = (ms: number) => ({ date: new Date(ms).toUTCString() });

describe('the time of a venue', () => {
  test('is what a sandbox tells', async () => {
    const body = JSON.stringify({ instance_id: 'i', now_ms: START_MS + 5, rate: 60 });
    const { found, venueClock } = await open({ body }, false);
    expect(found.instanceId).toBe('i');
    expect([venueClock.now(), venueClock.rate]).toEqual([START_MS + 5, 60]);
  });

  test.each([401, 404])('is its Date header when it answers %d', async (status) => {
    const { found, venueClock } = await open({ status, headers: date(START_MS + 90_000) }, false);
    expect(found.instanceId).toBeUndefined();
    expect(venueClock.now() - START_MS).toBeGreaterThanOrEqual(90_000);
    expect(venueClock.now() - START_MS).toBeLessThanOrEqual(91_000);
    found.seeDate({ serverMs: START_MS, sentAt: 0, receivedAt: 0 });
    expect(venueClock.now() - START_MS).toBeLessThanOrEqual(1_000);
  });

  test('is asked for once more when the first answer was heard late', async () => {
    const time = new VirtualTime(START_MS);
    const takes = [1_000, 1_000, 80];
    let asked = 0;
    const net: Net = {
      connect: () => ({ send() {}, ping() {}, close() {} }),
      request: async () => {
        const told = { instance_id: 'i', now_ms: START_MS + time.monotonicMs() * 60, rate: 60 };
        await new Promise<void>((resolve) => time.after(takes[asked++] ?? 0, resolve));
        return { status: 200, headers: {}, body: JSON.stringify(told) };
      },
    };
    const venueClock = new VenueClock(time, time);
    const parts = { net, baseUrl: 'http://127.0.0.1', venueClock, clock: time, scheduler: time };
    const failed = (): void => undefined;
    const opened = openVenueTime({ ...parts, failed }, { sandboxOnly: true });
    await time.run(2_080);
    await opened;
    expect(asked).toBe(3);
    expect(venueClock.now() - START_MS).toBe(2_000 * 60);
  });

  // Believed: 61 s after the start as it is asked, 181 s as it is heard.
  test.each([
    { what: 'what it was believed to be, where that can be', said: 100, then: 181 },
    { what: 'no earlier than was said', said: 200, then: 200 },
    { what: 'no later than it can be since it was said', said: 10, then: 130 },
  ])('is, after an answer that took two seconds, $what', async ({ said, then }) => {
    const time = new VirtualTime(START_MS);
    let answer = { nowS: 1, takesMs: 0 };
    const net: Net = {
      connect: () => ({ send() {}, ping() {}, close() {} }),
      request: async () => {
        const { nowS, takesMs } = answer;
        const told = { instance_id: 'i', now_ms: START_MS + nowS * 1_000, rate: 60 };
        if (takesMs > 0) await new Promise<void>((resolve) => time.after(takesMs, resolve));
        return { status: 200, headers: {}, body: JSON.stringify(told) };
      },
    };
    const venueClock = new VenueClock(time, time);
    const parts = { net, baseUrl: 'http://127.0.0.1', venueClock, clock: time, scheduler: time };
    const failed = (): void => undefined;
    const found = await openVenueTime({ ...parts, failed }, { sandboxOnly: true });
    await time.run(1_000);
    answer = { nowS: said, takesMs: 2_000 };
    const heard = found.refresh();
    await time.run(2_000);
    await heard;
    expect((venueClock.now() - START_MS) / 1_000).toBe(then);
  });

  test('is not asked of a venue that must be a sandbox and is none', async () => {
    await expect(open({ status: 404 }, true)).rejects.toThrow(/is not a sandbox: .* answers 404/);
  });

  test('is not guessed from a venue that is in trouble', async () => {
    await expect(open({ status: 503 }, false)).rejects.toThrow(/answers 503/);
  });
});
