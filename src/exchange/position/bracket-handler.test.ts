import { describe, expect, it } from 'vitest';
import { HOUR, MIDNIGHT, money, of } from '../../../test/support/rigs/exchange-rig.js';
import {
  codeOf,
  valueOf,
  BalanceCheckedExchange,
} from '../../../test/support/rigs/balance-checked-exchange.js';
import type { OrderRef, Side } from '../../core/order.js';
import type { Assumptions } from '../assumptions.js';
import { fixedSlippage } from '../order/slippage.js';
import type {
  ProtectiveOrderChange,
  Bracket,
  ProtectiveOrderTerms,
} from '../simulated-exchange.js';

interface BracketSpec {
  readonly stop?: string;
  readonly target?: string;
  readonly stopId?: string;
  readonly targetId?: string;
}

function bracketOf({ stop, target, stopId, targetId }: BracketSpec): Bracket<ProtectiveOrderTerms> {
  const termsOf = (price: string, id: string | undefined): ProtectiveOrderTerms => ({
    price: of(price),
    ...(id !== undefined && { clientOrderId: id }),
  });
  return {
    ...(stop !== undefined && { stopLoss: termsOf(stop, stopId) }),
    ...(target !== undefined && { takeProfit: termsOf(target, targetId) }),
  };
}

function open(side: Side, assumptions: Partial<Assumptions> = {}): BalanceCheckedExchange {
  const rig = new BalanceCheckedExchange({}, assumptions);
  rig.placeAndMatch(side, { quantity: '2' });
  return rig;
}

const protect = (rig: BalanceCheckedExchange, spec: BracketSpec): string =>
  codeOf(rig.exchange.protect(rig.position().positionId, bracketOf(spec)));

