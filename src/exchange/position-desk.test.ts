import { describe, expect, it } from 'vitest';
import { looseInstrument, money, of } from '../../test/harness/exchange-rig.js';
import { codeOf, valueOf, WatchedExchange } from '../../test/harness/watched-exchange.js';
import { add, subtract, textFromFixed, type Amount } from '../core/fixed.js';
import type { Assumptions } from './assumptions.js';
import type { Listing, PartialCloseTerms } from './simulated-exchange.js';
import { scaledOf } from '../../test/harness/scaled.js';

const text = textFromFixed;
const part = (quantity: string, wish: { price?: string; id?: string } = {}): PartialCloseTerms => ({
  type: wish.price === undefined ? 'market' : 'limit',
  quantity: of(quantity),
  ...(wish.price !== undefined && { price: of<'price'>(wish.price) }),
  ...(wish.id !== undefined && { clientOrderId: wish.id }),
});

/** A long of 2 at 100, 10x, with a stop at 95 and a target at 110. */
function long(assumptions: Partial<Assumptions> = {}, listing?: Listing): WatchedExchange {
  const rig = new WatchedExchange(listing ? { listings: [listing] } : {}, assumptions);
  rig.run('buy', { quantity: '2', stopLoss: '95', takeProfit: '110' });
  return rig;
}

const tight = (limits: Partial<Listing['instrument']>): Listing => ({
  instrument: { ...looseInstrument('BTCUSDT', '0.1'), ...limits },
  maintenanceRate: of('0.01'),
});

describe('an operation on a position', () => {
  const operations: readonly (readonly [string, (rig: WatchedExchange, id: string) => string])[] = [
    [
      'protect',
      ({ exchange }, id) => codeOf(exchange.protect(id, { stopLoss: { price: of('95') } })),
    ],
    [
      'moveProtection',
      ({ exchange }, id) =>
        codeOf(
          exchange.moveProtection(id, { stopLoss: { price: of('95'), order: { orderId: 'x' } } }),
        ),
    ],
    ['adjustMargin', ({ exchange }, id) => codeOf(exchange.adjustMargin(id, money('1')))],
    ['closePartially', ({ exchange }, id) => codeOf(exchange.closePartially(id, part('1')))],
    ['close', ({ exchange }, id) => codeOf(exchange.close(id))],
    ['reverse', ({ exchange }, id) => codeOf(exchange.reverse(id))],
  ];

  it.each(operations)('%s: unknown, initiated, locked, closed', (name, ask) => {
    const rig = new WatchedExchange();
    expect(ask(rig, 'nobody')).toBe('position-not-found');
    const entry = rig.put('buy', { quantity: '2' });
    const id = entry.positionId ?? '';
    expect(rig.exchange.knowsPosition(id)).toBe(true);
    expect(ask(rig, id)).toBe('position-not-open');
    rig.exchange.settle();
    rig.exchange.setLocked(rig.symbol, true);
    expect(ask(rig, id)).toBe('locked');
    rig.exchange.setLocked(rig.symbol, false);
    expect(ask(rig, id)).toBe(name === 'moveProtection' ? 'order-not-found' : 'ok');
    rig.run('sell', { quantity: '5', reduceOnly: true });
    rig.run('buy', { quantity: '5', reduceOnly: false });
    const closed = rig.exchange.positionHistory('USDT').at(-1)?.positionId ?? '';
    rig.run('sell', { quantity: '100', reduceOnly: true });
    expect(rig.held()).toBe('0');
    expect(ask(rig, closed)).toBe('position-not-open');
  });

  it('of an order that was cancelled before any fill: the id is known, and never a position', () => {
    const rig = new WatchedExchange();
    const entry = rig.run('buy', { price: '90' });
    rig.exchange.cancel({ orderId: entry.orderId });
    const id = entry.positionId ?? '';
    expect(rig.exchange.knowsPosition(id)).toBe(true);
    expect(rig.exchange.positions('USDT')).toEqual([]);
    expect(rig.exchange.positionHistory('USDT')).toEqual([]);
    expect(codeOf(rig.exchange.close(id))).toBe('position-not-open');
  });
});

