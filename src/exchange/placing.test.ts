import { describe, expect, it } from 'vitest';
import { looseInstrument, of } from '../../test/harness/exchange-rig.js';
import {
  codeOf,
  valueOf,
  WatchedExchange,
  type Wish,
} from '../../test/harness/watched-exchange.js';
import { textFromFixed, type Ratio } from '../core/fixed.js';
import type { Side } from '../core/order.js';
import type { Listing } from './simulated-exchange.js';
import { scaledOf } from '../../test/harness/scaled.js';

const tight: Listing = {
  instrument: {
    ...looseInstrument('BTCUSDT', '0.1'),
    maxQuantity: of('1500'),
    maxMarketQuantity: of('150'),
  },
  maintenanceRate: of('0.01'),
};
const leverage = (text: string): { leverage: Ratio } => ({ leverage: of(text) });

describe('a v1 order', () => {
  it('stores its leverage for the asset and the one currency, and takes it for its margin', () => {
    const rig = new WatchedExchange();
    const order = rig.run('buy', { currency: 'INR' }, leverage('20'));
    expect(textFromFixed(order.leverage)).toBe('20');
    expect(rig.exchange.leverage(rig.symbol, 'INR')).toBe(of('20'));
    expect(rig.exchange.leverage(rig.symbol, 'USDT')).toBe(of('10'));
    // (5 + 95 × 0.00059) × 96
    expect(textFromFixed(rig.exchange.futuresWallet('INR').locked)).toBe('485.3808');
  });

  it('needs no leverage set before', () => {
    const rig = new WatchedExchange();
    rig.exchange.unsetLeverage(rig.symbol, 'USDT');
    expect(codeOf(rig.ask('buy'))).toBe('leverage-not-set');
    expect(codeOf(rig.ask('buy', {}, leverage('5')))).toBe('ok');
    expect(rig.exchange.leverage(rig.symbol, 'USDT')).toBe(of('5'));
  });

  it('changes no leverage when it is refused', () => {
    const rig = new WatchedExchange();
    expect(codeOf(rig.ask('buy', { quantity: '500' }, leverage('2')))).toBe('insufficient-balance');
    expect(rig.exchange.leverage(rig.symbol, 'USDT')).toBe(of('10'));
  });

  /** Each row breaks one rule fewer than the row above it, and is refused for the first. */
  it.each<[string, Wish, string, Side]>([
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
  ])('is refused in v1’s order: %s', (code, wish, times, side) => {
    const rig = new WatchedExchange({ listings: [tight] });
    expect(codeOf(rig.ask(side, wish, leverage(times)))).toBe(code);
  });

  it('has the price of a market order bounded too where that is assumed', () => {
    const rig = new WatchedExchange({}, { v1MarketPrice: 'in-range' });
    const market = { ...rig.terms('buy'), price: of<'price'>('3000000') };
    expect(codeOf(rig.exchange.place({ terms: market, ...leverage('5') }))).toBe('price-range');
    expect(codeOf(rig.exchange.place({ terms: market }))).toBe('ok');
  });

  it.each([
    [{}, 'ok'],
    [{ v1Available: 'balance' }, 'insufficient-balance'],
  ] as const)('under %o counts unsettled PnL: %s; v2 never does', (assumptions, code) => {
    const rig = new WatchedExchange({}, assumptions);
    rig.run('buy', { quantity: '90' });
    rig.move('110');
    expect(codeOf(rig.ask('buy', { quantity: '20' }))).toBe('insufficient-balance');
    expect(codeOf(rig.ask('buy', { quantity: '20' }, leverage('10')))).toBe(code);
  });

  it('is not filled with money that is not there', () => {
    const rig = new WatchedExchange();
    rig.run('buy', { quantity: '90' });
    rig.move('110');
    const order = rig.run('buy', { quantity: '20' }, leverage('10'));
    expect(order).toMatchObject({ status: 'canceled', reason: 'insufficient balance' });
    expect(rig.exchange.futuresWallet('USDT').balance).toBeGreaterThanOrEqual(0);
  });

  it('counts an unsettled loss as well', () => {
    const rig = new WatchedExchange();
    rig.run('buy', { quantity: '50' });
    rig.move('95');
    expect(codeOf(rig.ask('buy', { quantity: '30' }))).toBe('ok');
    expect(codeOf(rig.ask('buy', { quantity: '30' }, leverage('10')))).toBe('insufficient-balance');
  });
});

