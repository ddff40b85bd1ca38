import { describe, expect, test } from 'vitest';
import {
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  readyToTrade,
} from '../../test/harness/test-sandbox.js';

const POSITIONS = '/fapi/v1/futures/positions';

describe('wallets', () => {
  test('begin with the documented funds', async () => {
    const { data } = openTestSandbox();
    expect(await data('GET', '/fapi/v1/futures/funds')).toEqual({
      balance: '10000',
      locked_amount: '0',
      first_time_user: true,
    });
    expect(await data('GET', '/fapi/v1/futures/funds?trade_currency=INR')).toMatchObject({
      balance: '1000000',
    });
    const spot = (total: number) => ({
      total,
      rewards: 0,
      invested: 0,
      withdrawable: total,
      coin_investable: total,
      coinset_investable: total,
      vault_investable: total,
    });
    expect(await data('GET', '/fapi/v1/wallet/funds')).toEqual(spot(100_000));
    expect(await data('GET', '/fapi/v1/wallet/funds?currency=INR')).toEqual(spot(10_000_000));
  });

  test('of spot show zeros for the wrong parameter, and refuse a foreign currency', async () => {
    const { data, refusal } = openTestSandbox();
    expect(await data('GET', '/fapi/v1/wallet/funds?trade_currency=INR')).toMatchObject({
      total: 0,
      withdrawable: 0,
    });
    expect(await refusal('GET', '/fapi/v1/wallet/funds?currency=EUR')).toEqual([
      400,
      'Invalid trade currency',
    ]);
    expect(await refusal('GET', '/fapi/v1/futures/funds?trade_currency=EUR')).toEqual([
      400,
      'Invalid trade currency',
    ]);
  });
});

describe('positions', () => {
  test('are null when there are none', async () => {
    const { call } = openTestSandbox();
    expect((await call('GET', POSITIONS)).text).toBe('{"success":true,"data":null}');
  });

  test('show every value as a string, legs only when they exist', async () => {
    const desk = await readyToTrade();
    const protection = { is_stoploss: true, stoploss_price: '58000' };
    await desk.call('POST', ORDER_PATH, marketOrder('a', protection));
    await desk.time.advance(20);
    const [position] = (await desk.data('GET', POSITIONS)) as Record<string, unknown>[];
    expect(position).toMatchObject({
      entry_price: '60000',
      quantity: '0.01',
      leverage: '5',
      order_type: 'LONG',
      status: 'OPEN',
      symbol: 'BTCUSDT',
      trade_currency: 'USDT',
      entry_hedge_rate: '1',
      stoploss: { price: '58000', order_type: 'SHORT' },
    });
    expect(position).not.toHaveProperty('takeprofit');
    expect(position?.['id']).toBe(position?.['position_id']);
    // N/L + q × bankruptcy price × f = 120 + 0.01 × 48,000 × 0.00059 (supplement, part 12).
    expect(position?.['initial_margin']).toBe('120.2832');
    expect(await desk.data('GET', `${POSITIONS}?trade_currency=INR`)).toBeNull();
    const { data } = desk;
    // 10,000 − margin − fee of 600 × 0.00059.
    expect(await data('GET', '/fapi/v1/futures/funds')).toEqual({
      balance: '9879.3628',
      locked_amount: '120.2832',
      first_time_user: false,
    });
  });

  test('leave a row in the history when they close', async () => {
    const desk = await readyToTrade();
    await desk.call('POST', ORDER_PATH, marketOrder('a'));
    await desk.time.advance(20);
    await desk.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '61000' });
    const exit = { order_type: 'SHORT', reduce_only: true };
    await desk.call('POST', ORDER_PATH, marketOrder('b', { ...exit, quantity: '0.004' }));
    await desk.time.advance(20);
    await desk.call('POST', ORDER_PATH, marketOrder('c', { ...exit, quantity: '0.006' }));
    await desk.time.advance(20);
    const rows = (await desk.data('GET', `${POSITIONS}/history`)) as Record<string, string>[];
    const byStatus = rows.toSorted((a, b) => (a['pnl'] ?? '').localeCompare(b['pnl'] ?? ''));
    expect(byStatus).toMatchObject([
      {
        status: 'PARTIAL',
        quantity: '0.004',
        pnl: '4',
        closed_price: '61000',
        entry_price: '60000',
      },
      { status: 'CLOSED', quantity: '0.006', pnl: '6', leverage: '5', position_type: 'LONG' },
    ]);
    expect(rows[0]?.['position_id']).toBe(rows[1]?.['position_id']);
    expect(await desk.data('GET', `${POSITIONS}/history?limit=1`)).toHaveLength(1);
    expect(await desk.data('GET', POSITIONS)).toBeNull();
  });
});
