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

  test('is not asked of a venue that must be a sandbox and is none', async () => {
    await expect(open({ status: 404 }, true)).rejects.toThrow(/is not a sandbox: .* answers 404/);
  });

  test('is not guessed from a venue that is in trouble', async () => {
    await expect(open({ status: 503 }, false)).rejects.toThrow(/answers 503/);
  });
});
