import { describe, expect, it } from 'vitest';
import type { Listing } from '../../core/instrument.js';
import { looseInstrument, of } from '../../../test/support/rigs/exchange-rig.js';
import {
  codeOf,
  valueOf,
  BalanceCheckedExchange,
  type OrderSpec,
} from '../../../test/support/rigs/balance-checked-exchange.js';
import { textFromFixed, type Ratio } from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';

const tight: Listing = {
  instrument: {
    ...looseInstrument('BTCUSDT', '0.1'),
    maxQuantity: of('1500'),
    maxMarketQuantity: of('150'),
  },
  maintenanceRate: of('0.01'),
};
const leverage = (text: string): { leverage: Ratio } => ({ leverage: of(text) });

describe('v1 orders', () => {
  it('a v1 order stores its leverage for the asset in one currency and uses it for its margin', () => {
    const rig = new BalanceCheckedExchange();
    const order = rig.placeAndMatch('buy', { currency: 'INR' }, leverage('20'));
    expect(textFromFixed(order.leverage)).toBe('20');
    expect(rig.exchange.leverage(rig.symbol, 'INR')).toBe(of('20'));
    expect(rig.exchange.leverage(rig.symbol, 'USDT')).toBe(of('10'));
    // (5 + 95 × 0.00059) × 96
    expect(textFromFixed(rig.exchange.futuresWallet('INR').locked)).toBe('485.3808');
  });

  it('a v1 order needs no leverage set before', () => {
    const rig = new BalanceCheckedExchange();
    rig.exchange.unsetLeverage(rig.symbol, 'USDT');
    expect(codeOf(rig.tryPlace('buy'))).toBe('leverage-not-set');
    expect(codeOf(rig.tryPlace('buy', {}, leverage('5')))).toBe('ok');
    expect(rig.exchange.leverage(rig.symbol, 'USDT')).toBe(of('5'));
  });

  it('a refused v1 order changes no leverage', () => {
    const rig = new BalanceCheckedExchange();
    expect(codeOf(rig.tryPlace('buy', { quantity: '500' }, leverage('2')))).toBe(
      'insufficient-balance',
    );
    expect(rig.exchange.leverage(rig.symbol, 'USDT')).toBe(of('10'));
  });

  /** Each row breaks one rule fewer than the row above it and is refused for the first. */
  it.each<[string, OrderSpec, string, Side]>([
    ['price-range', { price: '3000000.05', quantity: '1600.0005', stopLoss: '0.01' }, '0', 'sell'],
    ['quantity-step', { price: '100.05', quantity: '1600.0005', stopLoss: '0.01' }, '0', 'sell'],
    ['leverage-range', { price: '100.05', quantity: '1600', stopLoss: '0.01' }, '0', 'sell'],
    ['leverage-range', { price: '100.05', quantity: '1600', stopLoss: '0.01' }, '101', 'sell'],
    ['leverage-range', { price: '100.05', quantity: '1600', stopLoss: '0.01' }, '2.005', 'sell'],
    ['quantity-range', { price: '100.05', quantity: '1600', stopLoss: '0.01' }, '5', 'sell'],
    ['price-step', { price: '100.05', quantity: '0.001', stopLoss: '0.01' }, '5', 'sell'],
    ['notional-below-minimum', { price: '100', quantity: '0.001', stopLoss: '0.01' }, '5', 'sell'],
    ['invalid-stop-loss', { price: '100', quantity: '1500', stopLoss: '0.01' }, '5', 'sell'],
    ['invalid-take-profit', { price: '100', quantity: '1500', takeProfit: '200' }, '5', 'sell'],
    ['insufficient-balance', { price: '100', quantity: '1500' }, '5', 'sell'],
    ['reduce-only-without-position', { price: '100', reduceOnly: true }, '5', 'sell'],
    ['ok', { price: '100', stopLoss: '110' }, '5', 'sell'],
  ])('a v1 order is refused in the order of v1 checks: %s', (code, spec, times, side) => {
    const rig = new BalanceCheckedExchange({ listings: [tight] });
    expect(codeOf(rig.tryPlace(side, spec, leverage(times)))).toBe(code);
  });

  it('the price of a v1 market order is bounded (assumption)', () => {
    const rig = new BalanceCheckedExchange({}, { v1MarketPrice: 'in-range' });
    const market = { ...rig.terms('buy'), price: of<'price'>('3000000') };
    expect(codeOf(rig.exchange.place({ terms: market, ...leverage('5') }))).toBe('price-range');
    expect(codeOf(rig.exchange.place({ terms: market }))).toBe('ok');
  });

  it.each([
    [{}, 'ok'],
    [{ v1Available: 'balance' }, 'insufficient-balance'],
  ] as const)(
    'under %o a v1 check that counts unsettled PnL answers %s; v2 never counts it',
    (assumptions, code) => {
      const rig = new BalanceCheckedExchange({}, assumptions);
      rig.placeAndMatch('buy', { quantity: '90' });
      rig.move('110');
      expect(codeOf(rig.tryPlace('buy', { quantity: '20' }))).toBe('insufficient-balance');
      expect(codeOf(rig.tryPlace('buy', { quantity: '20' }, leverage('10')))).toBe(code);
    },
  );

  it('a v1 order does not fill with money that does not exist', () => {
    const rig = new BalanceCheckedExchange();
    rig.placeAndMatch('buy', { quantity: '90' });
    rig.move('110');
    const order = rig.placeAndMatch('buy', { quantity: '20' }, leverage('10'));
    expect(order).toMatchObject({ status: 'canceled', reason: 'insufficient balance' });
    expect(rig.exchange.futuresWallet('USDT').balance).toBeGreaterThanOrEqual(0);
  });

  it('an unsettled loss counts in the v1 balance check', () => {
    const rig = new BalanceCheckedExchange();
    rig.placeAndMatch('buy', { quantity: '50' });
    rig.move('95');
    expect(codeOf(rig.tryPlace('buy', { quantity: '30' }))).toBe('ok');
    expect(codeOf(rig.tryPlace('buy', { quantity: '30' }, leverage('10')))).toBe(
      'insufficient-balance',
    );
  });
});

