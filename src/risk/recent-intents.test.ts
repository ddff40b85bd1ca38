import { fixed } from '../core/fixed/fixed.js';
import { describe, expect, it } from 'vitest';
import { intentOf, VENUE_TIME } from '../../test/support/builders/risk-case.js';
import { RecentIntents } from './recent-intents.js';

describe('recent intents', () => {
  it('decisions differ by cause, ordinal and leg', () => {
    const recent = new RecentIntents();
    const base = intentOf();
    const causes = [
      base.cause,
      { kind: 'candle', symbol: 'BTCUSDT', interval: '5m', openTime: VENUE_TIME - 60_000 },
      { kind: 'candle', symbol: 'ETHUSDT', interval: '1m', openTime: VENUE_TIME - 60_000 },
      { kind: 'candle', symbol: 'BTCUSDT', interval: '1m', openTime: VENUE_TIME - 59_500 },
      { kind: 'fill', orderId: 'a', fillId: 'b' },
      { kind: 'timer', venueTime: VENUE_TIME, key: 'k' },
      { kind: 'operator', commandId: 'c' },
    ] as const;
    for (const cause of causes) {
      for (const ordinal of [0, 1, 63, 64, 65]) {
        for (const leg of [0, 1, 7, 8]) {
          const intent = { ...base, cause, ordinal, leg };
          expect(recent.hasDecision(intent)).toBe(false);
          recent.remember(intent, VENUE_TIME);
          expect(recent.hasDecision({ ...intent })).toBe(true);
        }
      }
    }
  });

  it('recent intents are copies', () => {
    const recent = new RecentIntents();
    const terms = { ...intentOf().terms };
    const intent = { ...intentOf({ openTime: VENUE_TIME - 120_000 }), terms };
    recent.remember(intent, VENUE_TIME);
    terms.side = 'sell';
    const within = { now: VENUE_TIME + 1, windowMs: 5_000, step: fixed<'quantity'>(100_000) };
    expect(recent.msSinceSame(intentOf(), within)).toBe(1);
  });

  it('recent intents are separate by symbol, currency and strategy', () => {
    const recent = new RecentIntents();
    recent.remember(intentOf(), VENUE_TIME);
    for (const other of [
      { symbol: 'ETHUSDT' },
      { currency: 'INR' as const },
      { strategyId: 'other' },
      { openTime: VENUE_TIME },
    ]) {
      expect(recent.hasDecision(intentOf(other))).toBe(false);
    }
    expect(recent.hasDecision(intentOf())).toBe(true);
  });

  it('the newest equal intent counts, and older ones leave the window', () => {
    const recent = new RecentIntents();
    const of = (minute: number, quantity = '0.001') =>
      intentOf({ openTime: VENUE_TIME - minute * 60_000, quantity });
    recent.remember(of(9), 0);
    recent.remember(of(8), 1_000);
    recent.remember(of(7, '0.5'), 2_000);
    const within = (now: number, windowMs = 5_000) => ({
      now,
      windowMs,
      step: fixed<'quantity'>(100_000),
    });
    expect(recent.msSinceSame(of(1), within(3_000))).toBe(2_000);
    expect(recent.msSinceSame(of(8), within(3_000)), 'not its own').toBe(3_000);
    expect(recent.msSinceSame(of(1, '0.5'), within(7_000))).toBe(5_000);
    expect(recent.msSinceSame(of(1), within(7_000))).toBeUndefined();
    expect(recent.msSinceSame(of(1), within(7_000, 60_000)), 'gone for good').toBeUndefined();
  });

  it('three duplicates within any minute count, and no more than the newest three', () => {
    const recent = new RecentIntents();
    const times = [0, 10, 20, 30, 60_021, 60_022, 120_020];
    expect(times.map((at) => recent.countDuplicate('cross', at))).toEqual([
      false,
      false,
      true,
      true,
      false,
      true,
      true,
    ]);
    expect(recent.countDuplicate('cross', 300_000)).toBe(false);
  });

  it('the third duplicate within a minute stops the strategy', () => {
    const recent = new RecentIntents();
    expect(recent.countDuplicate('cross', 0)).toBe(false);
    expect(recent.countDuplicate('cross', 30_000)).toBe(false);
    expect(recent.countDuplicate('other', 30_000)).toBe(false);
    expect(recent.countDuplicate('cross', 60_000)).toBe(false);
    expect(recent.countDuplicate('cross', 89_999)).toBe(true);
  });
});
