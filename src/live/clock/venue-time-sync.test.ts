import { describe, expect, test } from 'vitest';
import type { HttpResponse, Net } from '../../core/ports.js';
import { VirtualTime } from '../../../test/support/fakes/virtual-time.js';
import { VenueClock } from './venue-clock.js';
import { openVenueTimeSync } from './venue-time-sync.js';

const START_MS = Date.UTC(2025, 4, 5);

async function open(answer: Partial<HttpResponse>, sandboxOnly: boolean) {
  const time = new VirtualTime(START_MS);
  const net: Net = {
    connect: () => ({ send() {}, ping() {}, close() {} }),
    request: () => Promise.resolve({ status: 200, headers: {}, body: '', ...answer }),
  };
  const venueClock = new VenueClock(time, time);
  const onFailed = (): void => undefined;
  const parts = { net, baseUrl: 'https://venue.example', venueClock, clock: time };
  const found = await openVenueTimeSync(
    { ...parts, scheduler: time, onFailed },
    sandboxOnly ? 'sandbox' : 'either',
  );
  return { found, venueClock };
}

const date = (ms: number) => ({ date: new Date(ms).toUTCString() });

describe('the venue time', () => {
  test('venue time is the sandbox’s own', async () => {
    const body = JSON.stringify({ instance_id: 'i', now_ms: START_MS + 5, rate: 60 });
    const { found, venueClock } = await open({ body }, false);
    expect(found.instanceId).toBe('i');
    expect([venueClock.now(), venueClock.rate]).toEqual([START_MS + 5, 60]);
  });

  test.each([401, 404])('venue time is the Date header of an answer %d', async (status) => {
    const { found, venueClock } = await open({ status, headers: date(START_MS + 90_000) }, false);
    expect(found.instanceId).toBeUndefined();
    expect(venueClock.now() - START_MS).toBeGreaterThanOrEqual(90_000);
    expect(venueClock.now() - START_MS).toBeLessThanOrEqual(91_000);
    found.onServerDate({ serverMs: START_MS, sentAt: 0, receivedAt: 0 });
    expect(venueClock.now() - START_MS).toBeLessThanOrEqual(1_000);
  });

  test('a late first answer is requested once more', async () => {
    const time = new VirtualTime(START_MS);
    const takes = [1_000, 1_000, 80];
    let requests = 0;
    const net: Net = {
      connect: () => ({ send() {}, ping() {}, close() {} }),
      request: async () => {
        const response = { instance_id: 'i', now_ms: START_MS + time.monotonicMs() * 60, rate: 60 };
        await new Promise<void>((resolve) => time.after(takes[requests++] ?? 0, resolve));
        return { status: 200, headers: {}, body: JSON.stringify(response) };
      },
    };
    const venueClock = new VenueClock(time, time);
    const parts = { net, baseUrl: 'http://127.0.0.1', venueClock, clock: time, scheduler: time };
    const onFailed = (): void => undefined;
    const opened = openVenueTimeSync({ ...parts, onFailed }, 'sandbox');
    await time.run(2_080);
    await opened;
    expect(requests).toBe(3);
    expect(venueClock.now() - START_MS).toBe(2_000 * 60);
  });

  // Venue time by our clock: 61 s after the start at the request, 181 s at the answer.
  test.each([
    { what: 'the previous time, where that is possible', answered: 100, then: 181 },
    { what: 'no earlier than the answer', answered: 200, then: 200 },
    { what: 'no later than possible since the answer', answered: 10, then: 130 },
  ])('after an answer that took two seconds, venue time is $what', async ({ answered, then }) => {
    const time = new VirtualTime(START_MS);
    let answer = { nowS: 1, takesMs: 0 };
    const net: Net = {
      connect: () => ({ send() {}, ping() {}, close() {} }),
      request: async () => {
        const { nowS, takesMs } = answer;
        const identity = { instance_id: 'i', now_ms: START_MS + nowS * 1_000, rate: 60 };
        if (takesMs > 0) await new Promise<void>((resolve) => time.after(takesMs, resolve));
        return { status: 200, headers: {}, body: JSON.stringify(identity) };
      },
    };
    const venueClock = new VenueClock(time, time);
    const parts = { net, baseUrl: 'http://127.0.0.1', venueClock, clock: time, scheduler: time };
    const onFailed = (): void => undefined;
    const found = await openVenueTimeSync({ ...parts, onFailed }, 'sandbox');
    await time.run(1_000);
    answer = { nowS: answered, takesMs: 2_000 };
    const refreshed = found.refresh();
    await time.run(2_000);
    await refreshed;
    expect((venueClock.now() - START_MS) / 1_000).toBe(then);
  });

  test('a venue that must be a sandbox and is none ends the start', async () => {
    await expect(open({ status: 404 }, true)).rejects.toThrow(/is not a sandbox: .* answers 404/);
  });

  test('a failing venue gives no venue time', async () => {
    await expect(open({ status: 503 }, false)).rejects.toThrow(/answers 503/);
  });
});
