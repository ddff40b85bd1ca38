import { describe, expect, it } from 'vitest';
import { of } from '../../test/support/rigs/exchange-rig.js';
import { BalanceCheckedExchange } from '../../test/support/rigs/balance-checked-exchange.js';
import type { VenueRequest } from '../core/request.js';
import { createExchangeGateway, type ExchangeGateway } from './exchange-gateway.js';
import { add } from '../core/fixed/fixed.js';

interface Fixture {
  readonly rig: BalanceCheckedExchange;
  readonly venue: ExchangeGateway;
}

function open(ids = true): Fixture {
  const rig = new BalanceCheckedExchange();
  return { rig, venue: createExchangeGateway(rig.exchange, { ids }) };
}

const place = (
  rig: BalanceCheckedExchange,
  clientOrderId: string,
  quantity = '1',
): VenueRequest => ({
  kind: 'place',
  clientOrderId,
  terms: rig.terms('buy', { quantity }),
});

describe('place requests', () => {
  it('an accepted place answers yes with the order, which fills at the next match', () => {
    const { rig, venue } = open();
    const reply = venue.reply(place(rig, 'a'));
    expect(reply).toMatchObject({
      to: 'place',
      outcome: { kind: 'yes', value: { clientOrderId: 'a', status: 'created' } },
    });
    rig.exchange.matchPending();
    const found = venue.reply({ kind: 'find-order', order: { clientOrderId: 'a' } });
    expect(found).toMatchObject({
      to: 'find-order',
      outcome: { kind: 'yes', value: { status: 'filled', filledQuantity: of('1') } },
    });
  });

  it('client order ids are omitted when `ids` is false', () => {
    const { rig, venue } = open(false);
    venue.reply(place(rig, 'a'));
    venue.reply(place(rig, 'a'));
    expect(rig.exchange.allOrders().map(({ clientOrderId }) => clientOrderId)).toEqual([
      ...[undefined, undefined],
    ]);
  });

  /** Status of each refusal (interface: order create v2). */
  it.each<[string, number, (fixture: Fixture) => VenueRequest]>([
    ['insufficient-balance', 400, ({ rig }) => place(rig, 'b', '500')],
    ['quantity-step', 400, ({ rig }) => place(rig, 'b', '0.0001')],
    ['invalid-client-order-id', 400, ({ rig }) => place(rig, 'no good')],
    ['client-order-id-exists', 409, ({ rig }) => place(rig, 'used')],
    [
      'asset-not-found',
      404,
      ({ rig }) => ({
        kind: 'place',
        clientOrderId: 'b',
        terms: { ...rig.terms('buy'), symbol: 'NOPE' },
      }),
    ],
    [
      'locked',
      423,
      ({ rig }) => {
        rig.exchange.setLocked(rig.symbol, true);
        return place(rig, 'b');
      },
    ],
  ])('a place refused with %s answers no with status %i', (code, status, ask) => {
    const fixture = open();
    fixture.venue.reply(place(fixture.rig, 'used'));
    const { outcome } = fixture.venue.reply(ask(fixture));
    expect(outcome).toEqual({ kind: 'no', code, text: code, status });
  });
});

describe('other requests', () => {
  it('a cancel ends an open order once', () => {
    const { rig, venue } = open();
    const { orderId } = rig.placeAndMatch('buy', { price: '90' });
    const cancel: VenueRequest = { kind: 'cancel', order: { orderId } };
    expect(venue.reply(cancel)).toEqual({ to: 'cancel', outcome: { kind: 'yes', value: null } });
    expect(venue.reply(cancel).outcome).toMatchObject({ code: 'order-not-open', status: 400 });
    const unknown: VenueRequest = { kind: 'cancel', order: { orderId: 'unknown' } };
    expect(venue.reply(unknown).outcome).toMatchObject({ code: 'order-not-found', status: 404 });
  });

  it('a lookup of an unknown order answers no', () => {
    const { venue } = open();
    const { outcome } = venue.reply({ kind: 'find-order', order: { clientOrderId: 'a' } });
    expect(outcome).toMatchObject({ kind: 'no', code: 'order-not-found', status: 404 });
  });

  it('leverage is set and read back', () => {
    const { rig, venue } = open();
    const { symbol } = rig;
    rig.exchange.unsetLeverage(symbol, 'USDT');
    const read = (): unknown =>
      venue.reply({ kind: 'read-leverage', symbol, currency: 'USDT' }).outcome;
    expect(read()).toMatchObject({ kind: 'no', code: 'leverage-not-set', status: 404 });
    const set = (leverage: string): unknown =>
      venue.reply({ kind: 'set-leverage', symbol, currency: 'USDT', leverage: of(leverage) })
        .outcome;
    expect(set('0')).toMatchObject({ kind: 'no', code: 'leverage-range', status: 400 });
    expect(set('3')).toEqual({ kind: 'yes', value: of('3') });
    expect(read()).toEqual({ kind: 'yes', value: of('3') });
  });

  it('lists are of one currency, newest first, and within the limit', () => {
    const { rig, venue } = open();
    const resting = rig.placeAndMatch('buy', { price: '90' });
    rig.placeAndMatch('buy', { currency: 'INR' });
    const first = rig.placeAndMatch('buy', { quantity: '2' });
    const second = rig.placeAndMatch('sell', { quantity: '1' });
    const third = rig.placeAndMatch('sell', { quantity: '0.5' });
    const rows = (request: VenueRequest): unknown => {
      const { outcome } = venue.reply(request);
      return outcome.kind === 'yes' ? outcome.value : outcome;
    };
    const currency = 'USDT';
    expect(rows({ kind: 'read-open-orders', currency })).toEqual([resting]);
    const history = (limit: number): VenueRequest => ({
      kind: 'read-order-history',
      currency,
      limit,
    });
    expect(rows(history(2))).toEqual([third, second]);
    expect(rows(history(20))).toEqual([third, second, first]);
    expect(rows({ kind: 'read-positions', currency })).toEqual([rig.position()]);
    const closes = rig.exchange.positionHistory('USDT');
    expect(closes).toHaveLength(2);
    expect(rows({ kind: 'read-closes', currency, limit: 1 })).toEqual(closes.slice(0, 1));
    expect(rows({ kind: 'read-wallet', currency: 'INR' })).toEqual(
      rig.exchange.futuresWallet('INR'),
    );
  });

  it('history has the orders created or changed since a time', () => {
    const { rig, venue } = open();
    const { exchange } = rig;
    const { orderId } = rig.placeAndMatch('buy', { price: '90' });
    const endedAt = exchange.nowMs + 60_000;
    exchange.setTime(endedAt);
    exchange.cancel({ orderId });
    const read = (from: number, changedSince?: number): unknown => {
      const since = changedSince === undefined ? {} : { changedSince };
      const currency = 'USDT';
      return venue.reply({ kind: 'read-order-history', currency, limit: 20, from, ...since });
    };
    const outcome = { kind: 'yes', value: [exchange.order({ orderId })] };
    expect(read(endedAt)).toMatchObject({ outcome });
    expect(read(endedAt + 1)).toMatchObject({ outcome: { value: [] } });
    expect(read(endedAt + 1, endedAt)).toMatchObject({ outcome });
  });
});