describe('leverage of an open position', () => {
  it('a position has the leverage of its latest order; a change applies to later orders', () => {
    const rig = new BalanceCheckedExchange();
    rig.placeAndMatch('buy');
    valueOf(rig.exchange.setLeverage(rig.symbol, 'USDT', of('20')));
    expect(textFromFixed(rig.position().leverage)).toBe('10');
    const { initialMargin } = rig.position();
    rig.placeAndMatch('buy');
    expect(textFromFixed(rig.position().leverage)).toBe('20');
    expect(rig.position().initialMargin).toBeLessThan(2 * scaledOf(initialMargin));
  });

  it('the leverage of an open position cannot be changed (assumption)', () => {
    const rig = new BalanceCheckedExchange({}, { leverageWhileOpen: 'refused' });
    rig.placeAndMatch('buy');
    const set = (times: string): string =>
      codeOf(rig.exchange.setLeverage(rig.symbol, 'USDT', of(times)));
    expect([set('20'), set('10')]).toEqual(['leverage-range', 'ok']);
    expect(codeOf(rig.tryPlace('buy', {}, leverage('20')))).toBe('leverage-range');
    expect(codeOf(rig.exchange.setLeverage(rig.symbol, 'INR', of('20')))).toBe('ok');
  });
});

describe('client order ids', () => {
  const worst: OrderSpec = { quantity: '500' };

  it('the id of a refused order stays free', () => {
    const rig = new BalanceCheckedExchange();
    expect(codeOf(rig.tryPlace('buy', worst, { clientOrderId: 'a' }))).toBe('insufficient-balance');
    expect(codeOf(rig.tryPlace('buy', {}, { clientOrderId: 'a' }))).toBe('ok');
  });

  it('a hard reject uses up the id (assumption): 409 afterwards, and no lookup finds it', () => {
    const rig = new BalanceCheckedExchange({}, { idBurn: 'on-hard-reject' });
    expect(codeOf(rig.tryPlace('buy', worst, { clientOrderId: 'a' }))).toBe('insufficient-balance');
    expect(codeOf(rig.tryPlace('buy', {}, { clientOrderId: 'a' }))).toBe('client-order-id-exists');
    expect(rig.exchange.order({ clientOrderId: 'a' })).toBeUndefined();
    rig.placeAndMatch('buy');
    const { positionId } = rig.position();
    const close = { type: 'market', quantity: of<'quantity'>('1'), clientOrderId: 'b' } as const;
    expect(codeOf(rig.exchange.closePartially(positionId, close))).toBe('quantity-range');
    expect(codeOf(rig.tryPlace('buy', {}, { clientOrderId: 'b' }))).toBe('client-order-id-exists');
    const stop = { price: of<'price'>('101'), clientOrderId: 'c' };
    expect(codeOf(rig.exchange.protect(positionId, { stopLoss: stop }))).toBe('invalid-stop-loss');
    expect(codeOf(rig.tryPlace('buy', {}, { clientOrderId: 'c' }))).toBe('client-order-id-exists');
  });

  it('asset, lock and leverage refusals leave the id free (assumption)', () => {
    const rig = new BalanceCheckedExchange({}, { idBurn: 'on-hard-reject' });
    const { exchange, symbol } = rig;
    const attempt = (): string => codeOf(rig.tryPlace('buy', {}, { clientOrderId: 'a' }));
    const unlisted = { ...rig.terms('buy'), symbol: 'NOPE' };
    expect(codeOf(exchange.place({ terms: unlisted, clientOrderId: 'a' }))).toBe('asset-not-found');
    exchange.setLocked(symbol, true);
    expect(attempt()).toBe('locked');
    exchange.setLocked(symbol, false);
    exchange.unsetLeverage(symbol, 'USDT');
    expect(attempt()).toBe('leverage-not-set');
    expect(codeOf(rig.tryPlace('buy', {}, { clientOrderId: 'a', ...leverage('0') }))).toBe(
      'leverage-range',
    );
    exchange.setLeverage(symbol, 'USDT', of('10'));
    expect(attempt()).toBe('ok');
  });

  it('an admin action can burn an id', () => {
    const rig = new BalanceCheckedExchange();
    rig.exchange.burn('a');
    expect(codeOf(rig.tryPlace('buy', {}, { clientOrderId: 'a' }))).toBe('client-order-id-exists');
    expect(codeOf(rig.tryPlace('buy', {}, { clientOrderId: 'A' }))).toBe('ok');
  });
});

