import { describe, expect, it } from 'vitest';
import { HOUR, MIDNIGHT, money, of } from '../../test/harness/exchange-rig.js';
import { codeOf, valueOf, WatchedExchange } from '../../test/harness/watched-exchange.js';
import type { OrderRef, Side } from '../core/order.js';
import type { Assumptions } from './assumptions.js';
import type { LegChange, Legs, LegTerms } from './simulated-exchange.js';

interface Ask {
  readonly stop?: string;
  readonly target?: string;
  readonly stopId?: string;
  readonly targetId?: string;
}

function legs({ stop, target, stopId, targetId }: Ask): Legs<LegTerms> {
  const leg = (price: string, id: string | undefined): LegTerms => ({
    price: of(price),
    ...(id !== undefined && { clientOrderId: id }),
  });
  return {
    ...(stop !== undefined && { stopLoss: leg(stop, stopId) }),
    ...(target !== undefined && { takeProfit: leg(target, targetId) }),
  };
}

function open(side: Side, assumptions: Partial<Assumptions> = {}): WatchedExchange {
  const rig = new WatchedExchange({}, assumptions);
  rig.run(side, { quantity: '2' });
  return rig;
}

const protect = (rig: WatchedExchange, ask: Ask): string =>
  codeOf(rig.exchange.protect(rig.position().positionId, legs(ask)));

describe('protect', () => {
  it('makes stop and target orders on the open position, found by their own ids', () => {
    const rig = open('buy');
    const { positionId } = rig.position();
    const ask = { stop: '95', target: '110', stopId: 's', targetId: 't' };
    const row = valueOf(rig.exchange.protect(positionId, legs(ask)));
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
    expect(rig.told.slice(-3)).toEqual(['stop-loss created', 'take-profit created', 'position']);
  });

  it.each([
    ['buy', 'sweep', '94', 'stop-loss', '95', '-10'],
    ['buy', 'sweep', '111', 'take-profit', '110', '20'],
    ['sell', 'sweep', '106', 'stop-loss', '105', '-10'],
    ['sell', 'jump', '89', 'take-profit', '89', '22'],
  ] as const)('of a %s: a %s to %s fires the %s at %s', (side, how, price, role, at, pnl) => {
    const rig = open(side);
    const ask = side === 'buy' ? { stop: '95', target: '110' } : { stop: '105', target: '90' };
    expect(protect(rig, ask)).toBe('ok');
    rig.exchange[how](rig.symbol, of(price), of(price));
    const sibling = role === 'stop-loss' ? 'take-profit' : 'stop-loss';
    expect(rig.leg(role)).toMatchObject({ status: 'filled', averagePrice: of(at) });
    expect(rig.leg(sibling).status).toBe('system-canceled');
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'closed', pnl: money(pnl), orderId: rig.leg(role).orderId },
    ]);
    expect(rig.exchange.orderHistory('USDT').map(({ role }) => role)).toEqual([role, 'trade']);
  });

  it.each<[Side, Ask, string]>([
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
  ])('of a %s with %o answers %s, all or nothing', (side, ask, code) => {
    const rig = new WatchedExchange();
    rig.run(side, { quantity: '2' }, { clientOrderId: 'used' });
    expect(protect(rig, ask)).toBe(code);
    expect(rig.exchange.openOrders('USDT').length > 0).toBe(code === 'ok');
  });

  it('replaces the leg that is there, which is system-cancelled', () => {
    const rig = open('buy');
    protect(rig, { stop: '95', target: '110' });
    expect(protect(rig, { stop: '96' })).toBe('ok');
    expect([rig.leg('stop-loss').status, rig.leg('stop-loss', 1).status]).toEqual([
      ...['system-canceled', 'created'],
    ]);
    expect(rig.position()).toMatchObject({
      stopLoss: { price: of('96') },
      takeProfit: { price: of('110') },
    });
  });

  it('refuses a second leg (assumption)', () => {
    const rig = open('buy', { legOnExisting: 'refuse' });
    protect(rig, { stop: '95' });
    expect(protect(rig, { stop: '96', target: '110' })).toBe('protection-refused');
    expect(protect(rig, { target: '110' })).toBe('ok');
    expect(rig.position().stopLoss?.price).toBe(of('95'));
  });

  it('lets a stop fire at once that the market has passed (assumption)', () => {
    const rig = open('buy', { legBeyondMarket: 'fires' });
    expect(protect(rig, { stop: '101' })).toBe('ok');
    expect(rig.held()).toBe('2');
    rig.move('100');
    expect(rig.held()).toBe('0');
    expect(rig.leg('stop-loss')).toMatchObject({ status: 'filled', averagePrice: of('100') });
  });

  it('looks at the price that triggers (assumption)', () => {
    const rig = open('buy', { stopTrigger: 'mark' });
    rig.move('100', '98');
    expect(protect(rig, { stop: '99' })).toBe('invalid-stop-loss');
    expect(protect(rig, { target: '99' })).toBe('ok');
  });

  it('asks for the price step (assumption), of entries too', () => {
    const rig = open('buy', { legPriceStep: 'checked' });
    expect(protect(rig, { stop: '95.05' })).toBe('invalid-stop-loss');
    expect(codeOf(rig.ask('buy', { takeProfit: '110.05' }))).toBe('invalid-take-profit');
    expect(protect(rig, { stop: '95.1', target: '110.1' })).toBe('ok');
  });

  it('is the only way in that looks at liquidation: entries do not, v1 or v2', () => {
    const rig = new WatchedExchange();
    expect(codeOf(rig.ask('buy', { stopLoss: '50' }))).toBe('ok');
    expect(codeOf(rig.ask('buy', { stopLoss: '50' }, { leverage: of('10') }))).toBe('ok');
  });

  it('keeps ids for ever: that of a leg that is gone is used', () => {
    const rig = open('buy');
    protect(rig, { stop: '95', stopId: 's' });
    expect(codeOf(rig.exchange.cancel({ clientOrderId: 's' }))).toBe('ok');
    expect(rig.position().stopLoss).toBeUndefined();
    expect(protect(rig, { stop: '95', stopId: 's' })).toBe('client-order-id-exists');
    expect(codeOf(rig.ask('buy', {}, { clientOrderId: 's' }))).toBe('client-order-id-exists');
  });
});

