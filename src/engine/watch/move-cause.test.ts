import { describe, expect, it } from 'vitest';
import type { CloseReport, PositionReport } from '../../core/account.js';
import { fixed, fixedFromText, type Quantity } from '../../core/fixed/fixed.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { causeOf, moverOf } from './move-cause.js';

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

const judged = (shown: PositionReport | undefined, reported: Quantity, row?: CloseReport) => {
  const cause = causeOf(row, shown);
  return [cause, moverOf(cause, { close: row, shown, reported })];
};

describe('the cause of a position change', () => {
  it.each([
    ['liquidation', 'liquidation', close({ kind: 'liquidated' })],
    ['the stop, by its order', 'stop_loss', close({ orderId: 'stop-1' })],
    ['the target, by its order', 'take_profit', close({ orderId: 'target-1' })],
    ['the stop, by its price', 'stop_loss', close({ closePrice: price('97.9') })],
    ['the target, by its price', 'take_profit', close({ closePrice: price('104') })],
  ] as const)('is the venue: %s', (_what, cause, evidence) => {
    expect(judged(row, FLAT, evidence)).toEqual([cause, 'venue']);
  });

  it('the prices of a short position are judged from its own side', () => {
    const short = { ...row, side: 'short' as const };
    const swapped = { ...short, stopLoss: row.takeProfit, takeProfit: row.stopLoss };
    const [stopped, taken] = [price('104.1'), price('97.9')];
    expect(judged(swapped, FLAT, close({ closePrice: stopped }))).toEqual(['stop_loss', 'venue']);
    expect(judged(swapped, FLAT, close({ closePrice: taken }))).toEqual(['take_profit', 'venue']);
  });

  it.each([
    ['between stop and target', row, FLAT, close({})],
    ['by another order, at the stop', row, FLAT, close({ orderId: 'x', closePrice: price('98') })],
    ['in part', row, fixedFromText<'quantity'>('0.4'), undefined],
    ['without a stop or a row', positionRow('1'), FLAT, undefined],
    ['never shown', undefined, FLAT, undefined],
  ] as const)('the author may be a person: %s', (_what, position, claimed, evidence) => {
    expect(judged(position, claimed as Quantity, evidence)).toEqual(['external', 'hand']);
  });

  it('a change with a known stop and no close row counts as the venue’s', () => {
    expect(judged(row, FLAT)).toEqual(['external', 'venue']);
  });
});
