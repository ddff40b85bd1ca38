import { describe, expect, it } from 'vitest';
import { ExchangeRig, HOUR, MIDNIGHT, money, of } from '../../test/harness/exchange-rig.js';
import type { RigTerms } from '../../test/harness/exchange-rig.js';
import { subtract, textFromFixed, type Ratio } from '../core/fixed.js';
import type { Assumptions } from './assumptions.js';

const EIGHT = MIDNIGHT + 8 * HOUR;

function open(
  rate: string | ((settlementMs: number) => string),
  terms: RigTerms = {},
  assumptions: Partial<Assumptions> = {},
): ExchangeRig {
  const at = typeof rate === 'string' ? () => rate : rate;
  const funding = {
    intervalMs: 8 * HOUR,
    rate: (_symbol: string, settlementMs: number): Ratio => of(at(settlementMs)),
  };
  return new ExchangeRig({ funding, ...terms }, assumptions);
}

const paid = (rig: ExchangeRig, currency: 'USDT' | 'INR' = 'USDT'): string =>
  textFromFixed(rig.exchange.totals(currency).funding);

describe('a settlement', () => {
  it('is paid by a long when the rate is above 0, on the mark price, and has its row', () => {
    const rig = open('0.0001');
    rig.trade('buy', '2');
    rig.move('100', '101');
    const before = rig.exchange.futuresWallet('USDT').balance;
    rig.exchange.setTime(EIGHT - 1);
    expect(paid(rig)).toBe('0');
    rig.exchange.setTime(EIGHT);
    expect(rig.exchange.fees('USDT')[0]).toEqual({
      symbol: 'BTCUSDT',
      currency: 'USDT',
      kind: 'funding',
      amount: money('0.0202'),
      value: money('202'),
      percent: '0.01',
      createdAt: EIGHT,
    });
    expect(paid(rig)).toBe('0.0202');
    expect(rig.exchange.futuresWallet('USDT').balance).toBe(subtract(before, money('0.0202')));
    expect(rig.leak('USDT', '1100')).toBe(0);
  });

  it.each([
    ['buy', '0.0001', '0.01'],
    ['sell', '0.0001', '-0.01'],
    ['buy', '-0.0001', '-0.01'],
    ['sell', '-0.0001', '0.01'],
  ] as const)('moves money of a %s at a rate of %s by %s', (side, rate, amount) => {
    const rig = open(rate);
    rig.trade(side, '1');
    rig.exchange.setTime(EIGHT);
    expect(paid(rig)).toBe(amount);
    expect(rig.exchange.fees('USDT')[0]).toMatchObject({ percent: amount, value: money('100') });
  });

  it('counts in rupees, at the hedge rate of the moment, for an INR position', () => {
    const rig = open('0.0001');
    rig.trade('buy', '1', 'INR');
    rig.exchange.setHedgeRate(of('97.5'));
    rig.exchange.setTime(EIGHT);
    expect(rig.exchange.fees('INR')[0]).toMatchObject({
      amount: money('0.975'),
      value: money('9750'),
    });
    expect(rig.exchange.fees('INR')[0]).not.toHaveProperty('gst');
    expect(paid(rig, 'USDT')).toBe('0');
  });

  it('is rounded half-even when it is booked', () => {
    const rig = open('0.00000001', { price: '0.5', priceStep: '0.1' });
    rig.trade('buy', '15', 'USDT');
    rig.exchange.setTime(EIGHT);
    // 7.5e-8 lies between two units: to the even one
    expect(paid(rig)).toBe('0.00000008');
    rig.move('0.7');
    rig.exchange.setTime(EIGHT + 8 * HOUR);
    // 10.5e-8 as well
    expect(paid(rig)).toBe('0.00000018');
  });

  it('leaves no row when nothing is exchanged', () => {
    const rig = open('0');
    rig.trade('buy', '1');
    rig.exchange.setTime(EIGHT);
    expect(rig.exchange.fees('USDT').map(({ kind }) => kind)).toEqual(['transaction']);
  });

  it('is told, with its row', () => {
    const rig = open('0.0001');
    rig.trade('buy', '1');
    const told: unknown[] = [];
    rig.exchange.listen((event) => told.push(event));
    rig.exchange.setTime(EIGHT);
    expect(told).toEqual([{ kind: 'funding', fee: rig.exchange.fees('USDT')[0] }]);
  });

  it('uses the last price under the other answer', () => {
    const rig = open('0.0001', {}, { fundingPrice: 'last' });
    rig.trade('buy', '1');
    rig.move('100', '104');
    rig.exchange.setTime(EIGHT);
    expect(paid(rig)).toBe('0.01');
  });
});

