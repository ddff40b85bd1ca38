import { describe, expect, it } from 'vitest';
import type { Listing } from '../../core/instrument.js';
import { looseInstrument, money, of } from '../../../test/support/rigs/exchange-rig.js';
import {
  codeOf,
  valueOf,
  BalanceCheckedExchange,
} from '../../../test/support/rigs/balance-checked-exchange.js';
import { add, subtract, textFromFixed, type Amount } from '../../core/fixed/fixed.js';
import type { Assumptions } from '../assumptions.js';
import type { PartialCloseTerms } from '../simulated-exchange.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';

const text = textFromFixed;
const part = (quantity: string, spec: { price?: string; id?: string } = {}): PartialCloseTerms => ({
  type: spec.price === undefined ? 'market' : 'limit',
  quantity: of(quantity),
  ...(spec.price !== undefined && { price: of<'price'>(spec.price) }),
  ...(spec.id !== undefined && { clientOrderId: spec.id }),
});

/** A long of 2 at 100, 10x, with a stop at 95 and a target at 110. */
function long(assumptions: Partial<Assumptions> = {}, listing?: Listing): BalanceCheckedExchange {
  const rig = new BalanceCheckedExchange(listing ? { listings: [listing] } : {}, assumptions);
  rig.placeAndMatch('buy', { quantity: '2', stopLoss: '95', takeProfit: '110' });
  return rig;
}

const tight = (limits: Partial<Listing['instrument']>): Listing => ({
  instrument: { ...looseInstrument('BTCUSDT', '0.1'), ...limits },
  maintenanceRate: of('0.01'),
});

