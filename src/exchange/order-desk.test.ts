import { describe, expect, it } from 'vitest';
import { HOUR, MIDNIGHT, of } from '../../test/harness/exchange-rig.js';
import {
  codeOf,
  valueOf,
  WatchedExchange,
  type Wish,
} from '../../test/harness/watched-exchange.js';
import { textFromFixed, type Price, type Quantity } from '../core/fixed.js';
import type { OrderRef } from '../core/order.js';
import type { ExchangeOrder } from './simulated-exchange.js';

const to = (price: string, quantity: string): { price: Price; quantity: Quantity } => ({
  price: of(price),
  quantity: of(quantity),
});
const byId = ({ orderId }: ExchangeOrder): OrderRef => ({ orderId });
const fills = ({ executions }: ExchangeOrder): readonly (readonly [string, string, boolean])[] =>
  executions.map(({ price, quantity, maker }) => [
    textFromFixed(price),
    textFromFixed(quantity),
    maker,
  ]);

describe('an amend', () => {
  it('gives a resting order its new price and quantity, and its id stays', () => {
    const rig = new WatchedExchange();
    const order = rig.run('buy', { price: '90' }, { clientOrderId: 'mine' });
    rig.exchange.setTime(MIDNIGHT + 2 * HOUR);
    const amended = valueOf(rig.exchange.amend({ clientOrderId: 'mine' }, to('95', '2')));
    expect(amended).toMatchObject({
      orderId: order.orderId,
      status: 'created',
      price: of('95'),
      quantity: of('2'),
      createdAt: MIDNIGHT + HOUR,
      updatedAt: MIDNIGHT + 2 * HOUR,
    });
    rig.exchange.settle();
    rig.move('94.9');
    expect(fills(rig.order(order.orderId))).toEqual([['95', '2', true]]);
  });

  it('loses its place in time', () => {
    const rig = new WatchedExchange();
    const [first, second] = [rig.run('buy', { price: '95' }), rig.run('buy', { price: '95' })];
    valueOf(rig.exchange.amend(byId(first), to('95', '1')));
    rig.exchange.settle();
    rig.told.length = 0;
    const order: string[] = [];
    rig.exchange.listen((event) => {
      if (event.kind === 'fill') order.push(event.order.orderId);
    });
    rig.move('90');
    expect(order).toEqual([second.orderId, first.orderId]);
  });

  it('takes at the market when its new price crosses', () => {
    const rig = new WatchedExchange();
    const order = rig.run('buy', { price: '90' });
    valueOf(rig.exchange.amend(byId(order), to('101', '1')));
    rig.exchange.settle();
    expect(fills(rig.order(order.orderId))).toEqual([['100', '1', false]]);
  });

  it('of an order that still waits for its first match counts there', () => {
    const rig = new WatchedExchange();
    const order = rig.put('buy', { price: '101' });
    valueOf(rig.exchange.amend(byId(order), to('99', '1')));
    rig.exchange.settle();
    expect(rig.order(order.orderId)).toMatchObject({ status: 'created', price: of('99') });
  });

  it.each([
    ['99.95', '1', 'price-step'],
    ['3000000', '1', 'price-range'],
    ['0', '1', 'limit-price-missing'],
    ['90', '1.0005', 'quantity-step'],
    ['90', '0', 'quantity-range'],
    ['90', '2000000', 'quantity-range'],
    ['90', '0.01', 'notional-below-minimum'],
    ['90', '200', 'insufficient-balance'],
    ['80', '1', 'invalid-stop-loss'],
    ['120', '1', 'invalid-take-profit'],
  ])('to %s × %s is judged like a new order: %s', (price, quantity, code) => {
    const rig = new WatchedExchange();
    const order = rig.run('buy', { price: '90', stopLoss: '85', takeProfit: '110' });
    expect(codeOf(rig.exchange.amend(byId(order), to(price, quantity)))).toBe(code);
    expect(rig.order(order.orderId)).toEqual(order);
  });

  it('moves neither market orders, stops, what has ended nor what nobody knows', () => {
    const rig = new WatchedExchange();
    const { exchange } = rig;
    expect(codeOf(exchange.amend({ orderId: 'nobody' }, to('90', '1')))).toBe('order-not-found');
    const market = rig.put('buy', { stopLoss: '90' });
    expect(codeOf(exchange.amend(byId(market), to('90', '1')))).toBe('params-error');
    expect(codeOf(exchange.amend(byId(rig.leg('stop-loss')), to('90', '1')))).toBe('params-error');
    exchange.settle();
    expect(codeOf(exchange.amend(byId(market), to('90', '1')))).toBe('order-not-open');
  });

  it('opens nothing on a pair that is being delisted', () => {
    const rig = new WatchedExchange();
    const order = rig.run('buy', { price: '90' });
    rig.exchange.setDelisting(rig.symbol, true);
    expect(codeOf(rig.exchange.amend(byId(order), to('91', '1')))).toBe('delisting');
  });

  describe('of a partly filled order', () => {
    const half = (
      assumptions: ConstructorParameters<typeof WatchedExchange>[1],
    ): [WatchedExchange, ExchangeOrder] => {
      const rig = new WatchedExchange({}, assumptions);
      const order = rig.run('buy', { price: '90', quantity: '2' });
      valueOf(rig.exchange.fillPart(byId(order), of('1')));
      return [rig, order];
    };

    it('is refused', () => {
      const [rig, order] = half({});
      expect(codeOf(rig.exchange.amend(byId(order), to('91', '3')))).toBe('order-not-open');
    });

    it('may count the whole quantity (assumption)', () => {
      const [rig, order] = half({ amendFilled: 'accepted' });
      expect(codeOf(rig.exchange.amend(byId(order), to('91', '1')))).toBe('quantity-range');
      const amended = valueOf(rig.exchange.amend(byId(order), to('91', '3')));
      expect(amended).toMatchObject({ quantity: of('3'), status: 'partially-filled' });
      rig.exchange.settle();
      rig.move('90.9');
      expect(rig.held()).toBe('3');
    });

    it('may count what is left (assumption)', () => {
      const [rig, order] = half({ amendFilled: 'accepted', amendQuantity: 'remaining' });
      const amended = valueOf(rig.exchange.amend(byId(order), to('91', '3')));
      expect(amended).toMatchObject({ quantity: of('4'), filledQuantity: of('1') });
    });
  });
});

