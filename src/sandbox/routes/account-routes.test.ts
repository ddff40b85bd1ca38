import { describe, expect, test } from 'vitest';
import {
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  openFundedSandbox,
} from '../../../test/support/rigs/test-sandbox.js';

describe('wallets', () => {
  test('the wallets start with the documented funds', async () => {
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

  test('the spot wallet shows zeros for the wrong parameter and refuses an unknown currency', async () => {
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

describe('the futures wallet', () => {
  test('the wallet locks the margin of a position, pays its fee, and shows that it was used', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    await testSandbox.time.advance(20);
    // 10,000 − margin of 120.2832 − fee of 600 × 0.00059 (supplement: part 12).
    expect(await testSandbox.data('GET', '/fapi/v1/futures/funds')).toEqual({
      balance: '9879.3628',
      locked_amount: '120.2832',
      first_time_user: false,
    });
    expect(
      await testSandbox.data('GET', '/fapi/v1/futures/funds?trade_currency=INR'),
    ).toMatchObject({
      first_time_user: true,
    });
  });
});