describe('an operation on a position', () => {
  const operations: readonly (readonly [
    string,
    (rig: BalanceCheckedExchange, id: string) => string,
  ])[] = [
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

  it.each(operations)(
    '%s is refused for an unknown, initiated, locked or closed position',
    (name, attempt) => {
      const rig = new BalanceCheckedExchange();
      expect(attempt(rig, 'unknown')).toBe('position-not-found');
      const entry = rig.place('buy', { quantity: '2' });
      const id = entry.positionId ?? '';
      expect(rig.exchange.isKnownPosition(id)).toBe(true);
      expect(attempt(rig, id)).toBe('position-not-open');
      rig.exchange.matchPending();
      rig.exchange.setLocked(rig.symbol, true);
      expect(attempt(rig, id)).toBe('locked');
      rig.exchange.setLocked(rig.symbol, false);
      expect(attempt(rig, id)).toBe(name === 'moveProtection' ? 'order-not-found' : 'ok');
      rig.placeAndMatch('sell', { quantity: '5', reduceOnly: true });
      rig.placeAndMatch('buy', { quantity: '5', reduceOnly: false });
      const closed = rig.exchange.positionHistory('USDT').at(-1)?.positionId ?? '';
      rig.placeAndMatch('sell', { quantity: '100', reduceOnly: true });
      expect(rig.signedPosition()).toBe('0');
      expect(attempt(rig, closed)).toBe('position-not-open');
    },
  );

  it('the position id of an order cancelled before any fill is known, but never open', () => {
    const rig = new BalanceCheckedExchange();
    const entry = rig.placeAndMatch('buy', { price: '90' });
    rig.exchange.cancel({ orderId: entry.orderId });
    const id = entry.positionId ?? '';
    expect(rig.exchange.isKnownPosition(id)).toBe(true);
    expect(rig.exchange.positions('USDT')).toEqual([]);
    expect(rig.exchange.positionHistory('USDT')).toEqual([]);
    expect(codeOf(rig.exchange.close(id))).toBe('position-not-open');
  });
});

describe('a partial close', () => {
  it('a market close reduces the position, keeps its stop and target, and writes a PARTIAL row', () => {
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
    rig.exchange.matchPending();
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

  it('a limit close rests, and is dropped with the position', () => {
    const rig = long();
    const { positionId } = rig.position();
    const close = valueOf(rig.exchange.closePartially(positionId, part('1', { price: '105' })));
    const other = valueOf(rig.exchange.closePartially(positionId, part('1', { price: '120' })));
    rig.exchange.matchPending();
    rig.exchange.moveThrough(rig.symbol, of('105.1'), of('105.1'));
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
  ])('a partial close of %s with %o answers %s', (quantity, spec, code) => {
    const rig = long();
    const { positionId } = rig.position();
    expect(codeOf(rig.exchange.closePartially(positionId, part(quantity, spec)))).toBe(code);
  });

  it('a limit close needs a price', () => {
    const rig = long();
    const priceless = { type: 'limit', quantity: of<'quantity'>('1') } as const;
    const answer = rig.exchange.closePartially(rig.position().positionId, priceless);
    expect(codeOf(answer)).toBe('limit-price-missing');
  });

  it('a partial close needs no leverage and no active pair', () => {
    const rig = long();
    rig.exchange.unsetLeverage(rig.symbol, 'USDT');
    rig.exchange.setDelisting(rig.symbol, true);
    const { positionId } = rig.position();
    const close = valueOf(rig.exchange.closePartially(positionId, part('1')));
    expect(text(close.leverage)).toBe('10');
    rig.exchange.matchPending();
    expect(rig.signedPosition()).toBe('1');
  });

  it.each([
    [{}, 'ok', '0'],
    [{ pendingReduces: 'bounded' }, 'quantity-range', '0.5'],
  ] as const)(
    'under %o a partial close beyond the resting ones answers %s',
    (assumptions, code, left) => {
      const rig = long(assumptions);
      const { positionId } = rig.position();
      const attempt = (): string =>
        codeOf(rig.exchange.closePartially(positionId, part('1.5', { price: '105' })));
      expect([attempt(), attempt()]).toEqual(['ok', code]);
      rig.exchange.matchPending();
      rig.exchange.moveThrough(rig.symbol, of('106'), of('106'));
      expect(rig.signedPosition()).toBe(left);
    },
  );
});

describe('a close', () => {
  it('a close is a CREATED order for everything, then a CLOSED row; stop and target are system-cancelled', () => {
    const rig = long();
    rig.move('104');
    const { positionId } = rig.position();
    const close = valueOf(rig.exchange.close(positionId));
    expect(close).toMatchObject({ status: 'created', quantity: of('2'), side: 'sell', positionId });
    expect(rig.signedPosition()).toBe('2');
    rig.exchange.matchPending();
    expect(rig.exchange.positions('USDT')).toEqual([]);
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'closed', orderId: close.orderId, pnl: money('8'), positionId },
    ]);
    expect([
      rig.protectiveOrder('stop-loss').status,
      rig.protectiveOrder('take-profit').status,
    ]).toEqual([...['system-canceled', 'system-canceled']]);
    expect(rig.exchange.futuresWallet('USDT').locked).toBe(0);
  });

  it('stop and target may stay listed (assumption), where they protect nothing', () => {
    const rig = long({ legsAtClose: 'keep' });
    valueOf(rig.exchange.close(rig.position().positionId));
    rig.exchange.matchPending();
    expect(rig.exchange.openOrders('USDT').map(({ role }) => role)).toEqual([
      ...['take-profit', 'stop-loss'],
    ]);
    rig.placeAndMatch('buy');
    rig.move('94');
    expect(rig.signedPosition()).toBe('1');
    expect(codeOf(rig.exchange.cancel({ orderId: rig.protectiveOrder('stop-loss').orderId }))).toBe(
      'ok',
    );
  });

  it('the sibling of a triggered stop ends even where stops survive a close (assumption)', () => {
    const rig = long({ legsAtClose: 'keep' });
    rig.move('94');
    expect(rig.protectiveOrder('take-profit').status).toBe('system-canceled');
  });

  it.each([
    [{}, 'ok'],
    [{ closeLimits: 'checked' }, 'quantity-range'],
  ] as const)(
    'under %o a close of more than a market order’s limit answers %s',
    (assumptions, code) => {
      const rig = new BalanceCheckedExchange(
        { listings: [tight({ maxMarketQuantity: of('2') })] },
        assumptions,
      );
      rig.placeAndMatch('buy', { quantity: '2' });
      rig.placeAndMatch('buy', { quantity: '1' });
      const { positionId } = rig.position();
      expect(codeOf(rig.exchange.close(positionId))).toBe(code);
      expect(codeOf(rig.exchange.reverse(positionId))).toBe(
        code === 'ok' ? 'position-not-in-sync' : code,
      );
    },
  );
});

