import { expect, it } from 'vitest';
import { ExchangeRig, HOUR, MIDNIGHT, money } from '../../../test/support/rigs/exchange-rig.js';
import { textFromFixed } from '../../core/fixed/fixed.js';

it('a deposit moves money from spot to futures at once and has a row', () => {
  const rig = new ExchangeRig({ startMs: MIDNIGHT + 1_999 });
  const answer = rig.exchange.transfer('INR', 'deposit', money('5000'));
  expect(answer).toEqual({
    ok: true,
    value: {
      id: expect.any(String) as string,
      currency: 'INR',
      direction: 'deposit',
      amount: money('5000'),
      status: 'completed',
      createdAt: MIDNIGHT + 1_000,
      updatedAt: MIDNIGHT + 1_000,
    },
  });
  expect(rig.exchange.spotBalance('INR')).toBe(0);
  expect(textFromFixed(rig.exchange.futuresWallet('INR').balance)).toBe('101000');
  expect(rig.exchange.spotBalance('USDT')).toBe(money('100'));
  expect(rig.leak('INR', '101000')).toBe(0);
});

it('rows are of one currency, newest first', () => {
  const { exchange } = new ExchangeRig();
  exchange.transfer('USDT', 'deposit', money('1'));
  exchange.transfer('INR', 'deposit', money('2'));
  exchange.setTime(MIDNIGHT + 2 * HOUR);
  exchange.transfer('USDT', 'withdraw', money('3'));
  expect(exchange.transfers('USDT').map(({ direction }) => direction)).toEqual([
    'withdraw',
    'deposit',
  ]);
  expect(exchange.transfers('INR')).toHaveLength(1);
  expect(new Set(exchange.transfers('USDT').map(({ id }) => id)).size).toBe(2);
});

it.each([
  ['deposit', '100.00000001'],
  ['withdraw', '1000.00000001'],
] as const)('a %s of more than its source holds is refused and leaves no row', (way, amount) => {
  const { exchange } = new ExchangeRig();
  const answer = exchange.transfer('USDT', way, money(amount));
  expect(answer).toEqual({ ok: false, code: 'insufficient-balance' });
  expect(exchange.transfers('USDT')).toEqual([]);
  expect(exchange.spotBalance('USDT')).toBe(money('100'));
});

it.each(['0', '-1'])('a transfer of %s is refused', (amount) => {
  const { exchange } = new ExchangeRig();
  const answer = exchange.transfer('USDT', 'deposit', money(amount));
  expect(answer).toEqual({ ok: false, code: 'params-error' });
});

it('margin of an open position cannot be withdrawn, while the free balance can, to the last digit', () => {
  const rig = new ExchangeRig();
  rig.trade('buy', '1');
  const { balance } = rig.exchange.futuresWallet('USDT');
  const more = money('989.88790001');
  expect(rig.exchange.transfer('USDT', 'withdraw', more)).toMatchObject({ ok: false });
  expect(rig.exchange.transfer('USDT', 'withdraw', balance)).toMatchObject({ ok: true });
  expect(rig.exchange.futuresWallet('USDT')).toMatchObject({
    balance: 0,
    locked: money('10.0531'),
  });
  expect(rig.leak('USDT', '1100')).toBe(0);
});
