import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExchangeRig, MIDNIGHT, HOUR, money, of } from '../../../test/support/rigs/exchange-rig.js';
import { negate, textFromFixed, type Amount } from '../../core/fixed/fixed.js';
import { gstOf, percentOf, rebateOf } from './fee-ledger.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';

describe('fee history', () => {
  it('every fill has a row with its inputs, newest first', () => {
    const rig = new ExchangeRig({ startMs: MIDNIGHT + HOUR + 1_234 });
    const opened = rig.trade('buy', '1');
    rig.move('110');
    const closed = rig.trade('sell', '1');
    expect(rig.exchange.fees('USDT')).toEqual([
      {
        id: closed.executions[0]?.id,
        symbol: 'BTCUSDT',
        currency: 'USDT',
        kind: 'transaction',
        amount: money('0.0649'),
        value: money('110'),
        percent: '0.059',
        order: { orderId: closed.orderId, role: 'trade', side: 'sell', type: 'market' },
        createdAt: MIDNIGHT + HOUR + 1_000,
      },
      {
        id: opened.executions[0]?.id,
        symbol: 'BTCUSDT',
        currency: 'USDT',
        kind: 'transaction',
        amount: money('0.059'),
        value: money('100'),
        percent: '0.059',
        order: { orderId: opened.orderId, role: 'trade', side: 'buy', type: 'market' },
        createdAt: MIDNIGHT + HOUR + 1_000,
      },
    ]);
    expect(rig.exchange.fees('INR')).toEqual([]);
  });

  it('a fill of a resting order pays the maker rate', () => {
    const rig = new ExchangeRig();
    rig.trade('buy', '1', 'USDT', '90');
    rig.move('89.9');
    expect(rig.exchange.fees('USDT')).toMatchObject([
      { amount: money('0.0207'), value: money('90'), percent: '0.023', order: { type: 'limit' } },
    ]);
  });

  it('an INR row has rupees and the GST included in them', () => {
    const rig = new ExchangeRig();
    rig.trade('sell', '1', 'INR');
    expect(rig.exchange.fees('INR')).toMatchObject([
      { amount: money('5.664'), value: money('9600'), percent: '0.059', gst: money('0.864') },
    ]);
  });

  it('the row of a stop has its role and no side', () => {
    const rig = new ExchangeRig();
    rig.exchange.place({
      terms: {
        symbol: 'BTCUSDT',
        currency: 'USDT',
        side: 'buy',
        type: 'market',
        quantity: of('1'),
        reduceOnly: false,
        stopLoss: of('95'),
      },
    });
    rig.exchange.matchPending();
    rig.exchange.moveThrough('BTCUSDT', of('95'), of('95'));
    const [stop] = rig.exchange.fees('USDT');
    const [stopOrder] = rig.exchange.allOrders().filter(({ role }) => role === 'stop-loss');
    expect(stop?.order).toEqual({ orderId: stopOrder?.orderId, role: 'stop-loss', type: 'market' });
  });

  it('a liquidation pays the fee that its margin reserved', () => {
    const rig = new ExchangeRig();
    rig.trade('buy', '1');
    rig.move('85');
    // Bankruptcy value 90: 90 × 0.00059
    expect(rig.exchange.fees('USDT')[0]).toMatchObject({
      amount: money('0.0531'),
      value: money('90'),
      percent: '0.059',
    });
    expect(textFromFixed(rig.exchange.futuresWallet('USDT').balance)).toBe('989.8879');
    expect(rig.leak('USDT', '1100')).toBe(0);
  });

  it('a liquidation without fee (assumption) still has a row', () => {
    const rig = new ExchangeRig({}, { liquidationFee: 'none' });
    rig.trade('buy', '1');
    rig.move('85');
    expect(rig.exchange.fees('USDT')[0]).toMatchObject({ amount: 0, percent: '0' });
    expect(textFromFixed(rig.exchange.futuresWallet('USDT').balance)).toBe('989.941');
  });

  it('a liquidation pays at most the usual fee after the rupee rose', () => {
    const rig = new ExchangeRig();
    rig.trade('buy', '1', 'INR');
    rig.exchange.setHedgeRate(of('80'));
    rig.move('85');
    // Locked (10 + 0.0531) × 96 = 965.0976; lost 10 × 80; fee 90 × 0.00059 × 80; the rest is free again.
    expect(rig.exchange.fees('INR')[0]).toMatchObject({ amount: money('4.248') });
    expect(textFromFixed(rig.exchange.totals('INR').realisedPnl)).toBe('-800');
    expect(rig.leak('INR', '101000')).toBe(0);
  });

  it('a liquidation pays at most the margin after the rupee fell', () => {
    const rig = new ExchangeRig();
    rig.trade('buy', '1', 'INR');
    const { balance, locked } = rig.exchange.futuresWallet('INR');
    rig.exchange.setHedgeRate(of('120'));
    rig.move('85');
    expect(rig.exchange.fees('INR')[0]?.amount).toBe(0);
    expect(rig.exchange.totals('INR').realisedPnl).toBe(negate(locked));
    expect(rig.exchange.futuresWallet('INR').balance).toBe(balance);
    expect(rig.leak('INR', '101000')).toBe(0);
  });
});

describe('rebates (quirk)', () => {
  it('a rebate is a second row of every fill and returns money', () => {
    const rig = new ExchangeRig({}, { rebates: 'forty-percent' });
    const order = rig.trade('buy', '1', 'INR');
    const [rebate, fee] = rig.exchange.fees('INR');
    expect(rebate).toEqual({
      symbol: 'BTCUSDT',
      currency: 'INR',
      kind: 'rebate',
      id: expect.any(String) as string,
      // 40 % of 5.664, cut to 4 places
      amount: money('2.2656'),
      value: money('9600'),
      percent: '0.0236',
      order: { orderId: order.orderId, role: 'trade', side: 'buy', type: 'market' },
      createdAt: fee?.createdAt,
    });
    expect(rebate?.id).not.toBe(fee?.id);
    expect(textFromFixed(rig.exchange.totals('INR').fees)).toBe('3.3984');
    expect(rig.leak('INR', '101000')).toBe(0);
  });

  it('a rebate of 0 has no row', () => {
    const rig = new ExchangeRig({ makerFeeRate: of('0.00000001') }, { rebates: 'forty-percent' });
    rig.trade('buy', '1', 'USDT', '90');
    rig.move('89.9');
    expect(rig.exchange.fees('USDT').map(({ kind }) => kind)).toEqual(['transaction']);
  });

  it('a rebate is at most 40 % of the fee and less than 0.0001 below it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e15 }), (fee) => {
        const rebate = rebateOf(fee as Amount);
        const short = BigInt(fee) * 2n - BigInt(rebate) * 5n;
        expect(scaledOf(rebate) % 10_000).toBe(0);
        expect(short >= 0n && short < 50_000n).toBe(true);
      }),
    );
  });
});

it('GST is 18 of 118 parts, rounded half-even', () => {
  expect(gstOf(money('1.18'))).toBe(money('0.18'));
  expect(gstOf(money('0.2838568'))).toBe(money('0.04330019'));
});

it('the percentage is computed from the booked amounts, to 8 places', () => {
  expect(percentOf(money('0.059'), money('100'))).toBe('0.059');
  expect(percentOf(money('-0.01'), money('100'))).toBe('-0.01');
  expect(percentOf(money('0.00000001'), money('0'))).toBe('0');
});