describe('a partial close', () => {
  it('at the market leaves the position reduced, its legs alive, and a PARTIAL row of its order', () => {
    const rig = long();
    const { positionId } = rig.position();
    const close = valueOf(rig.exchange.closePartially(positionId, part('0.5', { id: 'mine' })));
    expect(close).toMatchObject({
      status: 'created',
      clientOrderId: 'mine',
      side: 'sell',
      reduceOnly: true,
      positionId,
    });
    rig.exchange.settle();
    expect(rig.position()).toMatchObject({ positionId, quantity: of('1.5') });
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'partial', quantity: of('0.5'), orderId: close.orderId, positionId },
    ]);
    expect(rig.exchange.openOrders('USDT').map(({ role }) => role)).toEqual([
      ...['take-profit', 'stop-loss'],
    ]);
    expect(codeOf(rig.exchange.closePartially(positionId, part('0.5', { id: 'mine' })))).toBe(
      'client-order-id-exists',
    );
  });

  it('at a limit rests, and is dropped with the position', () => {
    const rig = long();
    const { positionId } = rig.position();
    const close = valueOf(rig.exchange.closePartially(positionId, part('1', { price: '105' })));
    const other = valueOf(rig.exchange.closePartially(positionId, part('1', { price: '120' })));
    rig.exchange.settle();
    rig.exchange.sweep(rig.symbol, of('105.1'), of('105.1'));
    expect(rig.order(close.orderId)).toMatchObject({ status: 'filled', averagePrice: of('105') });
    rig.move('94');
    expect(rig.order(other.orderId).status).toBe('system-canceled');
  });

  it.each([
    ['2', {}, 'quantity-range'],
    ['3', {}, 'quantity-range'],
    ['0', {}, 'quantity-range'],
    ['0.0005', {}, 'quantity-step'],
    ['0.01', {}, 'ok'],
    ['1', { price: '105.05' }, 'price-step'],
    ['1', { price: '3000000' }, 'price-range'],
    ['1', { price: '0' }, 'limit-price-missing'],
    ['1', { id: 'no good' }, 'invalid-client-order-id'],
    ['1', { price: '90' }, 'ok'],
  ])('of %s with %o answers %s', (quantity, wish, code) => {
    const rig = long();
    const { positionId } = rig.position();
    expect(codeOf(rig.exchange.closePartially(positionId, part(quantity, wish)))).toBe(code);
  });

  it('needs a price for a limit', () => {
    const rig = long();
    const priceless = { type: 'limit', quantity: of<'quantity'>('1') } as const;
    const answer = rig.exchange.closePartially(rig.position().positionId, priceless);
    expect(codeOf(answer)).toBe('limit-price-missing');
  });

  it('needs no leverage, and no live pair', () => {
    const rig = long();
    rig.exchange.unsetLeverage(rig.symbol, 'USDT');
    rig.exchange.setDelisting(rig.symbol, true);
    const { positionId } = rig.position();
    const close = valueOf(rig.exchange.closePartially(positionId, part('1')));
    expect(text(close.leverage)).toBe('10');
    rig.exchange.settle();
    expect(rig.held()).toBe('1');
  });

  it.each([
    [{}, 'ok', '0'],
    [{ pendingReduces: 'bounded' }, 'quantity-range', '0.5'],
  ] as const)('under %o, beyond what rests already: %s', (assumptions, code, left) => {
    const rig = long(assumptions);
    const { positionId } = rig.position();
    const ask = (): string =>
      codeOf(rig.exchange.closePartially(positionId, part('1.5', { price: '105' })));
    expect([ask(), ask()]).toEqual(['ok', code]);
    rig.exchange.settle();
    rig.exchange.sweep(rig.symbol, of('106'), of('106'));
    expect(rig.held()).toBe(left);
  });
});

