import { describe, expect, it } from 'vitest';
import { anIntent, VENUE_TIME } from '../../test/harness/risk-case.js';
import { RecentIntents } from './recent-intents.js';

describe('recent intents', () => {
  it('tell decisions apart by cause, ordinal and leg', () => {
    const recent = new RecentIntents();
    const base = anIntent();
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

  it('keep their own copy of what they were shown', () => {
    const recent = new RecentIntents();
    const terms = { ...anIntent().terms };
    const intent = { ...anIntent({ openTime: VENUE_TIME - 120_000 }), terms };
    recent.remember(intent, VENUE_TIME);
    terms.side = 'sell';
    const within = { now: VENUE_TIME + 1, windowMs: 5_000, step: 100_000 };
    expect(recent.sinceSame(anIntent(), within)).toBe(1);
  });

  it('stop a strategy at its third duplicate within a minute', () => {
    const recent = new RecentIntents();
    expect(recent.countDuplicate('cross', 0)).toBe(false);
    expect(recent.countDuplicate('cross', 30_000)).toBe(false);
    expect(recent.countDuplicate('other', 30_000)).toBe(false);
    expect(recent.countDuplicate('cross', 60_000)).toBe(false);
    expect(recent.countDuplicate('cross', 89_999)).toBe(true);
  });
});