describe('changes of orders, positions and wallets', () => {
  const answer = (venue: ExchangeGateway, request: VenueRequest): unknown => {
    const { outcome } = venue.reply(request);
    return outcome.kind === 'yes' ? outcome.value : outcome.kind === 'no' ? outcome.code : outcome;
  };

  it('an amend changes price and quantity of a resting order', () => {
    const { rig, venue } = open();
    const { orderId } = rig.placeAndMatch('buy', { price: '90' });
    const amend: VenueRequest = { kind: 'amend', orderId, price: of('80'), quantity: of('2') };
    expect(answer(venue, amend)).toBeNull();
    expect(rig.exchange.order({ orderId })).toMatchObject({ price: of('80'), quantity: of('2') });
    expect(answer(venue, { ...amend, orderId: 'unknown' })).toBe('order-not-found');
  });

  it('a stop of a position is set and moved', () => {
    const { rig, venue } = open();
    rig.placeAndMatch('buy', {});
    const { positionId } = rig.position();
    const set: VenueRequest = {
      kind: 'set-leg',
      positionId,
      slot: 'stopLoss',
      price: of('98'),
      clientOrderId: 'leg',
    };
    expect(answer(venue, set)).toBeNull();
    const { orderId } = rig.position().stopLoss ?? { orderId: '' };
    expect(rig.exchange.order({ orderId })?.clientOrderId).toBe('leg');
    const move: VenueRequest = {
      kind: 'move-leg',
      positionId,
      slot: 'stopLoss',
      price: of('99'),
      orderId,
    };
    expect(answer(venue, move)).toBeNull();
    expect(rig.position().stopLoss?.price).toBe(of('99'));
    expect(venue.reply({ ...move, positionId: 'unknown' }).outcome).toMatchObject({
      code: 'position-not-found',
      status: 404,
    });
  });

  it('a change of margin answers with the new margin and liquidation price', () => {
    const { rig, venue } = open();
    rig.placeAndMatch('buy', {});
    const { positionId, initialMargin } = rig.position();
    const change = of<'USDT'>('1');
    expect(answer(venue, { kind: 'change-margin', positionId, change })).toMatchObject({
      initialMargin: add(initialMargin, change),
    });
    const back = { kind: 'change-margin', positionId, change: of<'USDT'>('-1000000') } as const;
    expect(answer(venue, back)).toBe('insufficient-funds');
  });

  it('a transfer moves money and appears in the rows and both wallets', () => {
    const { rig, venue } = open();
    const currency = 'USDT';
    const spot = rig.exchange.spotBalance(currency);
    const amount = of<'USDT'>('1');
    const request = { kind: 'transfer', currency, direction: 'withdraw', amount } as const;
    expect(answer(venue, request)).toBeNull();
    expect(answer(venue, { kind: 'read-instrument', symbol: 'BTCUSDT' })).toMatchObject({
      symbol: 'BTCUSDT',
    });
    expect(venue.reply({ kind: 'read-instrument', symbol: 'NONEUSDT' })).toMatchObject({
      outcome: { kind: 'no', code: 'asset-not-found', status: 404 },
    });
    expect(answer(venue, { kind: 'read-spot-wallet', currency })).toEqual({
      currency,
      withdrawable: add(spot, amount),
    });
    expect(answer(venue, { kind: 'read-transfers', currency, limit: 5 })).toMatchObject([
      { direction: 'withdraw', amount },
    ]);
  });
});