describe('protect', () => {
  it('stop and target orders are created on the open position and found by their own ids', () => {
    const rig = open('buy');
    const { positionId } = rig.position();
    const spec = { stop: '95', target: '110', stopId: 's', targetId: 't' };
    const row = valueOf(rig.exchange.protect(positionId, bracketOf(spec)));
    const stop = rig.exchange.order({ clientOrderId: 's' });
    expect(stop).toMatchObject({
      role: 'stop-loss',
      type: 'market',
      status: 'created',
      price: of('95'),
      quantity: 0,
      positionId,
    });
    expect(stop?.side).toBeUndefined();
    expect(row.stopLoss).toEqual({ price: of('95'), orderId: stop?.orderId });
    expect(row.takeProfit?.orderId).toBe(rig.exchange.order({ clientOrderId: 't' })?.orderId);
    expect(rig.eventLog.slice(-3)).toEqual([
      'stop-loss created',
      'take-profit created',
      'position',
    ]);
  });

  it.each([
    ['buy', 'moveThrough', '94', 'stop-loss', '95', '-10'],
    ['buy', 'moveThrough', '111', 'take-profit', '110', '20'],
    ['sell', 'moveThrough', '106', 'stop-loss', '105', '-10'],
    ['sell', 'gapTo', '89', 'take-profit', '89', '22'],
  ] as const)(
    'a position opened by a %s: a %s to %s triggers the %s at %s',
    (side, how, price, role, at, pnl) => {
      const rig = open(side);
      const spec = side === 'buy' ? { stop: '95', target: '110' } : { stop: '105', target: '90' };
      expect(protect(rig, spec)).toBe('ok');
      rig.exchange[how](rig.symbol, of(price), of(price));
      const sibling = role === 'stop-loss' ? 'take-profit' : 'stop-loss';
      expect(rig.protectiveOrder(role)).toMatchObject({ status: 'filled', averagePrice: of(at) });
      expect(rig.protectiveOrder(sibling).status).toBe('system-canceled');
      expect(rig.exchange.positionHistory('USDT')).toMatchObject([
        { kind: 'closed', pnl: money(pnl), orderId: rig.protectiveOrder(role).orderId },
      ]);
      expect(rig.exchange.orderHistory('USDT').map(({ role }) => role)).toEqual([role, 'trade']);
    },
  );

  it.each<[Side, BracketSpec, string]>([
    ['buy', { stop: '90.9' }, 'ok'],
    ['buy', { stop: '90.8' }, 'protection-refused'],
    ['buy', { stop: '100' }, 'invalid-stop-loss'],
    ['buy', { stop: '0.05' }, 'invalid-stop-loss'],
    ['buy', { stop: '95.05' }, 'ok'],
    ['buy', { target: '100' }, 'invalid-take-profit'],
    ['buy', { target: '2000000' }, 'invalid-take-profit'],
    ['buy', { stop: '95', target: '100' }, 'invalid-take-profit'],
    ['buy', {}, 'invalid-request'],
    ['buy', { stop: '95', stopId: 'no good' }, 'invalid-client-order-id'],
    ['buy', { stop: '95', stopId: 'used' }, 'client-order-id-exists'],
    ['buy', { stop: '95', target: '110', stopId: 'a', targetId: 'a' }, 'client-order-id-exists'],
    ['sell', { stop: '108.9' }, 'ok'],
    ['sell', { stop: '109' }, 'protection-refused'],
    ['sell', { stop: '100' }, 'invalid-stop-loss'],
    ['sell', { target: '100' }, 'invalid-take-profit'],
  ])('a bracket on a %s with %o answers %s, all or nothing', (side, spec, code) => {
    const rig = new BalanceCheckedExchange();
    rig.placeAndMatch(side, { quantity: '2' }, { clientOrderId: 'used' });
    expect(protect(rig, spec)).toBe(code);
    expect(rig.exchange.openOrders('USDT').length > 0).toBe(code === 'ok');
  });

  it('a new stop replaces the existing one, which is system-cancelled', () => {
    const rig = open('buy');
    protect(rig, { stop: '95', target: '110' });
    expect(protect(rig, { stop: '96' })).toBe('ok');
    expect([
      rig.protectiveOrder('stop-loss').status,
      rig.protectiveOrder('stop-loss', 1).status,
    ]).toEqual([...['system-canceled', 'created']]);
    expect(rig.position()).toMatchObject({
      stopLoss: { price: of('96') },
      takeProfit: { price: of('110') },
    });
  });

  it('a second stop is refused (assumption)', () => {
    const rig = open('buy', { legOnExisting: 'refuse' });
    protect(rig, { stop: '95' });
    expect(protect(rig, { stop: '96', target: '110' })).toBe('protection-refused');
    expect(protect(rig, { target: '110' })).toBe('ok');
    expect(rig.position().stopLoss?.price).toBe(of('95'));
  });

  it('a stop that the market has passed triggers at once (assumption)', () => {
    const rig = open('buy', { legBeyondMarket: 'fires' });
    expect(protect(rig, { stop: '101' })).toBe('ok');
    expect(rig.signedPosition()).toBe('2');
    rig.move('100');
    expect(rig.signedPosition()).toBe('0');
    expect(rig.protectiveOrder('stop-loss')).toMatchObject({
      status: 'filled',
      averagePrice: of('100'),
    });
  });

  it('the price that triggers is the one checked (assumption)', () => {
    const rig = open('buy', { stopTrigger: 'mark' });
    rig.move('100', '98');
    expect(protect(rig, { stop: '99' })).toBe('invalid-stop-loss');
    expect(protect(rig, { target: '99' })).toBe('ok');
  });

  it('the price step is required (assumption), for entries too', () => {
    const rig = open('buy', { legPriceStep: 'checked' });
    expect(protect(rig, { stop: '95.05' })).toBe('invalid-stop-loss');
    expect(codeOf(rig.tryPlace('buy', { takeProfit: '110.05' }))).toBe('invalid-take-profit');
    expect(protect(rig, { stop: '95.1', target: '110.1' })).toBe('ok');
  });

  it('only protect checks the liquidation price; entries do not, in v1 or v2', () => {
    const rig = new BalanceCheckedExchange();
    expect(codeOf(rig.tryPlace('buy', { stopLoss: '50' }))).toBe('ok');
    expect(codeOf(rig.tryPlace('buy', { stopLoss: '50' }, { leverage: of('10') }))).toBe('ok');
  });

  it('ids stay used for ever, also that of an ended stop', () => {
    const rig = open('buy');
    protect(rig, { stop: '95', stopId: 's' });
    expect(codeOf(rig.exchange.cancel({ clientOrderId: 's' }))).toBe('ok');
    expect(rig.position().stopLoss).toBeUndefined();
    expect(protect(rig, { stop: '95', stopId: 's' })).toBe('client-order-id-exists');
    expect(codeOf(rig.tryPlace('buy', {}, { clientOrderId: 's' }))).toBe('client-order-id-exists');
  });
});

