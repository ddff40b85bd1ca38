import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../core/assert.js';
import {
  intentOf,
  d,
  VENUE_TIME,
  type IntentCase,
} from '../../../test/support/builders/risk-case.js';
import type { OrderState } from './order-state.js';
import { OwnOrder } from './own-order.js';

const orderOf = (of: IntentCase = {}, generation?: number): OwnOrder =>
  new OwnOrder({
    key: 3,
    intent: { recovered: intentOf(of) },
    account: 'rig',
    ...(generation !== undefined && { generation }),
  });

describe('own order', () => {
  it('an order starts active, with nothing sent and nothing known', () => {
    const order = orderOf();
    expect(order).toMatchObject({
      key: 3,
      state: 'waiting',
      generation: 1,
      attempts: 0,
      unknownSeen: false,
      conflictSeen: false,
      active: true,
      filledQuantity: 0,
      cancelState: 'none',
      cancelInFlight: false,
      canceledAt: Number.POSITIVE_INFINITY,
      terminalReads: 0,
      openOrdersMisses: 0,
      missingFromListSince: Number.POSITIVE_INFINITY,
      lastReadAt: Number.NEGATIVE_INFINITY,
      queries: 0,
      queryInFlight: false,
      querySoon: false,
      missedByClientId: false,
      unclearAttempts: 0,
      conflictQueries: 0,
      temporaryRefusals: 0,
      lockRefusals: 0,
    });
    expect([order.ended, order.unproved, order.isInFlight]).toEqual([false, false, false]);
  });

  it('an order has no field for a doubt that it never had', () => {
    const order = orderOf();
    order.apply('attempt');
    order.apply('yes');
    order.apply('report-filled');
    expect(order.queries).toBe(0);
    const uncommon = ['queries', 'unknownSeen', 'cancelState', 'canceledAt', 'fence', 'generation'];
    expect(Object.keys(order).filter((name) => uncommon.includes(name))).toEqual([]);
  });

  it('the doubt of one order is no doubt of another', () => {
    const [doubted, other] = [orderOf({}, 2), orderOf()];
    doubted.unknownSeen = true;
    doubted.queries += 1;
    doubted.cancelState = 'wanted';
    expect([doubted.queries, doubted.generation]).toEqual([1, 2]);
    expect([other.unknownSeen, other.queries, other.cancelState, other.generation]).toEqual([
      false,
      0,
      'none',
      1,
    ]);
  });

  it('the client order id depends on the decision, the leg and the generation alone', () => {
    const id = orderOf({ quantity: '0.001' }).clientOrderId;
    expect(orderOf({ quantity: '0.5' }).clientOrderId).toBe(id);
    const others = [
      orderOf({ leg: 1 }),
      orderOf({ ordinal: 1 }),
      orderOf({ symbol: 'ETHUSDT' }),
      orderOf({ currency: 'INR' }),
      orderOf({ strategyId: 'other' }),
      orderOf({ openTime: VENUE_TIME }),
      orderOf({}, 2),
    ].map((order) => order.clientOrderId);
    expect(new Set([id, ...others]).size).toBe(others.length + 1);
  });

  it('a client order id from a journal stays', () => {
    const intent = { recovered: intentOf() };
    const order = new OwnOrder({ key: 0, intent, account: 'rig', clientOrderId: 'from-before' });
    expect(order.clientOrderId).toBe('from-before');
  });

  it('the place request reads the order when it is sent', () => {
    const order = orderOf({ price: '59000' });
    const request = order.placeRequest();
    expect(request).toMatchObject({ kind: 'place', orderKey: 3, terms: order.terms });
    expect(request.clientOrderId).toBe(order.clientOrderId);
    expect(request.validUntil).toBe(VENUE_TIME + 3_000);
  });

  it.each<readonly [OrderState, boolean, { unproved: boolean; onTheWay: boolean; ended: boolean }]>(
    [
      ['waiting', true, { unproved: false, onTheWay: false, ended: false }],
      ['sent', false, { unproved: false, onTheWay: true, ended: false }],
      ['sent', true, { unproved: true, onTheWay: true, ended: false }],
      ['retrying', false, { unproved: false, onTheWay: true, ended: false }],
      ['retrying', true, { unproved: true, onTheWay: true, ended: false }],
      ['verifying', true, { unproved: true, onTheWay: false, ended: false }],
      ['quarantined', false, { unproved: true, onTheWay: false, ended: false }],
      ['accepted', true, { unproved: false, onTheWay: false, ended: false }],
      ['filled', true, { unproved: false, onTheWay: false, ended: true }],
    ],
  )(
    'an order in state %s (unclear attempt: %s) derives its flags from both',
    (state, unknownSeen, expected) => {
      const order = orderOf();
      Object.assign(order, { state, unknownSeen });
      const { unproved, isInFlight: onTheWay, ended } = order;
      expect({ unproved, onTheWay, ended }).toEqual(expected);
    },
  );

  it('the signed remaining quantity is what is not filled', () => {
    const [buy, sell] = [orderOf({ quantity: '5' }), orderOf({ quantity: '5', side: 'sell' })];
    for (const order of [buy, sell]) order.filledQuantity = d('2');
    expect([buy.remaining, buy.signedRemaining]).toEqual([d('3'), d('3')]);
    expect([sell.remaining, sell.signedRemaining]).toEqual([d('3'), d('-3')]);
  });

  it('the larger of two quantities counts while an amendment is unproved', () => {
    const order = orderOf({ quantity: '5' });
    order.amending = { ...order.terms, quantity: d('7') };
    expect(order.remaining).toBe(d('7'));
    order.amending = { ...order.terms, quantity: d('1') };
    expect(order.remaining).toBe(d('5'));
    order.applyAmendment(order.amending);
    order.amending = undefined;
    expect([order.remaining, order.terms.quantity]).toEqual([d('1'), d('1')]);
    expect(order.intent.terms.quantity).toBe(d('5'));
  });

  it('an order changes state by the table only', () => {
    const order = orderOf();
    order.apply('attempt');
    expect(order.state).toBe('sent');
    expect(() => {
      order.apply('drop');
    }).toThrow(AssertionError);
    expect(() => {
      order.apply('drop');
    }).toThrow('An order in state sent does not accept "drop"');
    expect(order.state).toBe('sent');
  });
});

describe('order presumed lost', () => {
  it.each<readonly [OrderState, number | undefined, number, boolean]>([
    ['quarantined', 1_000, 121_000, true],
    ['quarantined', 1_000, 120_999, false],
    ['quarantined', undefined, 900_000, false],
    ['verifying', 1_000, 900_000, false],
  ])(
    'an order in state %s, missing since %s, is presumed lost at %i: %s',
    (state, missingSince, at, forgotten) => {
      const order = Object.assign(orderOf(), { state, notFoundSince: missingSince });
      expect(order.isPresumedLost(at)).toBe(forgotten);
    },
  );
});