describe('a reverse', () => {
  it('a reverse is one order for twice the quantity: a CLOSED row, and the other side under the same id', () => {
    const rig = long();
    rig.move('104');
    const before = rig.position();
    const reverse = valueOf(rig.exchange.reverse(before.positionId));
    expect(reverse).toMatchObject({ status: 'created', side: 'sell', quantity: of('4') });
    rig.exchange.matchPending();
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
    expect([
      rig.protectiveOrder('stop-loss').status,
      rig.protectiveOrder('take-profit').status,
    ]).toEqual([...['system-canceled', 'system-canceled']]);
    const [row] = rig.exchange.orderHistory('USDT');
    expect(row?.orderId).toBe(reverse.orderId);
  });

  it('a reverse opens the other side even where a larger opposite order does not (assumption)', () => {
    const rig = long({ oppositeExcess: 'drop', legsAtClose: 'keep' });
    valueOf(rig.exchange.reverse(rig.position().positionId));
    rig.exchange.matchPending();
    expect(rig.signedPosition()).toBe('-2');
    expect(rig.protectiveOrder('stop-loss').status).toBe('system-canceled');
  });

  it('the new side may have a new id (assumption)', () => {
    const rig = long({ flipPositionId: 'new' });
    const { positionId } = rig.position();
    valueOf(rig.exchange.reverse(positionId));
    rig.exchange.matchPending();
    expect(rig.position().positionId).not.toBe(positionId);
  });

  it('the balance check covers the half that opens', () => {
    const rig = new BalanceCheckedExchange();
    rig.placeAndMatch('buy', { quantity: '60' });
    const { positionId } = rig.position();
    // 603.186 locked, 393.274 free: 60 on the other side do not fit, though the freed margin would pay them.
    expect(codeOf(rig.exchange.reverse(positionId))).toBe('insufficient-balance');
    const released = new BalanceCheckedExchange({}, { flipMargin: 'with-released' });
    released.placeAndMatch('buy', { quantity: '60' });
    expect(codeOf(released.exchange.reverse(released.position().positionId))).toBe('ok');
    released.exchange.matchPending();
    expect(released.signedPosition()).toBe('-60');
  });

  it('a reverse that becomes unaffordable only closes', () => {
    const rig = new BalanceCheckedExchange();
    rig.placeAndMatch('buy', { quantity: '45' });
    const reverse = valueOf(rig.exchange.reverse(rig.position().positionId));
    rig.exchange.setLeverage(rig.symbol, 'USDT', of('1'));
    const big = rig.place('buy', { currency: 'INR', quantity: '1' });
    expect(big.status).toBe('created');
    rig.move('92');
    rig.exchange.transfer('USDT', 'withdraw', rig.exchange.futuresWallet('USDT').balance);
    rig.exchange.matchPending();
    expect(rig.signedPosition()).toBe('0');
    expect(rig.order(reverse.orderId)).toMatchObject({
      status: 'canceled',
      filledQuantity: of('45'),
      reason: 'insufficient balance',
    });
  });

  it('a reverse whose position has closed opens nothing', () => {
    const rig = long();
    const reverse = valueOf(rig.exchange.reverse(rig.position().positionId));
    rig.move('94');
    rig.exchange.matchPending();
    expect(rig.signedPosition()).toBe('0');
    expect(rig.order(reverse.orderId)).toMatchObject({
      status: 'canceled',
      reason: 'position not in sync with exchange',
    });
  });

  it('a reverse in two fills keeps the position id between them', () => {
    const rig = long();
    const { positionId } = rig.position();
    const reverse = valueOf(rig.exchange.reverse(positionId));
    valueOf(rig.exchange.fillPart({ orderId: reverse.orderId }, of('2')));
    expect(rig.exchange.positions('USDT')).toEqual([]);
    rig.exchange.matchPending();
    expect(rig.position()).toMatchObject({ positionId, side: 'short', quantity: of('2') });
  });

  it('a reverse is out of sync while the position is about to change, and refused on a delisted pair', () => {
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
  it('added margin moves from free to locked and moves the liquidation price away', () => {
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
    expect(rig.eventLog).toContain('position');
    rig.exchange.cancel({ orderId: rig.protectiveOrder('stop-loss').orderId });
    rig.move('88');
    expect(rig.signedPosition()).toBe('2');
    rig.move('85.8');
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'liquidated', closePrice: of('85'), pnl: money('-30') },
    ]);
    expect(rig.exchange.futuresWallet('USDT').locked).toBe(0);
  });

  it('margin can be reduced to the opening margin, also after a partial close', () => {
    const rig = long();
    const { positionId, initialMargin } = rig.position();
    const adjust = (amount: string): string =>
      codeOf(rig.exchange.adjustMargin(positionId, money(amount)));
    expect([adjust('-0.00000001'), adjust('10'), adjust('-10.00000001'), adjust('-4')]).toEqual([
      ...['insufficient-funds', 'ok', 'insufficient-funds', 'ok'],
    ]);
    valueOf(rig.exchange.closePartially(positionId, part('1')));
    rig.exchange.matchPending();
    expect(text(rig.position().initialMargin)).toBe(
      text((scaledOf(initialMargin) / 2 + 3e8) as Amount),
    );
    expect([adjust('-3.00000001'), adjust('-3'), adjust('-0.00000001')]).toEqual([
      ...['insufficient-funds', 'ok', 'insufficient-funds'],
    ]);
    expect(text(rig.position().liquidationPrice ?? of('0'))).toBe('90.9');
  });

  it('added margin is at most the free balance and not 0', () => {
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
    'under %o, a reduction to where the mark would liquidate answers %s',
    (assumptions, code, held) => {
      const rig = new BalanceCheckedExchange({}, assumptions);
      rig.placeAndMatch('buy', { quantity: '2' });
      const { positionId } = rig.position();
      valueOf(rig.exchange.adjustMargin(positionId, money('10')));
      rig.move('88');
      expect(codeOf(rig.exchange.adjustMargin(positionId, money('-10')))).toBe(code);
      expect(rig.signedPosition()).toBe(held);
    },
  );

  it.each([
    [{}, '90.4'],
    [{ addedMarginRate: 'entry' }, '90.9'],
  ] as const)('under %o added rupees give a liquidation price of %s', (assumptions, at) => {
    const rig = new BalanceCheckedExchange({}, assumptions);
    rig.placeAndMatch('buy', { currency: 'INR' });
    rig.exchange.setHedgeRate(of('0.96'));
    const row = valueOf(rig.exchange.adjustMargin(rig.position('INR').positionId, money('0.5')));
    expect(row.currency).toBe('INR');
    expect(text(row.liquidationPrice ?? of('0'))).toBe(at);
  });
});

