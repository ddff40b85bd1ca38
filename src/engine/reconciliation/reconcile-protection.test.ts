import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolRig } from '../../../test/support/rigs/protocol-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { d, type IntentCase } from '../../../test/support/builders/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import { add, type Quantity } from '../../core/fixed/fixed.js';
import type { OrderStatus } from '../../core/order.js';
import { decidedTrigger, judgeStop, type StopReconciliationInput } from './reconcile-protection.js';

const ROW = positionRow('2');
const STOPPED: PositionReport = { ...ROW, stopLoss: { price: d('59000'), orderId: 's1' } };
const SIDES: StopReconciliationInput = {
  required: d('59000'),
  own: d('2'),
  row: STOPPED,
  stop: undefined,
};
const stop = (status: OrderStatus, quantity = '0') => ({
  status,
  quantity: d<'quantity'>(quantity),
});

describe('a position with a required stop', () => {
  it.each<[string, string, Partial<StopReconciliationInput>]>([
    ['the stop in its row guards it', 'guarded', {}],
    ['a row without a stop is naked', 'naked', { row: ROW }],
    ['a list without the position is no evidence', 'untold', { row: undefined }],
    ['a list with the other side is no evidence', 'untold', { own: d('-1') }],
    [
      'a position without a required stop needs none',
      'not-wanted',
      { row: ROW, required: undefined },
    ],
    ['an external position needs none', 'not-wanted', { row: ROW, own: d('0') }],
    ['a stop of the whole position guards it', 'guarded', { stop: stop('created') }],
    ['a stop of its size guards it', 'guarded', { stop: stop('created', '2') }],
    ['a stop of a part leaves it naked', 'naked', { stop: stop('created', '1.5') }],
    ['a canceled stop leaves it naked', 'naked', { stop: stop('canceled') }],
    ['a stop that the venue canceled leaves it naked', 'naked', { stop: stop('system-canceled') }],
    ['a filled stop is no evidence', 'untold', { stop: stop('filled') }],
    ['a stop in an unknown state guards', 'guarded', { stop: stop('unrecognised') }],
    [
      'a stop without its order is no evidence',
      'untold',
      { row: { ...ROW, stopLoss: { price: d('59000') } } },
    ],
    ['a stop at another price guards it', 'guarded', { required: d('58000') }],
  ])('%s', (_name, verdict, sides) => {
    expect(judgeStop({ ...SIDES, ...sides })).toBe(verdict);
  });

  it('a live stop that covers the position is never naked, whatever else is read', () => {
    const quantity = fc.integer({ min: 1, max: 10 }).map((n) => d<'quantity'>(String(n)));
    fc.assert(
      fc.property(quantity, quantity, fc.boolean(), (held, more, whole) => {
        const covers = (whole ? 0 : add(held, more)) as Quantity;
        const row = { ...STOPPED, quantity: held };
        const live = { status: 'created' as const, quantity: covers };
        expect(judgeStop({ ...SIDES, own: held, row, stop: live })).toBe('guarded');
      }),
    );
  });
});

describe('the required stop of a position', () => {
  const POSITION = { symbol: 'BTCUSDT', currency: 'USDT' } as const;
  type Case = IntentCase & { readonly filled?: boolean; readonly filledAt?: number };
  const ordersOf = (cases: readonly Case[]) =>
    cases.map(({ filled = true, filledAt, ...of }) => {
      const order = new ProtocolRig().order({ quantity: '1', ...of });
      if (filled) order.filledQuantity = order.terms.quantity;
      if (filledAt !== undefined) order.lastFilledAt = filledAt;
      return order;
    });
  const long = d<'quantity'>('1');
  it.each<[string, string | undefined, readonly Case[]]>([
    ['none without an order', undefined, []],
    ['its entry’s', '59000', [{ stopLoss: '59000' }]],
    ['its newest entry’s', '59500', [{ stopLoss: '59000' }, { stopLoss: '59500' }]],
    [
      'not that of one that has not filled',
      '59000',
      [{ stopLoss: '59000' }, { stopLoss: '59500', filled: false }],
    ],
    ['none when the newest entry has none', undefined, [{ stopLoss: '59000' }, {}]],
    ['not changed by a reduction', '59000', [{ stopLoss: '59000' }, { side: 'sell', exit: true }]],
    [
      'not that of an entry of the other side, which became known later',
      '59000',
      [{ stopLoss: '59000' }, { side: 'sell', stopLoss: '61000' }],
    ],
    [
      'none when all entries were on the other side',
      undefined,
      [{ side: 'sell', stopLoss: '61000' }],
    ],
    [
      'that of an older order that rested, and filled last',
      '59000',
      [
        { stopLoss: '59000', price: '58000', filledAt: 3 },
        { side: 'sell', filledAt: 2 },
      ],
    ],
    [
      'not that of an older order that filled before',
      undefined,
      [{ stopLoss: '59000', filledAt: 1 }, { filledAt: 2 }],
    ],
    ['not another symbol’s', undefined, [{ symbol: 'ETHUSDT', stopLoss: '59000' }]],
  ])('the required stop is %s: %s', (_name, price, cases) => {
    const expected = price === undefined ? undefined : d(price);
    expect(decidedTrigger(ordersOf(cases), { ...POSITION, own: long }, 'stopLoss')).toBe(expected);
  });

  it.each<[string, string | undefined, number, readonly Case[]]>([
    ['what it was moved to since its entry', '59700', 1, [{ stopLoss: '59000' }]],
    ['what it was moved to with its entry', '59700', 0, [{ stopLoss: '59000' }]],
    ['its entry’s, where the move was before it', '59000', -1, [{ stopLoss: '59000' }]],
    ['what was set on a position that came without one', '59700', 1, [{}]],
    ['none when the newest entry was on the other side', undefined, 1, [{ side: 'sell' }]],
    ['none without an order', undefined, 1, []],
  ])('the required stop is %s: %s', (_name, price, later, cases) => {
    const orders = ordersOf(cases);
    const { decidedAt } = new ProtocolRig().order().intent;
    const moved = { price: d<'price'>('59700'), requestedAt: decidedAt + later };
    const expected = price === undefined ? undefined : d(price);
    expect(decidedTrigger(orders, { ...POSITION, own: long }, 'stopLoss', moved)).toBe(expected);
  });
});