describe('the leverage of an open position', () => {
  it('is that of its latest order; a change is for later orders', () => {
    const rig = new WatchedExchange();
    rig.run('buy');
    valueOf(rig.exchange.setLeverage(rig.symbol, 'USDT', of('20')));
    expect(textFromFixed(rig.position().leverage)).toBe('10');
    const { initialMargin } = rig.position();
    rig.run('buy');
    expect(textFromFixed(rig.position().leverage)).toBe('20');
    expect(rig.position().initialMargin).toBeLessThan(2 * scaledOf(initialMargin));
  });

  it('cannot be changed (assumption)', () => {
    const rig = new WatchedExchange({}, { leverageWhileOpen: 'refused' });
    rig.run('buy');
    const set = (times: string): string =>
      codeOf(rig.exchange.setLeverage(rig.symbol, 'USDT', of(times)));
    expect([set('20'), set('10')]).toEqual(['leverage-range', 'ok']);
    expect(codeOf(rig.ask('buy', {}, leverage('20')))).toBe('leverage-range');
    expect(codeOf(rig.exchange.setLeverage(rig.symbol, 'INR', of('20')))).toBe('ok');
  });
});

describe('a client order id', () => {
  const worst: Wish = { quantity: '500' };

  it('of a refused order is free', () => {
    const rig = new WatchedExchange();
    expect(codeOf(rig.ask('buy', worst, { clientOrderId: 'a' }))).toBe('insufficient-balance');
    expect(codeOf(rig.ask('buy', {}, { clientOrderId: 'a' }))).toBe('ok');
  });

  it('is used up by a hard reject (assumption): 409 from then on, and found nowhere', () => {
    const rig = new WatchedExchange({}, { idBurn: 'on-hard-reject' });
    expect(codeOf(rig.ask('buy', worst, { clientOrderId: 'a' }))).toBe('insufficient-balance');
    expect(codeOf(rig.ask('buy', {}, { clientOrderId: 'a' }))).toBe('client-order-id-exists');
    expect(rig.exchange.order({ clientOrderId: 'a' })).toBeUndefined();
    rig.run('buy');
    const { positionId } = rig.position();
    const close = { type: 'market', quantity: of<'quantity'>('1'), clientOrderId: 'b' } as const;
    expect(codeOf(rig.exchange.closePartially(positionId, close))).toBe('quantity-range');
    expect(codeOf(rig.ask('buy', {}, { clientOrderId: 'b' }))).toBe('client-order-id-exists');
    const stop = { price: of<'price'>('101'), clientOrderId: 'c' };
    expect(codeOf(rig.exchange.protect(positionId, { stopLoss: stop }))).toBe('invalid-stop-loss');
    expect(codeOf(rig.ask('buy', {}, { clientOrderId: 'c' }))).toBe('client-order-id-exists');
  });

  it('outlives asset, lock and leverage refusals even then', () => {
    const rig = new WatchedExchange({}, { idBurn: 'on-hard-reject' });
    const { exchange, symbol } = rig;
    const ask = (): string => codeOf(rig.ask('buy', {}, { clientOrderId: 'a' }));
    const unlisted = { ...rig.terms('buy'), symbol: 'NOPE' };
    expect(codeOf(exchange.place({ terms: unlisted, clientOrderId: 'a' }))).toBe('asset-not-found');
    exchange.setLocked(symbol, true);
    expect(ask()).toBe('locked');
    exchange.setLocked(symbol, false);
    exchange.unsetLeverage(symbol, 'USDT');
    expect(ask()).toBe('leverage-not-set');
    expect(codeOf(rig.ask('buy', {}, { clientOrderId: 'a', ...leverage('0') }))).toBe(
      'leverage-range',
    );
    exchange.setLeverage(symbol, 'USDT', of('10'));
    expect(ask()).toBe('ok');
  });

  it('can be burned by hand', () => {
    const rig = new WatchedExchange();
    rig.exchange.burn('a');
    expect(codeOf(rig.ask('buy', {}, { clientOrderId: 'a' }))).toBe('client-order-id-exists');
    expect(codeOf(rig.ask('buy', {}, { clientOrderId: 'A' }))).toBe('ok');
  });
});

