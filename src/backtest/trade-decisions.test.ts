import { expect, test } from 'vitest';
import { fixedFromText } from '../core/fixed/fixed.js';
import type { OrderIntent } from '../core/intent.js';
import type { RoundTrip } from '../report/round-trips.js';
import type { RunFill } from './effects/run-fills.js';
import { tradeDecisionsOf } from './trade-decisions.js';

const fillOf = (orderId: string, side: 'buy' | 'sell', time: number, closes: boolean): RunFill =>
  ({
    order: { orderId, symbol: 'BTCUSDT' },
    execution: { time },
    side,
    ...(closes && { realisedPnl: fixedFromText('1') }),
    reason: 'signal',
  }) as RunFill;

const decisionOf = (orderId: string): OrderIntent | undefined =>
  orderId === 'stop'
    ? undefined
    : ({
        cause: { kind: 'candle', symbol: 'BTCUSDT', interval: '1h', openTime: 0 },
        decidedAt: 60_000,
        referencePrice: fixedFromText('100.5'),
        explanation: `of ${orderId}`,
      } as OrderIntent);

const tradeOf = (side: 'long' | 'short', entryTime: number, exitTime: number): RoundTrip =>
  ({ symbol: 'BTCUSDT', side, entryTime, exitTime }) as RoundTrip;

test('a reversal ends one trade and begins another, each with its own decision', () => {
  const fills = [
    fillOf('in', 'buy', 1, false),
    fillOf('out', 'sell', 2, true),
    fillOf('turn', 'sell', 2, false),
    fillOf('stop', 'buy', 3, true),
  ];
  const decisionsOf = tradeDecisionsOf({ fills, decisionOf });
  expect(decisionsOf(tradeOf('long', 1, 2))).toMatchObject({
    entry: { text: 'of in', after: 'the 1h candle of BTCUSDT', price: 100.5, time: 60_000 },
    exit: { text: 'of out' },
  });
  expect(decisionsOf(tradeOf('short', 2, 3))).toEqual({
    entry: expect.objectContaining({ text: 'of turn' }) as object,
    exit: undefined,
  });
});

test('an order that opens as it closes is the decision of both trades', () => {
  const fills = [
    fillOf('in', 'buy', 1, false),
    fillOf('flip', 'sell', 2, true),
    fillOf('out', 'buy', 3, true),
  ];
  const decisionsOf = tradeDecisionsOf({ fills, decisionOf });
  expect(decisionsOf(tradeOf('long', 1, 2)).exit?.text).toBe('of flip');
  expect(decisionsOf(tradeOf('short', 2, 3)).entry?.text).toBe('of flip');
});
