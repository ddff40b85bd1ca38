import { describe, expect, it } from 'vitest';
import { HOUR, MIDNIGHT, of } from '../../../test/support/rigs/exchange-rig.js';
import {
  codeOf,
  valueOf,
  BalanceCheckedExchange,
  type OrderSpec,
} from '../../../test/support/rigs/balance-checked-exchange.js';
import { textFromFixed, type Price, type Quantity } from '../../core/fixed/fixed.js';
import type { OrderRef } from '../../core/order.js';
import type { ExchangeOrder } from '../simulated-exchange.js';
import { fixedSlippage } from './slippage.js';

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
  it('an amend gives a resting order a new price and quantity; its id stays', () => {
    const rig = new BalanceCheckedExchange();
    const order = rig.placeAndMatch('buy', { price: '90' }, { clientOrderId: 'mine' });
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
    rig.exchange.matchPending();
    rig.move('94.9');
    expect(fills(rig.order(order.orderId))).toEqual([['95', '2', true]]);
  });

  it('an amended order loses its time priority', () => {
    const rig = new BalanceCheckedExchange();
    const [first, second] = [
      rig.placeAndMatch('buy', { price: '95' }),
      rig.placeAndMatch('buy', { price: '95' }),
    ];
    valueOf(rig.exchange.amend(byId(first), to('95', '1')));
    rig.exchange.matchPending();
    rig.eventLog.length = 0;
    const order: string[] = [];
    rig.exchange.listen((event) => {
      if (event.kind === 'fill') order.push(event.order.orderId);
    });
    rig.move('90');
    expect(order).toEqual([second.orderId, first.orderId]);
  });

  it('an amended order takes when its new price crosses', () => {
    const rig = new BalanceCheckedExchange();
    const order = rig.placeAndMatch('buy', { price: '90' });
    valueOf(rig.exchange.amend(byId(order), to('101', '1')));
    rig.exchange.matchPending();
    expect(fills(rig.order(order.orderId))).toEqual([['100', '1', false]]);
  });

  it('an amend applies to an order before its first match', () => {
    const rig = new BalanceCheckedExchange();
    const order = rig.place('buy', { price: '101' });
    valueOf(rig.exchange.amend(byId(order), to('99', '1')));
    rig.exchange.matchPending();
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
  ])('an amend to %s × %s is checked like a new order: %s', (price, quantity, code) => {
    const rig = new BalanceCheckedExchange();
    const order = rig.placeAndMatch('buy', { price: '90', stopLoss: '85', takeProfit: '110' });
    expect(codeOf(rig.exchange.amend(byId(order), to(price, quantity)))).toBe(code);
    expect(rig.order(order.orderId)).toEqual(order);
  });

  it('an amend is refused for market orders, stops, ended orders and unknown orders', () => {
    const rig = new BalanceCheckedExchange();
    const { exchange } = rig;
    expect(codeOf(exchange.amend({ orderId: 'unknown' }, to('90', '1')))).toBe('order-not-found');
    const market = rig.place('buy', { stopLoss: '90' });
    expect(codeOf(exchange.amend(byId(market), to('90', '1')))).toBe('params-error');
    expect(codeOf(exchange.amend(byId(rig.protectiveOrder('stop-loss')), to('90', '1')))).toBe(
      'params-error',
    );
    exchange.matchPending();
    expect(codeOf(exchange.amend(byId(market), to('90', '1')))).toBe('order-not-open');
  });

  it('an amend opens nothing on a pair that is being delisted', () => {
    const rig = new BalanceCheckedExchange();
    const order = rig.placeAndMatch('buy', { price: '90' });
    rig.exchange.setDelisting(rig.symbol, true);
    expect(codeOf(rig.exchange.amend(byId(order), to('91', '1')))).toBe('delisting');
  });

  describe('an amend of a partly filled order', () => {
    const half = (
      assumptions: ConstructorParameters<typeof BalanceCheckedExchange>[1],
    ): [BalanceCheckedExchange, ExchangeOrder] => {
      const rig = new BalanceCheckedExchange({}, assumptions);
      const order = rig.placeAndMatch('buy', { price: '90', quantity: '2' });
      valueOf(rig.exchange.fillPart(byId(order), of('1')));
      return [rig, order];
    };

    it('the amend is refused', () => {
      const [rig, order] = half({});
      expect(codeOf(rig.exchange.amend(byId(order), to('91', '3')))).toBe('order-not-open');
    });

    it('the quantity may mean the total (assumption)', () => {
      const [rig, order] = half({ amendFilled: 'accepted' });
      expect(codeOf(rig.exchange.amend(byId(order), to('91', '1')))).toBe('quantity-range');
      const amended = valueOf(rig.exchange.amend(byId(order), to('91', '3')));
      expect(amended).toMatchObject({ quantity: of('3'), status: 'partially-filled' });
      rig.exchange.matchPending();
      rig.move('90.9');
      expect(rig.signedPosition()).toBe('3');
    });

    it('the quantity may mean the remainder (assumption)', () => {
      const [rig, order] = half({ amendFilled: 'accepted', amendQuantity: 'remaining' });
      const amended = valueOf(rig.exchange.amend(byId(order), to('91', '3')));
      expect(amended).toMatchObject({ quantity: of('4'), filledQuantity: of('1') });
    });
  });
});