describe('a close', () => {
  it('is a CREATED order over everything, then a CLOSED row, and the legs are system-cancelled', () => {
    const rig = long();
    rig.move('104');
    const { positionId } = rig.position();
    const close = valueOf(rig.exchange.close(positionId));
    expect(close).toMatchObject({ status: 'created', quantity: of('2'), side: 'sell', positionId });
    expect(rig.held()).toBe('2');
    rig.exchange.settle();
    expect(rig.exchange.positions('USDT')).toEqual([]);
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'closed', orderId: close.orderId, pnl: money('8'), positionId },
    ]);
    expect([rig.leg('stop-loss').status, rig.leg('take-profit').status]).toEqual([
      ...['system-canceled', 'system-canceled'],
    ]);
    expect(rig.exchange.futuresWallet('USDT').locked).toBe(0);
  });

  it('may leave the legs listed (assumption), where they guard nothing', () => {
    const rig = long({ legsAtClose: 'keep' });
    valueOf(rig.exchange.close(rig.position().positionId));
    rig.exchange.settle();
    expect(rig.exchange.openOrders('USDT').map(({ role }) => role)).toEqual([
      ...['take-profit', 'stop-loss'],
    ]);
    rig.run('buy');
    rig.move('94');
    expect(rig.held()).toBe('1');
    expect(codeOf(rig.exchange.cancel({ orderId: rig.leg('stop-loss').orderId }))).toBe('ok');
  });

  it('takes the sibling of a leg that fires, whatever becomes of legs at a close', () => {
    const rig = long({ legsAtClose: 'keep' });
    rig.move('94');
    expect(rig.leg('take-profit').status).toBe('system-canceled');
  });

  it.each([
    [{}, 'ok'],
    [{ closeLimits: 'checked' }, 'quantity-range'],
  ] as const)('under %o of more than a market order may be: %s', (assumptions, code) => {
    const rig = new WatchedExchange(
      { listings: [tight({ maxMarketQuantity: of('2') })] },
      assumptions,
    );
    rig.run('buy', { quantity: '2' });
    rig.run('buy', { quantity: '1' });
    const { positionId } = rig.position();
    expect(codeOf(rig.exchange.close(positionId))).toBe(code);
    expect(codeOf(rig.exchange.reverse(positionId))).toBe(
      code === 'ok' ? 'position-not-in-sync' : code,
    );
  });
});

describe('a reverse', () => {
  it('is one order for twice the quantity: a CLOSED row, the other side open under the same id', () => {
    const rig = long();
    rig.move('104');
    const before = rig.position();
    const reverse = valueOf(rig.exchange.reverse(before.positionId));
    expect(reverse).toMatchObject({ status: 'created', side: 'sell', quantity: of('4') });
    rig.exchange.settle();
    expect(rig.order(reverse.orderId)).toMatchObject({ status: 'filled' });
    expect(rig.position()).toMatchObject({
      positionId: before.positionId,
      side: 'short',
      quantity: of('2'),
      entryPrice: of('104'),
      createdAt: before.createdAt,
    });
    expect(rig.position().stopLoss).toBeUndefined();
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'closed', side: 'long', quantity: of('2'), pnl: money('8') },
    ]);
    expect([rig.leg('stop-loss').status, rig.leg('take-profit').status]).toEqual([
      ...['system-canceled', 'system-canceled'],
    ]);
    const [row] = rig.exchange.orderHistory('USDT');
    expect(row?.orderId).toBe(reverse.orderId);
  });

  it('opens the other side also where a larger opposite order would not (assumption)', () => {
    const rig = long({ oppositeExcess: 'drop', legsAtClose: 'keep' });
    valueOf(rig.exchange.reverse(rig.position().positionId));
    rig.exchange.settle();
    expect(rig.held()).toBe('-2');
    expect(rig.leg('stop-loss').status).toBe('system-canceled');
  });

  it('may have a new id (assumption)', () => {
    const rig = long({ flipPositionId: 'new' });
    const { positionId } = rig.position();
    valueOf(rig.exchange.reverse(positionId));
    rig.exchange.settle();
    expect(rig.position().positionId).not.toBe(positionId);
  });

  it('is judged for the half that opens', () => {
    const rig = new WatchedExchange();
    rig.run('buy', { quantity: '60' });
    const { positionId } = rig.position();
    // 603.186 locked; 393.274 free: 60 the other way do not fit, though what is freed would pay them.
    expect(codeOf(rig.exchange.reverse(positionId))).toBe('insufficient-balance');
    const released = new WatchedExchange({}, { flipMargin: 'with-released' });
    released.run('buy', { quantity: '60' });
    expect(codeOf(released.exchange.reverse(released.position().positionId))).toBe('ok');
    released.exchange.settle();
    expect(released.held()).toBe('-60');
  });

  it('that the wallet cannot pay when it comes to it closes, and no more', () => {
    const rig = new WatchedExchange();
    rig.run('buy', { quantity: '45' });
    const reverse = valueOf(rig.exchange.reverse(rig.position().positionId));
    rig.exchange.setLeverage(rig.symbol, 'USDT', of('1'));
    const big = rig.put('buy', { currency: 'INR', quantity: '1' });
    expect(big.status).toBe('created');
    rig.move('92');
    rig.exchange.transfer('USDT', 'withdraw', rig.exchange.futuresWallet('USDT').balance);
    rig.exchange.settle();
    expect(rig.held()).toBe('0');
    expect(rig.order(reverse.orderId)).toMatchObject({
      status: 'canceled',
      filledQuantity: of('45'),
      reason: 'insufficient balance',
    });
  });

  it('turns over what it was made for, and opens nothing when that is gone', () => {
    const rig = long();
    const reverse = valueOf(rig.exchange.reverse(rig.position().positionId));
    rig.move('94');
    rig.exchange.settle();
    expect(rig.held()).toBe('0');
    expect(rig.order(reverse.orderId)).toMatchObject({
      status: 'canceled',
      reason: 'position not in sync with exchange',
    });
  });

  it('in two fills keeps the id through the moment between them', () => {
    const rig = long();
    const { positionId } = rig.position();
    const reverse = valueOf(rig.exchange.reverse(positionId));
    valueOf(rig.exchange.fillPart({ orderId: reverse.orderId }, of('2')));
    expect(rig.exchange.positions('USDT')).toEqual([]);
    rig.exchange.settle();
    expect(rig.position()).toMatchObject({ positionId, side: 'short', quantity: of('2') });
  });

  it('is out of step while the position is about to change, and opens nothing on a delisted pair', () => {
    const rig = long();
    const { positionId } = rig.position();
    valueOf(rig.exchange.close(positionId));
    expect(codeOf(rig.exchange.reverse(positionId))).toBe('position-not-in-sync');
    const other = long();
    other.exchange.setDelisting(other.symbol, true);
    expect(codeOf(other.exchange.reverse(other.position().positionId))).toBe('delisting');
  });
});

