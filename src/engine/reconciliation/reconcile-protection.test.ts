import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolRig } from '../../../test/harness/protocol-rig.js';
import { positionRow } from '../../../test/harness/position-row.js';
import { d, type IntentCase } from '../../../test/harness/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import { add, type Quantity } from '../../core/fixed.js';
import type { OrderStatus } from '../../core/order.js';
import { judgeGuard, wantedStop, type GuardSides } from './reconcile-protection.js';

const ROW = positionRow('2');
const STOPPED: PositionReport = { ...ROW, stopLoss: { price: d('59000'), orderId: 's1' } };
const SIDES: GuardSides = { wanted: d('59000'), own: d('2'), row: STOPPED, stop: undefined };
const stop = (status: OrderStatus, quantity = '0') => ({
  status,
  quantity: d<'quantity'>(quantity),
});

describe('a position that should have a stop', () => {
  it.each<[string, string, Partial<GuardSides>]>([
    ['is guarded by the stop that its row shows', 'guarded', {}],
    ['is naked without one', 'naked', { row: ROW }],
    ['is not told of by a list that lacks it', 'untold', { row: undefined }],
    ['is not told of by a list that still shows the other side', 'untold', { own: d('-1') }],
    ['need not have one when nobody wants it', 'not-wanted', { row: ROW, wanted: undefined }],
    ['need not have one when it is not ours', 'not-wanted', { row: ROW, own: d('0') }],
    ['is guarded by a stop over the whole of it', 'guarded', { stop: stop('created') }],
    ['is guarded by a stop as large as it is', 'guarded', { stop: stop('created', '2') }],
    ['is naked beside a stop over a part', 'naked', { stop: stop('created', '1.5') }],
    ['is naked behind a stop that was canceled', 'naked', { stop: stop('canceled') }],
    ['is naked behind one that the venue canceled', 'naked', { stop: stop('system-canceled') }],
    ['is left alone when its stop has just fired', 'untold', { stop: stop('filled') }],
    [
      'is guarded by a stop in a state that nobody knows',
      'guarded',
      { stop: stop('unrecognised') },
    ],
    [
      'is not told of by a stop that is shown without its order',
      'untold',
      { row: { ...ROW, stopLoss: { price: d('59000') } } },
    ],
    ['is guarded by a stop at another price', 'guarded', { wanted: d('58000') }],
  ])('%s', (_name, verdict, sides) => {
    expect(judgeGuard({ ...SIDES, ...sides })).toBe(verdict);
  });

  it('is never called naked for a stop that is live and covers it, whatever else is read', () => {
    const quantity = fc.integer({ min: 1, max: 10 }).map((n) => d<'quantity'>(String(n)));
    fc.assert(
      fc.property(quantity, quantity, fc.boolean(), (held, more, whole) => {
        const covers = (whole ? 0 : add(held, more)) as Quantity;
        const row = { ...STOPPED, quantity: held };
        const live = { status: 'created' as const, quantity: covers };
        expect(judgeGuard({ ...SIDES, own: held, row, stop: live })).toBe('guarded');
      }),
    );
  });
});

describe('the stop that a position should have', () => {
  const POSITION = { symbol: 'BTCUSDT', currency: 'USDT' } as const;
  const ordersOf = (cases: readonly (IntentCase & { readonly filled?: boolean })[]) =>
    cases.map(({ filled = true, ...of }) => {
      const order = new ProtocolRig().order({ quantity: '1', ...of });
      if (filled) order.filledQuantity = order.terms.quantity;
      return order;
    });
  const long = d<'quantity'>('1');

  type Case = IntentCase & { readonly filled?: boolean };
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
      'none when the newest entry was on the other side',
      undefined,
      [{ stopLoss: '59000' }, { side: 'sell', stopLoss: '61000' }],
    ],
    ['not another symbol’s', undefined, [{ symbol: 'ETHUSDT', stopLoss: '59000' }]],
  ])('is %s: %s', (_name, price, cases) => {
    const expected = price === undefined ? undefined : d(price);
    expect(wantedStop(ordersOf(cases), { ...POSITION, own: long })).toBe(expected);
  });

  it.each<[string, string | undefined, number, readonly Case[]]>([
    ['what it was moved to since its entry', '59700', 1, [{ stopLoss: '59000' }]],
    ['what it was moved to with its entry', '59700', 0, [{ stopLoss: '59000' }]],
    ['its entry’s, where the move was before it', '59000', -1, [{ stopLoss: '59000' }]],
    ['what was set on a position that came without one', '59700', 1, [{}]],
    ['none when the newest entry was on the other side', undefined, 1, [{ side: 'sell' }]],
    ['none without an order', undefined, 1, []],
  ])('is %s: %s', (_name, price, later, cases) => {
    const orders = ordersOf(cases);
    const { decidedAt } = new ProtocolRig().order().intent;
    const moved = { price: d<'price'>('59700'), wantedAt: decidedAt + later };
    const expected = price === undefined ? undefined : d(price);
    expect(wantedStop(orders, { ...POSITION, own: long }, moved)).toBe(expected);
  });
});