describe('asset lock', () => {
  it('the lock holds in both currencies', () => {
    const rig = new BalanceCheckedExchange();
    rig.exchange.setLocked(rig.symbol, true, 'INR');
    expect([codeOf(rig.tryPlace('buy')), codeOf(rig.tryPlace('buy', { currency: 'INR' }))]).toEqual(
      [...['locked', 'locked']],
    );
    rig.exchange.setLocked(rig.symbol, false);
    expect(codeOf(rig.tryPlace('buy'))).toBe('ok');
  });

  it('the lock holds only in its own currency (assumption)', () => {
    const rig = new BalanceCheckedExchange({}, { lockScope: 'one-currency' });
    rig.exchange.setLocked(rig.symbol, true, 'INR');
    expect([codeOf(rig.tryPlace('buy')), codeOf(rig.tryPlace('buy', { currency: 'INR' }))]).toEqual(
      [...['ok', 'locked']],
    );
  });

  it('the lock holds only for placing (assumption)', () => {
    const rig = new BalanceCheckedExchange({}, { lockedActions: 'place' });
    const order = rig.placeAndMatch('buy');
    const resting = rig.placeAndMatch('buy', { price: '90' });
    rig.exchange.setLocked(rig.symbol, true);
    expect(codeOf(rig.tryPlace('buy'))).toBe('locked');
    expect(codeOf(rig.exchange.cancel({ orderId: resting.orderId }))).toBe('ok');
    expect(codeOf(rig.exchange.close(order.positionId ?? ''))).toBe('ok');
  });
});