describe('added margin', () => {
  it('moves from the free balance to what is locked, and the liquidation price away', () => {
    const rig = long();
    const { positionId, initialMargin } = rig.position();
    expect(text(rig.position().liquidationPrice ?? of('0'))).toBe('90.9');
    const { balance } = rig.exchange.futuresWallet('USDT');
    const row = valueOf(rig.exchange.adjustMargin(positionId, money('10')));
    expect(row.initialMargin).toBe(add(initialMargin, money('10')));
    // (200 − 20 − 10) / (2 × 0.99)
    expect(text(row.liquidationPrice ?? of('0'))).toBe('85.9');
    expect(rig.exchange.futuresWallet('USDT')).toMatchObject({
      balance: subtract(balance, money('10')),
      locked: row.initialMargin,
    });
    expect(rig.told).toContain('position');
    rig.exchange.cancel({ orderId: rig.leg('stop-loss').orderId });
    rig.move('88');
    expect(rig.held()).toBe('2');
    rig.move('85.8');
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'liquidated', closePrice: of('85'), pnl: money('-30') },
    ]);
    expect(rig.exchange.futuresWallet('USDT').locked).toBe(0);
  });

  it('comes back down to what opening took, also after part was closed', () => {
    const rig = long();
    const { positionId, initialMargin } = rig.position();
    const adjust = (amount: string): string =>
      codeOf(rig.exchange.adjustMargin(positionId, money(amount)));
    expect([adjust('-0.00000001'), adjust('10'), adjust('-10.00000001'), adjust('-4')]).toEqual([
      ...['insufficient-funds', 'ok', 'insufficient-funds', 'ok'],
    ]);
    valueOf(rig.exchange.closePartially(positionId, part('1')));
    rig.exchange.settle();
    expect(text(rig.position().initialMargin)).toBe(
      text((scaledOf(initialMargin) / 2 + 3e8) as Amount),
    );
    expect([adjust('-3.00000001'), adjust('-3'), adjust('-0.00000001')]).toEqual([
      ...['insufficient-funds', 'ok', 'insufficient-funds'],
    ]);
    expect(text(rig.position().liquidationPrice ?? of('0'))).toBe('90.9');
  });

  it('is no more than what is free, and not nothing', () => {
    const rig = long();
    const { positionId } = rig.position();
    const { balance } = rig.exchange.futuresWallet('USDT');
    const adjust = (amount: number): string =>
      codeOf(rig.exchange.adjustMargin(positionId, amount as Amount));
    expect([adjust(scaledOf(balance) + 1), adjust(0), adjust(scaledOf(balance))]).toEqual([
      ...['insufficient-funds', 'params-error', 'ok'],
    ]);
    expect(rig.exchange.futuresWallet('USDT').balance).toBe(0);
  });

  it.each([
    [{}, 'insufficient-funds', '2'],
    [{ marginReduction: 'initial' }, 'ok', '0'],
  ] as const)(
    'under %o, taken from where the mark would liquidate: %s',
    (assumptions, code, held) => {
      const rig = new WatchedExchange({}, assumptions);
      rig.run('buy', { quantity: '2' });
      const { positionId } = rig.position();
      valueOf(rig.exchange.adjustMargin(positionId, money('10')));
      rig.move('88');
      expect(codeOf(rig.exchange.adjustMargin(positionId, money('-10')))).toBe(code);
      expect(rig.held()).toBe(held);
    },
  );

  it.each([
    [{}, '90.4'],
    [{ addedMarginRate: 'entry' }, '90.9'],
  ] as const)(
    'of rupees counts at a hedge rate: under %o liquidation is at %s',
    (assumptions, at) => {
      const rig = new WatchedExchange({}, assumptions);
      rig.run('buy', { currency: 'INR' });
      rig.exchange.setHedgeRate(of('0.96'));
      const row = valueOf(rig.exchange.adjustMargin(rig.position('INR').positionId, money('0.5')));
      expect(row.currency).toBe('INR');
      expect(text(row.liquidationPrice ?? of('0'))).toBe(at);
    },
  );
});