describe('a fill by an admin action', () => {
  it('a part of a resting order fills at its own price as maker; the rest stays open', () => {
    const rig = new BalanceCheckedExchange();
    const order = rig.placeAndMatch('buy', { price: '90', quantity: '3' });
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
    expect(rig.signedPosition()).toBe('3');
  });

  it('a crossing or market order fills at the last price; matching takes the rest', () => {
    const rig = new BalanceCheckedExchange({ slippage: fixedSlippage(100) });
    const limit = rig.place('sell', { price: '99', quantity: '2' });
    expect(fills(valueOf(rig.exchange.fillPart(byId(limit), of('1'))))).toEqual([
      ['100', '1', false],
    ]);
    const market = rig.place('sell', { quantity: '2' });
    valueOf(rig.exchange.fillPart(byId(market), of('1')));
    rig.exchange.matchPending();
    expect(fills(rig.order(market.orderId))).toEqual([
      ['99', '1', false],
      ['99', '1', false],
    ]);
    expect(rig.signedPosition()).toBe('-4');
  });

  it('the first part attaches the entry’s stop and target, which survive the next part', () => {
    const rig = new BalanceCheckedExchange();
    const spec = { price: '90', quantity: '2', stopLoss: '85', takeProfit: '110' };
    const order = rig.placeAndMatch('buy', spec);
    valueOf(rig.exchange.fillPart(byId(order), of('1')));
    const stop = rig.protectiveOrder('stop-loss');
    expect(rig.position()).toMatchObject({
      stopLoss: { orderId: stop.orderId },
      takeProfit: { orderId: rig.protectiveOrder('take-profit').orderId },
    });
    rig.move('89.9');
    expect(rig.position()).toMatchObject({ quantity: of('2'), stopLoss: { price: of('85') } });
    rig.move('85');
    expect(rig.protectiveOrder('stop-loss')).toMatchObject({
      status: 'filled',
      filledQuantity: of('2'),
    });
  });

  it('the fill triggers what the current price reaches: no position stays beyond its liquidation price', () => {
    const rig = new BalanceCheckedExchange();
    rig.move('100', '70');
    const order = rig.place('buy', { quantity: '2' });
    const part = valueOf(rig.exchange.fillPart(byId(order), of('1')));
    expect(part.filledQuantity).toBe(of('1'));
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([{ kind: 'liquidated' }]);
  });

  it('a fill is refused where the order cannot trade that much', () => {
    const rig = new BalanceCheckedExchange();
    const { exchange } = rig;
    const order = rig.placeAndMatch('buy', { price: '90', quantity: '2', stopLoss: '85' });
    const attempt = (quantity: string): string =>
      codeOf(exchange.fillPart(byId(order), of(quantity)));
    expect([attempt('0'), attempt('-1'), attempt('2.001'), attempt('0.0005')]).toEqual([
      ...['quantity-range', 'quantity-range', 'quantity-range', 'quantity-step'],
    ]);
    expect(codeOf(exchange.fillPart({ orderId: 'unknown' }, of('1')))).toBe('order-not-found');
    expect(codeOf(exchange.fillPart(byId(rig.protectiveOrder('stop-loss')), of('1')))).toBe(
      'params-error',
    );
    const large = rig.placeAndMatch('buy', { price: '90', quantity: '90' });
    rig.placeAndMatch('buy', { quantity: '40' });
    expect(codeOf(exchange.fillPart(byId(large), of('90')))).toBe('insufficient-balance');
    exchange.cancel(byId(order));
    expect(attempt('1')).toBe('order-not-open');
  });

  it('a fill reduces at most the position and ends a reduce-only order whose position has closed', () => {
    const rig = new BalanceCheckedExchange();
    rig.placeAndMatch('buy', { quantity: '2' });
    const close = rig.placeAndMatch('sell', { price: '110', quantity: '3', reduceOnly: true });
    expect(codeOf(rig.exchange.fillPart(byId(close), of('3')))).toBe(
      'reduce-only-without-position',
    );
    const filled = valueOf(rig.exchange.fillPart(byId(close), of('2')));
    expect(filled).toMatchObject({ status: 'system-canceled', filledQuantity: of('2') });
    expect(rig.signedPosition()).toBe('0');
  });

  it('a closing fill leaves the rest of a larger opposite order to the next position', () => {
    const rig = new BalanceCheckedExchange();
    rig.placeAndMatch('buy', { quantity: '1' });
    const { positionId } = rig.position();
    const order = rig.placeAndMatch('sell', { price: '110', quantity: '3' });
    const other = rig.placeAndMatch('sell', { price: '111', quantity: '1' });
    valueOf(rig.exchange.fillPart(byId(order), of('1')));
    rig.move('110.1');
    expect(rig.signedPosition()).toBe('-2');
    expect(rig.position().positionId).not.toBe(positionId);
    expect(rig.order(other.orderId).positionId).toBe(rig.position().positionId);
  });

  it.each([
    [{}, 'canceled'],
    [{ partialCancelStatus: 'partially-filled' }, 'partially-filled'],
  ] as const)(
    'under %o a partly filled order that is cancelled is %s, and its stop stays',
    (assumptions, status) => {
      const rig = new BalanceCheckedExchange({}, assumptions);
      const order = rig.placeAndMatch('buy', { price: '90', quantity: '2', stopLoss: '85' });
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
  ] as const)(
    'under %o a refusal ends an accepted order as %s, with the reason',
    (assumptions, status) => {
      const rig = new BalanceCheckedExchange({}, assumptions);
      const order = rig.place('buy', { stopLoss: '90' });
      const refused = valueOf(rig.exchange.reject(byId(order), 'Risk limit'));
      expect(refused).toMatchObject({ status, reason: 'Risk limit', filledQuantity: 0 });
      rig.exchange.matchPending();
      expect(rig.signedPosition()).toBe('0');
      expect(rig.exchange.openOrders('USDT')).toEqual([]);
      expect(codeOf(rig.exchange.reject(byId(order), 'again'))).toBe('order-not-open');
    },
  );
});