describe('the times of settlements', () => {
  it('a jump over several books each, in order, at its own rate', () => {
    const rates: Readonly<Record<number, string>> = { 8: '0.0001', 16: '-0.0002', 24: '0.0004' };
    const rig = open((ms) => rates[(ms - MIDNIGHT) / HOUR] ?? '1');
    rig.trade('buy', '1');
    rig.exchange.setTime(MIDNIGHT + 25 * HOUR);
    const rows = rig.exchange.fees('USDT').filter(({ kind }) => kind === 'funding');
    expect(rows.map(({ createdAt }) => (createdAt - MIDNIGHT) / HOUR)).toEqual([24, 16, 8]);
    expect(rows.map(({ amount }) => textFromFixed(amount))).toEqual(['0.04', '-0.02', '0.01']);
    expect(rig.exchange.nowMs).toBe(MIDNIGHT + 25 * HOUR);
  });

  it('nothing is owed for the time before a position, and nothing is booked twice', () => {
    const rig = open('0.0001');
    rig.exchange.setTime(MIDNIGHT + 1_000 * HOUR);
    rig.trade('buy', '1');
    rig.exchange.setTime(MIDNIGHT + 1_007 * HOUR);
    expect(paid(rig)).toBe('0');
    rig.exchange.setTime(MIDNIGHT + 1_008 * HOUR);
    rig.exchange.setTime(MIDNIGHT + 1_008 * HOUR);
    rig.exchange.setTime(MIDNIGHT + 1_008 * HOUR + 1);
    expect(paid(rig)).toBe('0.01');
  });

  it.each([
    ['before-trades', '0', '0.01'],
    ['after-trades', '0.01', '0'],
  ] as const)(
    'settling %s: what opens at the instant pays %s, what closes at it %s',
    (fundingInstant, opens, closes) => {
      const opening = open('0.0001', {}, { fundingInstant });
      opening.exchange.setTime(EIGHT);
      opening.trade('buy', '1');
      opening.exchange.setTime(EIGHT + 1);
      expect(paid(opening)).toBe(opens);

      const closing = open('0.0001', {}, { fundingInstant });
      closing.trade('buy', '1');
      closing.exchange.setTime(EIGHT);
      closing.trade('sell', '1');
      closing.exchange.setTime(EIGHT + 1);
      expect(paid(closing)).toBe(closes);
    },
  );

  it.each([
    ['before-trades', '0'],
    ['after-trades', '0.01'],
  ] as const)('an exchange that starts at a settlement, %s', (fundingInstant, pays) => {
    const rig = open('0.0001', { startMs: MIDNIGHT }, { fundingInstant });
    rig.trade('buy', '1');
    rig.exchange.setTime(MIDNIGHT + 1);
    expect(paid(rig)).toBe(pays);
  });

  it('there are none without terms', () => {
    const rig = new ExchangeRig();
    rig.trade('buy', '1');
    rig.exchange.setTime(MIDNIGHT + 1_000 * HOUR);
    expect(paid(rig)).toBe('0');
  });
});

describe('what the free balance cannot pay', () => {
  const poor = { futures: { USDT: money('10.2'), INR: money('0') } };

  it('comes out of the margin and moves the liquidation price', () => {
    const rig = open('0.01', poor);
    rig.trade('buy', '1');
    const before = rig.position();
    // 10.2 − 10.0531 − 0.059
    expect(textFromFixed(rig.exchange.futuresWallet('USDT').balance)).toBe('0.0879');
    rig.exchange.setTime(EIGHT);
    expect(rig.exchange.futuresWallet('USDT')).toEqual({
      currency: 'USDT',
      balance: 0,
      locked: money('9.141'),
    });
    const after = rig.position();
    expect(after.initialMargin).toBe(money('9.141'));
    expect(textFromFixed(before.liquidationPrice ?? of('0'))).toBe('90.9');
    // (100 − 10 + 0.9121) / 0.99
    expect(textFromFixed(after.liquidationPrice ?? of('0'))).toBe('91.8');
    expect(paid(rig)).toBe('1');
    expect(rig.leak('USDT', '110.2')).toBe(0);
  });

  it('comes out of the margin of a short as well', () => {
    const rig = open('-0.01', poor);
    rig.trade('sell', '1');
    rig.exchange.setTime(EIGHT);
    // 10.2 − 10.0649 − 0.059: 0.0761 was free. (100 + 10 − 0.9239) / 1.01
    expect(textFromFixed(rig.position().liquidationPrice ?? of('0'))).toBe('108');
    expect(textFromFixed(rig.position().initialMargin)).toBe('9.141');
  });

  it('liquidates at the next price between the old and the new liquidation price', () => {
    const rig = open('0.01', poor);
    rig.trade('buy', '1');
    rig.move('92');
    rig.exchange.setTime(EIGHT);
    rig.move('91.8');
    expect(rig.exchange.positions('USDT')).toHaveLength(1);
    rig.move('91.7');
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([{ kind: 'liquidated' }]);
  });

  it('liquidates at once when the price is beyond the new liquidation price', () => {
    const rig = open('0.05', poor);
    rig.trade('buy', '1');
    rig.move('95');
    rig.exchange.setTime(EIGHT + 3 * HOUR);
    const [row] = rig.exchange.positionHistory('USDT');
    expect(row).toMatchObject({ kind: 'liquidated', closedAt: EIGHT });
    expect(rig.exchange.positions('USDT')).toEqual([]);
    expect(rig.exchange.futuresWallet('USDT')).toMatchObject({ balance: 0, locked: 0 });
    expect(rig.exchange.nowMs).toBe(EIGHT + 3 * HOUR);
    expect(rig.leak('USDT', '110.2')).toBe(0);
  });

  it('is not paid once the margin is gone too: the row tells what was', () => {
    const rig = open('0.2', poor, { liquidationTrigger: 'last' });
    rig.trade('buy', '1');
    rig.exchange.setTime(EIGHT);
    // All of 10.2 − 0.059 was there
    expect(paid(rig)).toBe('10.141');
    const row = rig.exchange.fees('USDT').find(({ kind }) => kind === 'funding');
    expect(row).toMatchObject({ amount: money('10.141'), value: money('100'), percent: '10.141' });
    expect(rig.exchange.futuresWallet('USDT')).toMatchObject({ balance: 0, locked: 0 });
    expect(rig.leak('USDT', '110.2')).toBe(0);
  });

  it('is owed by a balance below 0 under the other answer', () => {
    const rig = open('0.01', poor, { fundingShortfall: 'balance' });
    rig.trade('buy', '1');
    rig.exchange.setTime(EIGHT);
    expect(rig.exchange.futuresWallet('USDT')).toMatchObject({
      balance: money('-0.9121'),
      locked: money('10.0531'),
    });
    expect(rig.leak('USDT', '110.2')).toBe(0);
  });
});