describe('a stop of a position that changes', () => {
  const change = (rig: WatchedExchange): void => {
    protect(rig, { stop: '95', target: '110' });
    rig.run('buy', { quantity: '1' });
  };

  it('means the whole of it', () => {
    const rig = open('buy');
    change(rig);
    rig.move('95');
    expect(rig.leg('stop-loss')).toMatchObject({ filledQuantity: of('3'), quantity: of('3') });
    expect(rig.held()).toBe('0');
  });

  it('means the quantity it was set on (assumption): the rest stays, and the sibling goes', () => {
    const rig = open('buy', { stopQuantity: 'static' });
    change(rig);
    rig.move('95');
    expect(rig.leg('stop-loss')).toMatchObject({ status: 'filled', filledQuantity: of('2') });
    expect(rig.leg('take-profit').status).toBe('system-canceled');
    expect(rig.position()).toMatchObject({ quantity: of('1') });
    expect(rig.position().stopLoss).toBeUndefined();
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([{ kind: 'partial' }]);
  });

  it('means no more than there is (assumption)', () => {
    const rig = open('buy', { stopQuantity: 'static' });
    protect(rig, { stop: '95' });
    rig.run('sell', { quantity: '1' });
    rig.move('95');
    expect(rig.leg('stop-loss')).toMatchObject({ status: 'filled', filledQuantity: of('1') });
    expect(rig.held()).toBe('0');
  });

  it('of an amended entry means the quantity it was amended to (assumption)', () => {
    const rig = new WatchedExchange({}, { stopQuantity: 'static' });
    const entry = rig.run('buy', { price: '98', quantity: '1', stopLoss: '95' });
    const to = { price: of<'price'>('98'), quantity: of<'quantity'>('2') };
    valueOf(rig.exchange.amend({ orderId: entry.orderId }, to));
    rig.exchange.settle();
    rig.move('97');
    rig.move('94');
    expect(rig.leg('stop-loss')).toMatchObject({ status: 'filled', filledQuantity: of('2') });
  });
});

