import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CloseReport } from '../../core/account.js';
import { of } from '../../../test/support/rigs/exchange-rig.js';
import { CloseLog } from './close-log.js';

const SECOND = 1_000;

/** A close of a position that was open for `held` seconds. */
interface Step {
  readonly held: number;
  readonly wait: number;
  readonly currency: 'USDT' | 'INR';
}

function closesOf(steps: readonly Step[]): readonly Required<CloseReport>[] {
  let closedAt = 10_000 * SECOND;
  return steps.map(({ held, wait, currency }, at) => {
    closedAt += wait * SECOND;
    return {
      ...{ rowId: `b${at}`, positionId: `p${at % 7}`, orderId: `o-${at}`, role: 'trade' },
      ...{ symbol: at % 3 === 0 ? 'BTCUSDT' : 'ETHUSDT', currency, side: 'long', kind: 'closed' },
      ...{ quantity: of('1'), entryPrice: of('100'), closePrice: of('101.123456789') },
      ...{ pnl: of('1.1'), leverage: of('2'), entryHedgeRate: of('1'), exitHedgeRate: of('1') },
      ...{ openedAt: closedAt - held * SECOND, closedAt },
    } as Required<CloseReport>;
  });
}

const step: fc.Arbitrary<Step> = fc.record({
  held: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 5_000 })),
  wait: fc.nat({ max: 3 }),
  currency: fc.constantFrom('USDT', 'USDT', 'INR'),
});

it('a page of closes is that part of the whole list, newest open time first', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 400, size: 'max' }),
      fc.integer({ min: 0, max: 60 }),
      fc.nat({ max: 1_200 }),
      (steps, limit, sinceSeconds) => {
        const closes = closesOf(steps);
        const log = new CloseLog();
        for (const close of closes) log.add(close);
        const all = closes
          .filter(({ currency }) => currency === 'USDT')
          .reverse()
          .sort((a, b) => b.openedAt - a.openedAt);
        expect(log.newestFirst('USDT')).toEqual(all);
        expect(log.newestFirst('USDT', limit)).toEqual(all.slice(0, limit));
        const from = (10_000 + sinceSeconds) * SECOND;
        const late = all.filter(({ openedAt }) => openedAt >= from);
        expect(log.newestFirst('USDT', undefined, from)).toEqual(late);
        expect(log.newestFirst('USDT', limit, from)).toEqual(late.slice(0, limit));
        expect(log.hasPosition('p1')).toBe(steps.length > 1);
      },
    ),
    { numRuns: 150 },
  );
});