describe('a fill by hand', () => {
  it('fills so much of a resting order at its own price, as maker, and the rest goes on', () => {
    const rig = new WatchedExchange();
    const order = rig.run('buy', { price: '90', quantity: '3' });
    const part = valueOf(rig.exchange.fillPart(byId(order), of('1')));
    expect(part).toMatchObject({ status: 'partially-filled', filledQuantity: of('1') });
    expect(part.endedAt).toBeUndefined();
    expect(fills(part)).toEqual([['90', '1', true]]);
    expect(rig.exchange.openOrders('USDT')).toEqual([part]);
    rig.exchange.setTime(MIDNIGHT + 3 * HOUR);
    rig.move('89.9');
    const whole = rig.order(order.orderId);
    expect(whole).toMatchObject({ status: 'filled', endedAt: MIDNIGHT + 3 * HOUR });
    expect(fills(whole)).toEqual([
      ['90', '1', true],
      ['90', '2', true],
    ]);
    expect(rig.held()).toBe('3');
  });

  it('takes at the present price what crosses or is a market order; settling takes the rest', () => {
    const rig = new WatchedExchange({ slippageBps: 100 });
    const limit = rig.put('sell', { price: '99', quantity: '2' });
    expect(fills(valueOf(rig.exchange.fillPart(byId(limit), of('1'))))).toEqual([
      ['100', '1', false],
    ]);
    const market = rig.put('sell', { quantity: '2' });
    valueOf(rig.exchange.fillPart(byId(market), of('1')));
    rig.exchange.settle();
    expect(fills(rig.order(market.orderId))).toEqual([
      ['99', '1', false],
      ['99', '1', false],
    ]);
    expect(rig.held()).toBe('-4');
  });

  it('attaches the entry’s stop and target at the first part, and they survive the next', () => {
    const rig = new WatchedExchange();
    const wish = { price: '90', quantity: '2', stopLoss: '85', takeProfit: '110' };
    const order = rig.run('buy', wish);
    valueOf(rig.exchange.fillPart(byId(order), of('1')));
    const stop = rig.leg('stop-loss');
    expect(rig.position()).toMatchObject({
      stopLoss: { orderId: stop.orderId },
      takeProfit: { orderId: rig.leg('take-profit').orderId },
    });
    rig.move('89.9');
    expect(rig.position()).toMatchObject({ quantity: of('2'), stopLoss: { price: of('85') } });
    rig.move('85');
    expect(rig.leg('stop-loss')).toMatchObject({ status: 'filled', filledQuantity: of('2') });
  });

  it('sets off what the present price meets: a position lives nowhere beyond its liquidation', () => {
    const rig = new WatchedExchange();
    rig.move('100', '70');
    const order = rig.put('buy', { quantity: '2' });
    const part = valueOf(rig.exchange.fillPart(byId(order), of('1')));
    expect(part.filledQuantity).toBe(of('1'));
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([{ kind: 'liquidated' }]);
  });

  it('is refused where the order cannot trade that much', () => {
    const rig = new WatchedExchange();
    const { exchange } = rig;
    const order = rig.run('buy', { price: '90', quantity: '2', stopLoss: '85' });
    const ask = (quantity: string): string => codeOf(exchange.fillPart(byId(order), of(quantity)));
    expect([ask('0'), ask('-1'), ask('2.001'), ask('0.0005')]).toEqual([
      ...['quantity-range', 'quantity-range', 'quantity-range', 'quantity-step'],
    ]);
    expect(codeOf(exchange.fillPart({ orderId: 'nobody' }, of('1')))).toBe('order-not-found');
    expect(codeOf(exchange.fillPart(byId(rig.leg('stop-loss')), of('1')))).toBe('params-error');
    const large = rig.run('buy', { price: '90', quantity: '90' });
    rig.run('buy', { quantity: '40' });
    expect(codeOf(exchange.fillPart(byId(large), of('90')))).toBe('insufficient-balance');
    exchange.cancel(byId(order));
    expect(ask('1')).toBe('order-not-open');
  });

  it('reduces no more than there is, and ends a reduce-only order whose position is gone', () => {
    const rig = new WatchedExchange();
    rig.run('buy', { quantity: '2' });
    const close = rig.run('sell', { price: '110', quantity: '3', reduceOnly: true });
    expect(codeOf(rig.exchange.fillPart(byId(close), of('3')))).toBe(
      'reduce-only-without-position',
    );
    const filled = valueOf(rig.exchange.fillPart(byId(close), of('2')));
    expect(filled).toMatchObject({ status: 'system-canceled', filledQuantity: of('2') });
    expect(rig.held()).toBe('0');
  });

  it('that only closes leaves the rest of a larger opposite order to the next position', () => {
    const rig = new WatchedExchange();
    rig.run('buy', { quantity: '1' });
    const { positionId } = rig.position();
    const order = rig.run('sell', { price: '110', quantity: '3' });
    const other = rig.run('sell', { price: '111', quantity: '1' });
    valueOf(rig.exchange.fillPart(byId(order), of('1')));
    rig.move('110.1');
    expect(rig.held()).toBe('-2');
    expect(rig.position().positionId).not.toBe(positionId);
    expect(rig.order(other.orderId).positionId).toBe(rig.position().positionId);
  });

  it.each([
    [{}, 'canceled'],
    [{ partialCancelStatus: 'partially-filled' }, 'partially-filled'],
  ] as const)(
    'cancelled afterwards under %o it is %s, and its stop stays',
    (assumptions, status) => {
      const rig = new WatchedExchange({}, assumptions);
      const order = rig.run('buy', { price: '90', quantity: '2', stopLoss: '85' });
      valueOf(rig.exchange.fillPart(byId(order), of('1')));
      const ended = valueOf(rig.exchange.cancel(byId(order)));
      expect(ended).toMatchObject({ status, filledQuantity: of('1'), endedAt: MIDNIGHT + HOUR });
      expect(rig.exchange.openOrders('USDT').map(({ role }) => role)).toEqual(['stop-loss']);
      expect(codeOf(rig.exchange.cancel(byId(order)))).toBe('order-not-open');
    },
  );
});