describe('moving protection', () => {
  const start = (assumptions: Partial<Assumptions> = {}): WatchedExchange => {
    const rig = open('buy', assumptions);
    protect(rig, { stop: '95', target: '110', stopId: 's', targetId: 't' });
    return rig;
  };
  const move = (rig: WatchedExchange, changes: Legs<LegChange>): string =>
    codeOf(rig.exchange.moveProtection(rig.position().positionId, changes));
  const change = (price: string, order?: OrderRef): LegChange => ({
    price: of(price),
    ...(order !== undefined && { order }),
  });

  it('moves the trigger of an order and keeps its id, whether order or client id names it', () => {
    const rig = start();
    const { orderId } = rig.leg('stop-loss');
    rig.exchange.setTime(MIDNIGHT + 2 * HOUR);
    const changes = {
      stopLoss: change('97', { orderId }),
      takeProfit: change('105', { clientOrderId: 't' }),
    };
    expect(move(rig, changes)).toBe('ok');
    expect(rig.leg('stop-loss')).toMatchObject({ price: of('97'), updatedAt: MIDNIGHT + 2 * HOUR });
    expect(rig.position()).toMatchObject({
      stopLoss: { price: of('97'), orderId },
      takeProfit: { price: of('105') },
    });
    rig.exchange.sweep(rig.symbol, of('96'), of('96'));
    expect(rig.leg('stop-loss')).toMatchObject({ status: 'filled', averagePrice: of('97') });
  });

  it('moves what an entry made, too', () => {
    const rig = new WatchedExchange();
    rig.run('buy', { stopLoss: '95' });
    const { orderId } = rig.leg('stop-loss');
    expect(move(rig, { stopLoss: change('96', { orderId }) })).toBe('ok');
    rig.move('96');
    expect(rig.held()).toBe('0');
  });

  it('is all or nothing, and names what is wrong', () => {
    const rig = start();
    const stop = { clientOrderId: 's' };
    const target = { clientOrderId: 't' };
    const old = rig.leg('stop-loss').orderId;
    const rows: readonly (readonly [Legs<LegChange>, string])[] = [
      [{}, 'invalid-request'],
      [{ stopLoss: change('96') }, 'protection-order-missing'],
      [{ stopLoss: change('96', stop), takeProfit: change('111') }, 'protection-order-missing'],
      [{ stopLoss: change('96', { orderId: 'nobody' }) }, 'order-not-found'],
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
  ] as const)('under %o beyond the liquidation price: %s', (assumptions, code) => {
    const rig = start(assumptions);
    expect(move(rig, { stopLoss: change('50', { clientOrderId: 's' }) })).toBe(code);
  });
});

describe('a stop or target that was edited to a limit', () => {
  function limited(side: Side, ask: Ask): WatchedExchange {
    const rig = open(side);
    expect(protect(rig, ask)).toBe('ok');
    const row = rig.position();
    const change = (leg: { orderId: string; price: LegChange['price'] }): LegChange => ({
      price: leg.price,
      order: { orderId: leg.orderId },
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

  it('is told as a limit', () => {
    expect(limited('buy', { stop: '95' }).leg('stop-loss')).toMatchObject({
      type: 'limit',
      status: 'created',
      quantity: 0,
    });
  });

  it.each([
    ['buy', '95', '94'],
    ['sell', '105', '106'],
  ] as const)(
    'rests where a %s was gapped past it, and trades when its price comes back',
    (side, stop, beyond) => {
      const rig = limited(side, { stop, target: side === 'buy' ? '110' : '90' });
      rig.move(beyond);
      expect(rig.leg('stop-loss')).toMatchObject({ status: 'created', quantity: of('2') });
      expect(rig.held()).toBe(side === 'buy' ? '2' : '-2');
      expect(rig.position().stopLoss?.orderId).toBe(rig.leg('stop-loss').orderId);
      rig.move('100');
      expect(rig.leg('stop-loss')).toMatchObject({ status: 'filled', averagePrice: of(stop) });
      expect(rig.held()).toBe('0');
      expect(rig.leg('take-profit').status).toBe('system-canceled');
    },
  );

  it('goes with its position when that is closed while it rests', () => {
    const rig = limited('buy', { stop: '95' });
    rig.move('94');
    valueOf(rig.exchange.close(rig.position().positionId));
    rig.exchange.settle();
    expect(rig.leg('stop-loss').status).toBe('system-canceled');
    rig.move('100');
    expect(rig.held()).toBe('0');
  });

  it('takes at a better price, and never at a worse one', () => {
    const better = limited('buy', { target: '110' });
    better.move('111');
    expect(better.leg('take-profit')).toMatchObject({ status: 'filled', averagePrice: of('111') });
    const slipped = new WatchedExchange({ slippageBps: 100 });
    slipped.run('buy', { quantity: '2', takeProfit: '110' });
    const { takeProfit, positionId } = slipped.position();
    const order = { orderId: takeProfit?.orderId ?? '' };
    const change = { price: of<'price'>('110'), order, type: 'limit' as const };
    valueOf(slipped.exchange.moveProtection(positionId, { takeProfit: change }));
    slipped.move('110');
    expect(slipped.leg('take-profit').averagePrice).toBe(of('110'));
  });

  it('triggers again once it is edited back to a market order while it rests', () => {
    const rig = limited('buy', { stop: '95' });
    rig.move('94');
    const order = { orderId: rig.leg('stop-loss').orderId };
    const change = { price: of<'price'>('93'), order, type: 'market' as const };
    valueOf(rig.exchange.moveProtection(rig.position().positionId, { stopLoss: change }));
    rig.move('96');
    expect(rig.held()).toBe('2');
    rig.move('92');
    expect(rig.leg('stop-loss')).toMatchObject({ status: 'filled', averagePrice: of('92') });
  });
});
