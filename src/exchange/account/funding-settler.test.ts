import { describe, expect, it } from 'vitest';
import { ExchangeRig, HOUR, MIDNIGHT, money, of } from '../../../test/support/rigs/exchange-rig.js';
import type { RigTerms } from '../../../test/support/rigs/exchange-rig.js';
import { subtract, textFromFixed, type Ratio } from '../../core/fixed/fixed.js';
import type { Assumptions } from '../assumptions.js';

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
  it('a long pays at the mark price when the rate is above 0, and the payment has a row', () => {
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
  ] as const)(
    'a settlement with a %s and a rate of %s changes the balance by %s',
    (side, rate, amount) => {
      const rig = open(rate);
      rig.trade(side, '1');
      rig.exchange.setTime(EIGHT);
      expect(paid(rig)).toBe(amount);
      expect(rig.exchange.fees('USDT')[0]).toMatchObject({ percent: amount, value: money('100') });
    },
  );

  it('an INR position pays in rupees at the current hedge rate', () => {
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

  it('the payment is rounded half-even', () => {
    const rig = open('0.00000001', { price: '0.5', priceStep: '0.1' });
    rig.trade('buy', '15', 'USDT');
    rig.exchange.setTime(EIGHT);
    // 7.5e-8 is between two units and rounds to the even one.
    expect(paid(rig)).toBe('0.00000008');
    rig.move('0.7');
    rig.exchange.setTime(EIGHT + 8 * HOUR);
    // 10.5e-8 does too.
    expect(paid(rig)).toBe('0.00000018');
  });

  it('a payment of 0 has no row', () => {
    const rig = open('0');
    rig.trade('buy', '1');
    rig.exchange.setTime(EIGHT);
    expect(rig.exchange.fees('USDT').map(({ kind }) => kind)).toEqual(['transaction']);
  });

  it('the payment is emitted with its row', () => {
    const rig = open('0.0001');
    rig.trade('buy', '1');
    const events: unknown[] = [];
    rig.exchange.listen((event) => events.push(event));
    rig.exchange.setTime(EIGHT);
    expect(events).toEqual([{ kind: 'funding', fee: rig.exchange.fees('USDT')[0] }]);
  });

  it('the payment uses the last price (assumption)', () => {
    const rig = open('0.0001', {}, { fundingPrice: 'last' });
    rig.trade('buy', '1');
    rig.move('100', '104');
    rig.exchange.setTime(EIGHT);
    expect(paid(rig)).toBe('0.01');
  });
});

describe('times of settlements', () => {
  it('a jump over several settlements books each in order, at its own rate', () => {
    const rates: Readonly<Record<number, string>> = { 8: '0.0001', 16: '-0.0002', 24: '0.0004' };
    const rig = open((ms) => rates[(ms - MIDNIGHT) / HOUR] ?? '1');
    rig.trade('buy', '1');
    rig.exchange.setTime(MIDNIGHT + 25 * HOUR);
    const rows = rig.exchange.fees('USDT').filter(({ kind }) => kind === 'funding');
    expect(rows.map(({ createdAt }) => (createdAt - MIDNIGHT) / HOUR)).toEqual([24, 16, 8]);
    expect(rows.map(({ amount }) => textFromFixed(amount))).toEqual(['0.04', '-0.02', '0.01']);
    expect(rig.exchange.nowMs).toBe(MIDNIGHT + 25 * HOUR);
  });

  it('time before a position costs nothing, and no settlement is booked twice', () => {
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
    'with %s an opening at the instant pays %s and a close at it %s',
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
  ] as const)(
    'an exchange that starts at a settlement books it as %s implies',
    (fundingInstant, pays) => {
      const rig = open('0.0001', { startMs: MIDNIGHT }, { fundingInstant });
      rig.trade('buy', '1');
      rig.exchange.setTime(MIDNIGHT + 1);
      expect(paid(rig)).toBe(pays);
    },
  );

  it('an exchange without funding terms has no settlements', () => {
    const rig = new ExchangeRig();
    rig.trade('buy', '1');
    rig.exchange.setTime(MIDNIGHT + 1_000 * HOUR);
    expect(paid(rig)).toBe('0');
  });
});

describe('a payment beyond the free balance', () => {
  const poor = { futures: { USDT: money('10.2'), INR: money('0') } };

  it('the margin of a long pays, which moves its liquidation price', () => {
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

  it('the margin of a short pays, which moves its liquidation price', () => {
    const rig = open('-0.01', poor);
    rig.trade('sell', '1');
    rig.exchange.setTime(EIGHT);
    // 10.2 − 10.0649 − 0.059: 0.0761 was free. (100 + 10 − 0.9239) / 1.01
    expect(textFromFixed(rig.position().liquidationPrice ?? of('0'))).toBe('108');
    expect(textFromFixed(rig.position().initialMargin)).toBe('9.141');
  });

  it('a price between the old and the new liquidation price liquidates', () => {
    const rig = open('0.01', poor);
    rig.trade('buy', '1');
    rig.move('92');
    rig.exchange.setTime(EIGHT);
    rig.move('91.8');
    expect(rig.exchange.positions('USDT')).toHaveLength(1);
    rig.move('91.7');
    expect(rig.exchange.positionHistory('USDT')).toMatchObject([{ kind: 'liquidated' }]);
  });

  it('a price beyond the new liquidation price liquidates at once', () => {
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

  it('a debt beyond the margin stays unpaid, and the row has the paid amount', () => {
    const rig = open('0.2', poor, { liquidationTrigger: 'last' });
    rig.trade('buy', '1');
    rig.exchange.setTime(EIGHT);
    // The whole 10.2 − 0.059 was available.
    expect(paid(rig)).toBe('10.141');
    const row = rig.exchange.fees('USDT').find(({ kind }) => kind === 'funding');
    expect(row).toMatchObject({ amount: money('10.141'), value: money('100'), percent: '10.141' });
    expect(rig.exchange.futuresWallet('USDT')).toMatchObject({ balance: 0, locked: 0 });
    expect(rig.leak('USDT', '110.2')).toBe(0);
  });

  it('a debt beyond the margin leaves the balance below 0 (a backtest)', () => {
    const rig = open('0.2', poor, {
      liquidationTrigger: 'last',
      fundingShortfall: 'margin-then-balance',
    });
    rig.trade('buy', '1');
    rig.exchange.setTime(EIGHT);
    expect(paid(rig)).toBe('20');
    const row = rig.exchange.fees('USDT').find(({ kind }) => kind === 'funding');
    expect(row).toMatchObject({ amount: money('20'), percent: '20' });
    expect(rig.exchange.futuresWallet('USDT')).toMatchObject({
      balance: money('-9.859'),
      locked: 0,
    });
    expect(rig.leak('USDT', '110.2')).toBe(0);
  });

  it('the margin pays first, and moves the liquidation price (a backtest)', () => {
    const rig = open('-0.01', poor, { fundingShortfall: 'margin-then-balance' });
    rig.trade('sell', '1');
    rig.exchange.setTime(EIGHT);
    expect(textFromFixed(rig.position().liquidationPrice ?? of('0'))).toBe('108');
    expect(textFromFixed(rig.position().initialMargin)).toBe('9.141');
    expect(rig.exchange.futuresWallet('USDT')).toMatchObject({ balance: 0 });
  });

  it('the balance goes below 0 (assumption)', () => {
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
