import { describe, expect, test } from 'vitest';
import {
  limitOrder,
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';
import { Decimal } from '../../core/fixed/decimal.js';
import { cutText } from './money-wire.js';
import type { BehaviorFlags } from '../behavior/behavior-flags.js';

const V1 = '/fapi/v1/futures';
const INR = { trade_currency: 'INR' };

interface Row {
  readonly [field: string]: string;
}

/** 0.001 BTC at 66,271.4 and back at 66,270.7, at 90 INR per USDT: no amount is round. */
async function traded(switches: Partial<BehaviorFlags> = {}) {
  const testSandbox = openTestSandbox({ switches });
  await testSandbox.call('POST', `${V1}/BTCUSDT/leverage?is_symbol`, { leverage: '7', ...INR });
  await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '66271.4' });
  await testSandbox.call('POST', ORDER_PATH, marketOrder('in', { quantity: '0.001', ...INR }));
  await testSandbox.time.advance(20);
  await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '66270.7' });
  const out = { quantity: '0.001', order_type: 'SHORT', reduce_only: true, ...INR };
  await testSandbox.call('POST', ORDER_PATH, marketOrder('out', out));
  await testSandbox.time.advance(20);
  return testSandbox;
}

async function readAmounts(testSandbox: TestSandbox) {
  const list = async (path: string): Promise<readonly Row[]> =>
    (await testSandbox.data('GET', `${V1}/${path}?trade_currency=INR`)) as Row[];
  const [close] = await list('positions/history');
  const [fee] = await list('fee/history');
  const { text } = await testSandbox.call('GET', `${V1}/orders/detail?client_order_id=in`);
  const { id } = JSON.parse(text).data as Row;
  const report = (await testSandbox.data('GET', `${V1}/orders/${id}/execution-report`)) as {
    readonly executions: readonly Row[];
  };
  const wallet = (await testSandbox.data('GET', `${V1}/funds?trade_currency=INR`)) as Row;
  return {
    amount: /"actual_amount":([0-9.]+)/.exec(text)?.[1],
    pnl: close?.['pnl'],
    fee: fee?.['fee_amount'],
    gst: fee?.['gst_amount'],
    tradingFee: report.executions[0]?.['trading_fee'],
    balance: wallet['balance'],
  };
}

describe('INR money in answers', () => {
  test('INR money has two places and balances four; further places are cut', async () => {
    expect(await readAmounts(await traded())).toEqual({
      amount: '5964.42',
      pnl: '-0.06',
      fee: '3.51',
      gst: '0.53',
      tradingFee: '3.51',
      balance: '999992.899',
    });
  });

  test('INR money is whole (other answer), since the exchange keeps every place', async () => {
    expect(await readAmounts(await traded({ inrMoneyText: 'whole' }))).toEqual({
      amount: '5964.426',
      pnl: '-0.063',
      fee: '3.51897417',
      gst: '0.53679267',
      tradingFee: '3.51901134',
      balance: '999992.89901449',
    });
  });

  test('USDT money is not cut', async () => {
    const testSandbox = openTestSandbox();
    await testSandbox.call('POST', `${V1}/BTCUSDT/leverage?is_symbol`, { leverage: '7' });
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '66271.4' });
    await testSandbox.call('POST', ORDER_PATH, marketOrder('in', { quantity: '0.001' }));
    await testSandbox.time.advance(20);
    const [fee] = (await testSandbox.data('GET', `${V1}/fee/history`)) as Row[];
    expect(fee).toMatchObject({ fee_amount: '0.03910013', transaction_amount: '66.2714' });
  });

  test('money on the control paths is whole', async () => {
    const { text } = await (await traded()).call('GET', '/sandbox/state');
    expect(text).toContain('3.51897417');
  });

  test('the value of an unfilled order is cut', async () => {
    const testSandbox = await traded();
    const rest = limitOrder('rest', '50000.7', { quantity: '0.001', ...INR });
    await testSandbox.call('POST', ORDER_PATH, rest);
    const { text } = await testSandbox.call('GET', `${V1}/orders?trade_currency=INR`);
    expect(text).toContain('"actual_amount":4500.06,');
  });
});

describe('cutText', () => {
  test.each([
    ['3.5188992', 2, '3.51'],
    ['-3.5188992', 2, '-3.51'],
    ['-0.001', 2, '0'],
    ['0.009', 2, '0'],
    ['12.30', 2, '12.3'],
    ['100', 4, '100'],
    ['18.19929', 4, '18.1992'],
  ])('%s to %i places is %s', (value, places, text) => {
    expect(cutText(new Decimal(value), places)).toBe(text);
  });
});