describe('a stop of a changing position', () => {
  const change = (rig: BalanceCheckedExchange): void => {
    protect(rig, { stop: '95', target: '110' });
    rig.placeAndMatch('buy', { quantity: '1' });
  };

  it('the stop covers the whole position', () => {
    const rig = open('buy');
    change(rig);
    rig.move('95');
    expect(rig.protectiveOrder('stop-loss')).toMatchObject({
      filledQuantity: of('3'),
      quantity: of('3'),
    });
    expect(rig.signedPosition()).toBe('0');
  });

  it('the stop covers the quantity at its setting (assumption): the rest stays and the sibling ends', () => {
    const rig = open('buy', { stopQuantity: 'static' });
    change(rig);
    rig.move('95');
    expect(rig.protectiveOrder('stop-loss')).toMatchObject({
      status: 'filled',
      filledQuantity: of('2'),
    });
    expect(rig.protectiveOrder('take-profit').status).toBe('system-canceled');
    expect(rig.position()).toMatchObject({ quantity: of('1') });
    expect(rig.position().stopLoss).toBeUndefined();
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([{ kind: 'partial' }]);
  });

  it('the stop covers at most the position (assumption)', () => {
    const rig = open('buy', { stopQuantity: 'static' });
    protect(rig, { stop: '95' });
    rig.placeAndMatch('sell', { quantity: '1' });
    rig.move('95');
    expect(rig.protectiveOrder('stop-loss')).toMatchObject({
      status: 'filled',
      filledQuantity: of('1'),
    });
    expect(rig.signedPosition()).toBe('0');
  });

  it('the stop of an amended entry covers the amended quantity (assumption)', () => {
    const rig = new BalanceCheckedExchange({}, { stopQuantity: 'static' });
    const entry = rig.placeAndMatch('buy', { price: '98', quantity: '1', stopLoss: '95' });
    const to = { price: of<'price'>('98'), quantity: of<'quantity'>('2') };
    valueOf(rig.exchange.amend({ orderId: entry.orderId }, to));
    rig.exchange.matchPending();
    rig.move('97');
    rig.move('94');
    expect(rig.protectiveOrder('stop-loss')).toMatchObject({
      status: 'filled',
      filledQuantity: of('2'),
    });
  });
});

describe('moving protection', () => {
  const start = (assumptions: Partial<Assumptions> = {}): BalanceCheckedExchange => {
    const rig = open('buy', assumptions);
    protect(rig, { stop: '95', target: '110', stopId: 's', targetId: 't' });
    return rig;
  };
  const move = (rig: BalanceCheckedExchange, changes: Bracket<ProtectiveOrderChange>): string =>
    codeOf(rig.exchange.moveProtection(rig.position().positionId, changes));
  const change = (price: string, order?: OrderRef): ProtectiveOrderChange => ({
    price: of(price),
    ...(order !== undefined && { order }),
  });

  it('a move changes the trigger and keeps the order id, by order id or client id', () => {
    const rig = start();
    const { orderId } = rig.protectiveOrder('stop-loss');
    rig.exchange.setTime(MIDNIGHT + 2 * HOUR);
    const changes = {
      stopLoss: change('97', { orderId }),
      takeProfit: change('105', { clientOrderId: 't' }),
    };
    expect(move(rig, changes)).toBe('ok');
    expect(rig.protectiveOrder('stop-loss')).toMatchObject({
      price: of('97'),
      updatedAt: MIDNIGHT + 2 * HOUR,
    });
    expect(rig.position()).toMatchObject({
      stopLoss: { price: of('97'), orderId },
      takeProfit: { price: of('105') },
    });
    rig.exchange.moveThrough(rig.symbol, of('96'), of('96'));
    expect(rig.protectiveOrder('stop-loss')).toMatchObject({
      status: 'filled',
      averagePrice: of('97'),
    });
  });

  it('a stop of an entry can be moved too', () => {
    const rig = new BalanceCheckedExchange();
    rig.placeAndMatch('buy', { stopLoss: '95' });
    const { orderId } = rig.protectiveOrder('stop-loss');
    expect(move(rig, { stopLoss: change('96', { orderId }) })).toBe('ok');
    rig.move('96');
    expect(rig.signedPosition()).toBe('0');
  });

  it('a move is all or nothing, and the refusal names the fault', () => {
    const rig = start();
    const stop = { clientOrderId: 's' };
    const target = { clientOrderId: 't' };
    const old = rig.protectiveOrder('stop-loss').orderId;
    const rows: readonly (readonly [Bracket<ProtectiveOrderChange>, string])[] = [
      [{}, 'invalid-request'],
      [{ stopLoss: change('96') }, 'protection-order-missing'],
      [{ stopLoss: change('96', stop), takeProfit: change('111') }, 'protection-order-missing'],
      [{ stopLoss: change('96', { orderId: 'unknown' }) }, 'order-not-found'],
      [{ stopLoss: change('96', target) }, 'order-not-found'],
      [{ stopLoss: change('101', stop) }, 'invalid-stop-loss'],
      [{ stopLoss: change('96', stop), takeProfit: change('99', target) }, 'invalid-take-profit'],
    ];
    for (const [changes, code] of rows) expect(move(rig, changes)).toBe(code);
    expect(rig.position().stopLoss?.price).toBe(of('95'));
    protect(rig, { stop: '94' });
    expect(move(rig, { stopLoss: change('96', { orderId: old }) })).toBe('order-not-open');
  });

  it.each([
    [{}, 'ok'],
    [{ movedStop: 'liquidation' }, 'protection-refused'],
  ] as const)('under %o a move beyond the liquidation price answers %s', (assumptions, code) => {
    const rig = start(assumptions);
    expect(move(rig, { stopLoss: change('50', { clientOrderId: 's' }) })).toBe(code);
  });
});