describe('an asynchronous refusal', () => {
  it.each([
    [{}, 'canceled'],
    [{ asyncRefusal: 'system-canceled' }, 'system-canceled'],
  ] as const)('under %o ends an accepted order %s, with the reason', (assumptions, status) => {
    const rig = new WatchedExchange({}, assumptions);
    const order = rig.put('buy', { stopLoss: '90' });
    const refused = valueOf(rig.exchange.refuse(byId(order), 'Risk limit'));
    expect(refused).toMatchObject({ status, reason: 'Risk limit', filledQuantity: 0 });
    rig.exchange.settle();
    expect(rig.held()).toBe('0');
    expect(rig.exchange.openOrders('USDT')).toEqual([]);
    expect(codeOf(rig.exchange.refuse(byId(order), 'again'))).toBe('order-not-open');
  });
});

describe('a pair that is being delisted', () => {
  const resting: Wish = { price: '90' };

  it.each([
    [{}, 'created'],
    [{ delistingEntries: 'cancel' }, 'system-canceled'],
  ] as const)(
    'under %o leaves a resting entry %s, and what reduces alone',
    (assumptions, status) => {
      const rig = new WatchedExchange({}, assumptions);
      rig.run('buy', { quantity: '2' });
      const entry = rig.run('buy', resting);
      const close = rig.run('sell', { price: '110', reduceOnly: true });
      rig.exchange.setDelisting(rig.symbol, true);
      expect(rig.order(entry.orderId).status).toBe(status);
      expect(rig.order(close.orderId).status).toBe('created');
    },
  );
});

describe('the lock', () => {
  it('keeps users from cancelling and amending, not the venue from filling', () => {
    const rig = new WatchedExchange();
    const order = rig.run('buy', { price: '90' });
    rig.exchange.setLocked(rig.symbol, true);
    expect(codeOf(rig.exchange.cancel(byId(order)))).toBe('locked');
    expect(codeOf(rig.exchange.amend(byId(order), to('91', '1')))).toBe('locked');
    expect(codeOf(rig.exchange.cancel({ orderId: 'nobody' }))).toBe('order-not-found');
    expect(codeOf(rig.exchange.fillPart(byId(order), of('0.5')))).toBe('ok');
    rig.exchange.setLocked(rig.symbol, false);
    expect(codeOf(rig.exchange.cancel(byId(order)))).toBe('ok');
  });
});
