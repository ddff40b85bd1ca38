import { describe, expect, it } from 'vitest';
import type { CloseReport } from '../../core/account.js';
import { fixed, fixedFromText, type Quantity } from '../../core/fixed.js';
import { positionRow } from '../../../test/harness/position-row.js';
import { moverOf } from './position-mover.js';

const FLAT = fixed<'quantity'>(0);
const price = (text: string) => fixedFromText<'price'>(text);
const row = {
  ...positionRow('1'),
  stopLoss: { price: price('98'), orderId: 'stop-1' },
  takeProfit: { price: price('104'), orderId: 'target-1' },
};
const close = (given: Partial<CloseReport>): CloseReport =>
  ({
    positionId: row.positionId,
    kind: 'closed',
    closePrice: price('100'),
    closedAt: 2,
    ...given,
  }) as CloseReport;

describe('what moved a position', () => {
  it.each([
    ['liquidation', close({ kind: 'liquidated' })],
    ['the stop, by its order', close({ orderId: 'stop-1' })],
    ['the target, by its order', close({ orderId: 'target-1' })],
    ['the stop, by its price', close({ closePrice: price('97.9') })],
    ['the target, by its price', close({ closePrice: price('104') })],
  ])('is the venue: %s', (_what, evidence) => {
    expect(moverOf(row, FLAT, [evidence])).toBe('venue');
  });

  it.each([
    ['between stop and target', row, FLAT, [close({})]],
    ['in part', row, fixedFromText<'quantity'>('0.4'), []],
    ['without a stop or a row', positionRow('1'), FLAT, []],
    ['never shown', undefined, FLAT, []],
    ['by the newest row', row, FLAT, [close({ orderId: 'stop-1', closedAt: 1 }), close({})]],
  ] as [string, typeof row | undefined, Quantity, CloseReport[]][])(
    'may be a hand: %s',
    (_what, position, claimed, closes) => {
      expect(moverOf(position, claimed, closes)).toBe('hand');
    },
  );

  it('is the venue where a stop stood and no row tells more', () => {
    expect(moverOf(row, FLAT)).toBe('venue');
  });
});