describe('the liquidation price with other margin', () => {
  it('is told unrounded, and changes nothing', () => {
    const rig = new WatchedExchange({
      symbol: 'SOMIUSDT',
      priceStep: '0.00001',
      maintenanceRate: '0.015',
      price: '0.11442',
      leverage: '5',
    });
    rig.run('buy', { quantity: '43.8', currency: 'INR' });
    const { positionId } = rig.position('INR');
    const ask = (extra: string): string =>
      valueOf(rig.exchange.liquidationPriceWith(positionId, money(extra))).toFixed(8);
    // Supplement part 12: 0.0929299; 0.0926885 with one rupee more; 0.092809 with half of one.
    expect([ask('0'), ask('1'), ask('0.5')]).toEqual(['0.09292995', '0.09268850', '0.09280923']);
    expect(ask('50000')).toBe('0.00000000');
    expect(text(rig.position('INR').liquidationPrice ?? of('0'))).toBe('0.09293');
    valueOf(rig.exchange.adjustMargin(positionId, money('0.5')));
    expect(text(rig.position('INR').liquidationPrice ?? of('0'))).toBe('0.09281');
    expect([ask('0'), ask('-0.5')]).toEqual(['0.09280923', '0.09292995']);
  });

  it('lies above a short, and is asked of open positions only, locked or not', () => {
    const rig = new WatchedExchange();
    const entry = rig.put('sell');
    const id = entry.positionId ?? '';
    const ask = (): string => codeOf(rig.exchange.liquidationPriceWith(id, money('1')));
    expect(ask()).toBe('position-not-open');
    expect(codeOf(rig.exchange.liquidationPriceWith('nobody', money('0')))).toBe(
      'position-not-found',
    );
    rig.exchange.settle();
    rig.exchange.setLocked(rig.symbol, true);
    expect(ask()).toBe('ok');
    // (100 + 10 + 1) / 1.01
    expect(valueOf(rig.exchange.liquidationPriceWith(id, money('1'))).toFixed(4)).toBe('109.9010');
  });
});