describe('a stop or target edited to a limit', () => {
  function limited(side: Side, spec: BracketSpec): BalanceCheckedExchange {
    const rig = open(side);
    expect(protect(rig, spec)).toBe('ok');
    const row = rig.position();
    const change = (to: {
      orderId: string;
      price: ProtectiveOrderChange['price'];
    }): ProtectiveOrderChange => ({
      price: to.price,
      order: { orderId: to.orderId },
      type: 'limit',
    });
    valueOf(
      rig.exchange.moveProtection(row.positionId, {
        ...(row.stopLoss && { stopLoss: change(row.stopLoss) }),
        ...(row.takeProfit && { takeProfit: change(row.takeProfit) }),
      }),
    );
    return rig;
  }

  it('the snapshot shows a limit order', () => {
    expect(limited('buy', { stop: '95' }).protectiveOrder('stop-loss')).toMatchObject({
      type: 'limit',
      status: 'created',
      quantity: 0,
    });
  });

  it.each([
    ['buy', '95', '94'],
    ['sell', '105', '106'],
  ] as const)(
    'an edited stop rests where a %s was gapped past it, and trades when its price returns',
    (side, stop, beyond) => {
      const rig = limited(side, { stop, target: side === 'buy' ? '110' : '90' });
      rig.move(beyond);
      expect(rig.protectiveOrder('stop-loss')).toMatchObject({
        status: 'created',
        quantity: of('2'),
      });
      expect(rig.signedPosition()).toBe(side === 'buy' ? '2' : '-2');
      expect(rig.position().stopLoss?.orderId).toBe(rig.protectiveOrder('stop-loss').orderId);
      rig.move('100');
      expect(rig.protectiveOrder('stop-loss')).toMatchObject({
        status: 'filled',
        averagePrice: of(stop),
      });
      expect(rig.signedPosition()).toBe('0');
      expect(rig.protectiveOrder('take-profit').status).toBe('system-canceled');
    },
  );

  it('a resting edited stop ends when its position is closed', () => {
    const rig = limited('buy', { stop: '95' });
    rig.move('94');
    valueOf(rig.exchange.close(rig.position().positionId));
    rig.exchange.matchPending();
    expect(rig.protectiveOrder('stop-loss').status).toBe('system-canceled');
    rig.move('100');
    expect(rig.signedPosition()).toBe('0');
  });

  it('an edited stop takes at a better price, never at a worse one', () => {
    const better = limited('buy', { target: '110' });
    better.move('111');
    expect(better.protectiveOrder('take-profit')).toMatchObject({
      status: 'filled',
      averagePrice: of('111'),
    });
    const slipped = new BalanceCheckedExchange({ slippage: fixedSlippage(100) });
    slipped.placeAndMatch('buy', { quantity: '2', takeProfit: '110' });
    const { takeProfit, positionId } = slipped.position();
    const order = { orderId: takeProfit?.orderId ?? '' };
    const change = { price: of<'price'>('110'), order, type: 'limit' as const };
    valueOf(slipped.exchange.moveProtection(positionId, { takeProfit: change }));
    slipped.move('110');
    expect(slipped.protectiveOrder('take-profit').averagePrice).toBe(of('110'));
  });

  it('a resting edited stop triggers again after an edit back to a market order', () => {
    const rig = limited('buy', { stop: '95' });
    rig.move('94');
    const order = { orderId: rig.protectiveOrder('stop-loss').orderId };
    const change = { price: of<'price'>('93'), order, type: 'market' as const };
    valueOf(rig.exchange.moveProtection(rig.position().positionId, { stopLoss: change }));
    rig.move('96');
    expect(rig.signedPosition()).toBe('2');
    rig.move('92');
    expect(rig.protectiveOrder('stop-loss')).toMatchObject({
      status: 'filled',
      averagePrice: of('92'),
    });
  });
});
