import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import type { TransferRow } from '../../core/account.js';
import { textFromFixed, type Amount } from '../../core/fixed/fixed.js';
import { transfersExplaining, WalletBaseline } from './wallet-baseline.js';

const usdt = (text: string): Amount => d<'USDT'>(text);
const baseline = (isRecovered = false): WalletBaseline =>
  new WalletBaseline({ wallet: usdt('10000'), walletAt: 1_000 }, isRecovered);
const NONE = usdt('0');

/** What a read of the wallet leaves unexplained. */
const unexplainedAfter = (of: WalletBaseline, wallet: string, held = NONE): string => {
  of.onWallet(usdt(wallet), 2_000, held);
  return of.unexplained === undefined ? 'explained' : textFromFixed(of.unexplained.amount);
};

describe('a change of the wallet', () => {
  it.each([
    ['an unchanged wallet', '10000', '0', 'explained'],
    ['a withdrawal on a flat account', '9000', '0', '-1000'],
    ['a deposit', '11000', '0', '1000'],
    ['a small change at its bound, 0.1 % of the wallet', '9990', '0', 'explained'],
    ['more than a small change', '9989.99999999', '0', '-10.00000001'],
    ['a small change and funding on 1,000 held', '9980', '1000', 'explained'],
    ['more than both', '9979.99999999', '1000', '-20.00000001'],
  ])('%s', (_, wallet, held, expected) => {
    expect(unexplainedAfter(baseline(), wallet, usdt(held))).toBe(expected);
  });

  it('a fill explains its realised PnL and its fee', () => {
    const of = baseline();
    of.onFill(usdt('-250'), usdt('5000'));
    expect(textFromFixed(of.cash)).toBe('9747.05');
    expect(unexplainedAfter(of, '9747.2')).toBe('explained');
    expect(textFromFixed(of.cash)).toBe('9747.2');
  });

  it('a withdrawal beside a fill is what is left of the change', () => {
    const of = baseline();
    of.onFill(usdt('-250'), usdt('5000'));
    expect(unexplainedAfter(of, '8747.05')).toBe('-1000');
    expect(textFromFixed(of.cash)).toBe('9747.05');
  });

  it('a fill that is reported late explains the change that it caused', () => {
    const of = baseline();
    expect(unexplainedAfter(of, '9747')).toBe('-253');
    of.onFill(usdt('-250'), usdt('5000'));
    expect(of.unexplained).toBeUndefined();
  });

  it('a close at an estimated price explains 5 % of its notional more', () => {
    const of = baseline();
    of.onEstimatedClose(usdt('-300'), usdt('1000'));
    expect(unexplainedAfter(of, '9655')).toBe('explained');
  });

  it('funding of many polls does not add up to a bound that hides a transfer', () => {
    const of = baseline();
    of.onWallet(usdt('9000'), 2_000, usdt('1000'));
    for (let poll = 0; poll < 200; poll++) of.onWallet(usdt('9000'), 2_000, usdt('1000'));
    expect(textFromFixed(of.unexplained?.amount ?? NONE)).toBe('-1000');
  });

  it('after a restart every change is read up, however small', () => {
    expect(unexplainedAfter(baseline(true), '9999.999')).toBe('-0.001');
    expect(unexplainedAfter(baseline(true), '10000')).toBe('explained');
  });
});

describe('the transfers that explain a change', () => {
  const row = (id: string, amount: string, createdAt: number): TransferRow => ({
    id,
    currency: 'USDT',
    direction: amount.startsWith('-') ? 'withdraw' : 'deposit',
    amount: usdt(amount.replace('-', '')),
    createdAt,
  });

  it.each([
    ['one of its amount', '-1000', [row('a', '-1000', 5)], ['a']],
    ['the newest of two', '-1000', [row('a', '-1000', 5), row('b', '-1000', 9)], ['b']],
    ['both of a pair', '500', [row('a', '1500', 5), row('b', '-1000', 9)], ['b', 'a']],
    ['one beside a loss of 3', '-1003', [row('a', '-1000', 5)], ['a']],
    ['none of the other direction', '-1000', [row('a', '1000', 5)], []],
    ['none at all', '-1000', [], []],
  ])('%s', (_, change, rows, expected) => {
    expect(transfersExplaining(usdt(change), rows).map(({ id }) => id)).toEqual(expected);
  });
});