describe('a pair that is being delisted', () => {
  const resting: OrderSpec = { price: '90' };

  it.each([
    [{}, 'created'],
    [{ delistingEntries: 'cancel' }, 'system-canceled'],
  ] as const)('under %o a resting entry is %s, and reducing orders stay', (assumptions, status) => {
    const rig = new BalanceCheckedExchange({}, assumptions);
    rig.placeAndMatch('buy', { quantity: '2' });
    const entry = rig.placeAndMatch('buy', resting);
    const close = rig.placeAndMatch('sell', { price: '110', reduceOnly: true });
    rig.exchange.setDelisting(rig.symbol, true);
    expect(rig.order(entry.orderId).status).toBe(status);
    expect(rig.order(close.orderId).status).toBe('created');
  });
});

describe('asset lock', () => {
  it('the lock refuses users’ cancels and amends, but not admin fills', () => {
    const rig = new BalanceCheckedExchange();
    const order = rig.placeAndMatch('buy', { price: '90' });
    rig.exchange.setLocked(rig.symbol, true);
    expect(codeOf(rig.exchange.cancel(byId(order)))).toBe('locked');
    expect(codeOf(rig.exchange.amend(byId(order), to('91', '1')))).toBe('locked');
    expect(codeOf(rig.exchange.cancel({ orderId: 'unknown' }))).toBe('order-not-found');
    expect(codeOf(rig.exchange.fillPart(byId(order), of('0.5')))).toBe('ok');
    rig.exchange.setLocked(rig.symbol, false);
    expect(codeOf(rig.exchange.cancel(byId(order)))).toBe('ok');
  });
});
