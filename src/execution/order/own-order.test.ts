import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../core/assert.js';
import { anIntent, d, VENUE_TIME, type IntentCase } from '../../../test/harness/risk-case.js';
import type { OrderState } from './order-state.js';
import { OwnOrder } from './own-order.js';

const orderOf = (of: IntentCase = {}, generation?: number): OwnOrder =>
  new OwnOrder({
    key: 3,
    intent: { recovered: anIntent(of) },
    account: 'rig',
    ...(generation !== undefined && { generation }),
  });

describe('an order of ours', () => {
  it('begins wanted, with nothing sent and nothing known', () => {
    const order = orderOf();
    expect(order).toMatchObject({
      key: 3,
      state: 'waiting',
      generation: 1,
      attempts: 0,
      unknownSeen: false,
      conflictSeen: false,
      wanted: true,
      filledQuantity: 0,
      cancelState: 'none',
      canceling: false,
      canceledAt: Number.POSITIVE_INFINITY,
      endReads: 0,
      unlistedReads: 0,
      unlistedSince: Number.POSITIVE_INFINITY,
      lookedAt: Number.NEGATIVE_INFINITY,
      looks: 0,
      looking: false,
      lookSoon: false,
      missedByClientId: false,
      unclear: 0,
      conflictLooks: 0,
      refusedForNow: 0,
      locked: 0,
    });
    expect([order.ended, order.unproved, order.isOnTheWay]).toEqual([false, false, false]);
  });

  it('has an id that depends on the decision, the leg and the generation alone', () => {
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

  it('keeps an id that a journal gave it', () => {
    const intent = { recovered: anIntent() };
    const order = new OwnOrder({ key: 0, intent, account: 'rig', clientOrderId: 'from-before' });
    expect(order.clientOrderId).toBe('from-before');
  });

  it('asks for itself with what it is when the request is read', () => {
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
  )('that is %s (an unknown seen: %s) is what it says', (state, unknownSeen, says) => {
    const order = orderOf();
    Object.assign(order, { state, unknownSeen });
    const { unproved, isOnTheWay: onTheWay, ended } = order;
    expect({ unproved, onTheWay, ended }).toEqual(says);
  });

  it('may still trade what it has not filled, with its sign', () => {
    const [buy, sell] = [orderOf({ quantity: '5' }), orderOf({ quantity: '5', side: 'sell' })];
    for (const order of [buy, sell]) order.filledQuantity = d('2');
    expect([buy.remaining, buy.signedRemaining]).toEqual([d('3'), d('3')]);
    expect([sell.remaining, sell.signedRemaining]).toEqual([d('3'), d('-3')]);
  });

  it('may trade the larger of two quantities while an amendment is not proved', () => {
    const order = orderOf({ quantity: '5' });
    order.amending = { ...order.terms, quantity: d('7') };
    expect(order.remaining).toBe(d('7'));
    order.amending = { ...order.terms, quantity: d('1') };
    expect(order.remaining).toBe(d('5'));
    order.amendedTo(order.amending);
    order.amending = undefined;
    expect([order.remaining, order.terms.quantity]).toEqual([d('1'), d('1')]);
    expect(order.intent.terms.quantity).toBe(d('5'));
  });

  it('moves by the table, or not at all', () => {
    const order = orderOf();
    order.move('attempt');
    expect(order.state).toBe('sent');
    expect(() => {
      order.move('drop');
    }).toThrow(AssertionError);
    expect(() => {
      order.move('drop');
    }).toThrow('An order that is sent does not meet "drop"');
    expect(order.state).toBe('sent');
  });
});

describe('an order that nobody has heard of', () => {
  it.each<readonly [OrderState, number | undefined, number, boolean]>([
    ['quarantined', 1_000, 121_000, true],
    ['quarantined', 1_000, 120_999, false],
    ['quarantined', undefined, 900_000, false],
    ['verifying', 1_000, 900_000, false],
  ])('and is %s, missed since %s, is forgotten at %i: %s', (state, missingSince, at, forgotten) => {
    const order = Object.assign(orderOf(), { state, missingSince });
    expect(order.isForgotten(at)).toBe(forgotten);
  });
});
