import { describe, expect, it } from 'vitest';
import {
  accountRejectionsRestriction,
  clockSkewRestriction,
  errorsRestriction,
  failedStartsRestriction,
  isSkewWarned,
  symbolRejectionsRestriction,
  unknownOrdersRestriction,
} from './breakers.js';
import { EventWindow } from './event-window.js';
import { BREAKER_LIMITS } from './limits/breaker-limits.js';

const limits = BREAKER_LIMITS.standard;

describe('breakers', () => {
  it.each([
    { control: 'R23', judge: unknownOrdersRestriction, limit: 3, class: 'self-clearing' },
    { control: 'R24', judge: accountRejectionsRestriction, limit: 10, class: 'self-clearing' },
    { control: 'R25', judge: errorsRestriction, limit: 5, class: 'self-clearing' },
    { control: 'R36', judge: failedStartsRestriction, limit: 5, class: 'latching' },
  ] as const)('$control restricts the account from $limit on', (row) => {
    expect(row.judge(0, limits)).toBeUndefined();
    expect(row.judge(row.limit - 1, limits)).toBeUndefined();
    for (const count of [row.limit, row.limit + 1]) {
      const restriction = row.judge(count, limits);
      expect(restriction).toMatchObject({ control: row.control, class: row.class });
      expect(restriction?.symbol).toBeUndefined();
      expect(restriction?.cause).toContain(`limit ${row.limit}`);
    }
  });

  it.each([
    [4, undefined],
    [5, 'BTCUSDT'],
    [6, 'BTCUSDT'],
  ])('R24 with %s rejections of a symbol restricts %s', (count, symbol) => {
    expect(symbolRejectionsRestriction('BTCUSDT', count, limits)?.symbol).toBe(symbol);
  });

  it.each([
    { skewMs: 0, warned: false, blocked: false },
    { skewMs: 2_000, warned: false, blocked: false },
    { skewMs: -2_001, warned: true, blocked: false },
    { skewMs: 10_000, warned: true, blocked: false },
    { skewMs: 10_001, warned: true, blocked: true },
    { skewMs: -10_001, warned: true, blocked: true },
    { skewMs: Number.NaN, warned: true, blocked: true },
  ])('R37: a skew of $skewMs ms warns: $warned, blocks: $blocked', (row) => {
    expect(isSkewWarned(row.skewMs, limits)).toBe(row.warned);
    expect(clockSkewRestriction(row.skewMs, limits) !== undefined).toBe(row.blocked);
  });
});

describe('a window of events', () => {
  it('sums weights until an event is as old as the window', () => {
    const window = new EventWindow(60_000);
    expect(window.add(0)).toBe(1);
    expect(window.add(59_999, 2)).toBe(3);
    expect(window.add(60_000)).toBe(3);
    expect(window.add(200_000)).toBe(1);
  });
});
