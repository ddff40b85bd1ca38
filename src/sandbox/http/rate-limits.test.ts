import { describe, expect, test } from 'vitest';
import { createRateLimits, tierOf } from './rate-limits.js';

describe('the tier of a request', () => {
  test.each([
    ['POST', '/fapi/v1/futures/abc/order', 'core'],
    ['DELETE', '/fapi/v1/futures/orders/abc', 'core'],
    ['GET', '/fapi/v1/futures/BTCUSDT/leverage', 'core'],
    ['POST', '/fapi/v1/futures/positions/abc/close/partial', 'core'],
    ['PATCH', '/fapi/v1/futures/positions/abc/riskorder', 'core'],
    ['POST', '/fapi/v1/futures/positions/abc/add-margin', 'core'],
    ['POST', '/fapi/v1/futures/positions/abc/riskorder', 'core'],
    ['POST', '/fapi/v1/futures/positions/abc/reverse', 'core'],
    ['POST', '/fapi/v1/futures/positions/abc/close', 'core'],
    ['POST', '/fapi/v1/futures/BTCUSDT/leverage', 'core'],
    ['POST', '/fapi/v1/wallet/funds', 'wallet'],
    ['POST', '/fapi/v1/wallet/futures/transfer', 'wallet'],
    ['POST', '/fapi/v1/futures/transfers/inr', 'wallet'],
    ['GET', '/fapi/v1/wallet/funds', 'default'],
    ['POST', '/fapi/v2/futures/order', 'default'],
    ['DELETE', '/fapi/v1/futures/orders', 'default'],
    ['PATCH', '/fapi/v1/futures/orders/abc', 'default'],
    ['GET', '/fapi/v1/futures/orders/detail', 'default'],
    ['GET', '/fapi/v1/futures/positions/abc/liq-price', 'default'],
  ])('%s %s is in tier %s', (method, path, tier) => {
    expect(tierOf(method, path)).toBe(tier);
  });
});

describe('rate limits', () => {
  test.each([
    ['default', 1_000, 10],
    ['core', 1_000, 10],
    ['wallet', 1_000, 2],
    ['market-data', 60_000, 300],
    ['connections', 60_000, 10],
  ] as const)('let %s through in a sliding window of %i ms %i times', (tier, windowMs, limit) => {
    let nowMs = 0;
    const limits = createRateLimits(() => nowMs);
    for (let count = 0; count < limit; count += 1) expect(limits.tryAcquire(tier, 'a')).toBe(true);
    expect(limits.tryAcquire(tier, 'a')).toBe(false);
    expect(limits.tryAcquire(tier, 'b')).toBe(true);
    nowMs = windowMs - 1;
    expect(limits.tryAcquire(tier, 'a')).toBe(false);
    nowMs = windowMs;
    expect(limits.tryAcquire(tier, 'a')).toBe(true);
  });

  test('the minute limit holds when the second has headroom, and no request is lost', () => {
    let nowMs = 0;
    const limits = createRateLimits(() => nowMs);
    let taken = 0;
    for (nowMs = 0; nowMs < 3_600_000; nowMs += 100)
      taken += limits.tryAcquire('default', 'a') ? 1 : 0;
    expect(taken).toBe(500 * 60);
  });

  test('refused requests do not count', () => {
    let nowMs = 0;
    const limits = createRateLimits(() => nowMs);
    for (let count = 0; count < 100; count += 1) limits.tryAcquire('default', 'a');
    nowMs = 1_000;
    const taken = Array.from({ length: 20 }, () => limits.tryAcquire('default', 'a'));
    expect(taken.filter(Boolean)).toHaveLength(10);
  });
});