describe('the liquidation price with other margin', () => {
  it('the price is unrounded, and nothing changes', () => {
    const rig = new BalanceCheckedExchange({
      symbol: 'SOMIUSDT',
      priceStep: '0.00001',
      maintenanceRate: '0.015',
      price: '0.11442',
      leverage: '5',
    });
    rig.placeAndMatch('buy', { quantity: '43.8', currency: 'INR' });
    const { positionId } = rig.position('INR');
    const attempt = (extra: string): string =>
      valueOf(rig.exchange.liquidationPriceWith(positionId, money(extra))).toFixed(8);
    // Supplement: part 12: 0.0929299; 0.0926885 with one rupee more; 0.092809 with half of one.
    expect([attempt('0'), attempt('1'), attempt('0.5')]).toEqual([
      '0.09292995',
      '0.09268850',
      '0.09280923',
    ]);
    expect(attempt('50000')).toBe('0.00000000');
    expect(text(rig.position('INR').liquidationPrice ?? of('0'))).toBe('0.09293');
    valueOf(rig.exchange.adjustMargin(positionId, money('0.5')));
    expect(text(rig.position('INR').liquidationPrice ?? of('0'))).toBe('0.09281');
    expect([attempt('0'), attempt('-0.5')]).toEqual(['0.09280923', '0.09292995']);
  });

  it('the price is above a short’s entry, and available for open positions only, locked or not', () => {
    const rig = new BalanceCheckedExchange();
    const entry = rig.place('sell');
    const id = entry.positionId ?? '';
    const attempt = (): string => codeOf(rig.exchange.liquidationPriceWith(id, money('1')));
    expect(attempt()).toBe('position-not-open');
    expect(codeOf(rig.exchange.liquidationPriceWith('unknown', money('0')))).toBe(
      'position-not-found',
    );
    rig.exchange.matchPending();
    rig.exchange.setLocked(rig.symbol, true);
    expect(attempt()).toBe('ok');
    // (100 + 10 + 1) / 1.01
    expect(valueOf(rig.exchange.liquidationPriceWith(id, money('1'))).toFixed(4)).toBe('109.9010');
  });
});