describe('delisting', () => {
  const cases: readonly (readonly [Side, OrderSpec, string])[] = [
    ['buy', {}, 'delisting'],
    ['sell', { quantity: '1' }, 'ok'],
    ['sell', { quantity: '3' }, 'delisting'],
    ['sell', { reduceOnly: true }, 'ok'],
  ];

  it.each(cases)('with a long of 2 open, a %s of %o answers %s', (side, spec, code) => {
    const rig = new BalanceCheckedExchange();
    rig.placeAndMatch('buy', { quantity: '2' });
    rig.exchange.setDelisting(rig.symbol, true);
    expect(codeOf(rig.tryPlace(side, spec))).toBe(code);
  });

  it('delisting is checked last, and can be ended', () => {
    const rig = new BalanceCheckedExchange();
    rig.exchange.setDelisting(rig.symbol, true);
    expect(codeOf(rig.tryPlace('buy', { quantity: '500' }))).toBe('insufficient-balance');
    expect(codeOf(rig.tryPlace('buy'))).toBe('delisting');
    expect(codeOf(rig.tryPlace('buy', {}, leverage('5')))).toBe('delisting');
    rig.exchange.setDelisting(rig.symbol, false);
    expect(codeOf(rig.tryPlace('buy'))).toBe('ok');
  });

  it.each([
    [{ delistingIncrease: 'accepted' }, 'buy', {}],
    [{ oppositeExcess: 'drop' }, 'sell', { quantity: '3' }],
  ] as const)('under %o a %s of %o is accepted', (assumptions, side, spec) => {
    const rig = new BalanceCheckedExchange({}, assumptions);
    rig.placeAndMatch('buy', { quantity: '2' });
    rig.exchange.setDelisting(rig.symbol, true);
    expect(codeOf(rig.tryPlace(side, spec))).toBe('ok');
  });
});

describe('hedge rate', () => {
  it('an order has the rate of its placing, a position that of its entry; PnL uses the current rate', () => {
    const rig = new BalanceCheckedExchange();
    const order = rig.placeAndMatch('buy', { currency: 'INR' });
    rig.exchange.setHedgeRate(of('100'));
    expect(rig.exchange.hedgeRate('INR')).toBe(of('100'));
    expect(rig.exchange.hedgeRate('USDT')).toBe(of('1'));
    expect(rig.order(order.orderId).hedgeRate).toBe(of('96'));
    expect(rig.position('INR').entryHedgeRate).toBe(of('96'));
    rig.move('110');
    const close = rig.placeAndMatch('sell', { currency: 'INR', reduceOnly: true });
    expect(close.hedgeRate).toBe(of('100'));
    expect(rig.exchange.positionHistory('INR')).toMatchObject([
      { pnl: of('1000'), entryHedgeRate: of('96'), exitHedgeRate: of('100'), leverage: of('10') },
    ]);
    // 110 × 0.00059 × 100
    expect(close.executions[0]?.fee).toBe(of('6.49'));
  });
});

it('amounts beyond 2^53 of 1e-8 open a position and stay exact', () => {
  const rig = new BalanceCheckedExchange({
    futures: { USDT: of<'USDT'>('0'), INR: of<'INR'>('900000000') },
  });
  rig.exchange.setLeverage(rig.symbol, 'INR', of('2'));
  expect(codeOf(rig.tryPlace('buy', { currency: 'INR', quantity: '100000' }))).toBe('ok');
});