describe('the lock of an asset', () => {
  it('holds in both currencies, whichever it was taken in', () => {
    const rig = new WatchedExchange();
    rig.exchange.setLocked(rig.symbol, true, 'INR');
    expect([codeOf(rig.ask('buy')), codeOf(rig.ask('buy', { currency: 'INR' }))]).toEqual([
      ...['locked', 'locked'],
    ]);
    rig.exchange.setLocked(rig.symbol, false);
    expect(codeOf(rig.ask('buy'))).toBe('ok');
  });

  it('holds in its own currency (assumption)', () => {
    const rig = new WatchedExchange({}, { lockScope: 'one-currency' });
    rig.exchange.setLocked(rig.symbol, true, 'INR');
    expect([codeOf(rig.ask('buy')), codeOf(rig.ask('buy', { currency: 'INR' }))]).toEqual([
      ...['ok', 'locked'],
    ]);
  });

  it('holds for placing alone (assumption)', () => {
    const rig = new WatchedExchange({}, { lockedActions: 'place' });
    const order = rig.run('buy');
    const resting = rig.run('buy', { price: '90' });
    rig.exchange.setLocked(rig.symbol, true);
    expect(codeOf(rig.ask('buy'))).toBe('locked');
    expect(codeOf(rig.exchange.cancel({ orderId: resting.orderId }))).toBe('ok');
    expect(codeOf(rig.exchange.close(order.positionId ?? ''))).toBe('ok');
  });
});

describe('delisting', () => {
  const asked: readonly (readonly [Side, Wish, string])[] = [
    ['buy', {}, 'delisting'],
    ['sell', { quantity: '1' }, 'ok'],
    ['sell', { quantity: '3' }, 'delisting'],
    ['sell', { reduceOnly: true }, 'ok'],
  ];

  it.each(asked)('with a long of 2 open, a %s of %o answers %s', (side, wish, code) => {
    const rig = new WatchedExchange();
    rig.run('buy', { quantity: '2' });
    rig.exchange.setDelisting(rig.symbol, true);
    expect(codeOf(rig.ask(side, wish))).toBe(code);
  });

  it('is the last thing that is looked at, and ends', () => {
    const rig = new WatchedExchange();
    rig.exchange.setDelisting(rig.symbol, true);
    expect(codeOf(rig.ask('buy', { quantity: '500' }))).toBe('insufficient-balance');
    expect(codeOf(rig.ask('buy'))).toBe('delisting');
    expect(codeOf(rig.ask('buy', {}, leverage('5')))).toBe('delisting');
    rig.exchange.setDelisting(rig.symbol, false);
    expect(codeOf(rig.ask('buy'))).toBe('ok');
  });

  it.each([
    [{ delistingIncrease: 'accepted' }, 'buy', {}],
    [{ oppositeExcess: 'drop' }, 'sell', { quantity: '3' }],
  ] as const)('under %o lets a %s of %o in', (assumptions, side, wish) => {
    const rig = new WatchedExchange({}, assumptions);
    rig.run('buy', { quantity: '2' });
    rig.exchange.setDelisting(rig.symbol, true);
    expect(codeOf(rig.ask(side, wish))).toBe('ok');
  });
});

describe('the hedge rate', () => {
  it('of an order is that of its placing, of a position that of its entry; PnL is at the present one', () => {
    const rig = new WatchedExchange();
    const order = rig.run('buy', { currency: 'INR' });
    rig.exchange.setHedgeRate(of('100'));
    expect(rig.exchange.hedgeRate('INR')).toBe(of('100'));
    expect(rig.exchange.hedgeRate('USDT')).toBe(of('1'));
    expect(rig.order(order.orderId).hedgeRate).toBe(of('96'));
    expect(rig.position('INR').entryHedgeRate).toBe(of('96'));
    rig.move('110');
    const close = rig.run('sell', { currency: 'INR', reduceOnly: true });
    expect(close.hedgeRate).toBe(of('100'));
    expect(rig.exchange.positionHistory('INR')).toMatchObject([
      { pnl: of('1000'), entryHedgeRate: of('96'), exitHedgeRate: of('100'), leverage: of('10') },
    ]);
    // 110 × 0.00059 × 100
    expect(close.executions[0]?.fee).toBe(of('6.49'));
  });
});

it('what lies beyond 2^53 of 1e-8 in the wallet is opened, and the books stay exact', () => {
  const rig = new WatchedExchange({
    futures: { USDT: of<'USDT'>('0'), INR: of<'INR'>('900000000') },
  });
  rig.exchange.setLeverage(rig.symbol, 'INR', of('2'));
  expect(codeOf(rig.ask('buy', { currency: 'INR', quantity: '100000' }))).toBe('ok');
});
