import { describe, expect, test } from 'vitest';
import {
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  openFundedSandbox,
} from '../../../test/support/rigs/test-sandbox.js';
import { shapeOf } from '../../../test/support/builders/wire-shape.js';

const FEES = '/fapi/v1/futures/fee/history';
type Row = Record<string, string>;

describe('fee history', () => {
  test('each fill has a row, in strings, newest first', async () => {
    const testSandbox = await openFundedSandbox();
    for (const id of ['a', 'b']) {
      await testSandbox.call(
        'POST',
        ORDER_PATH,
        marketOrder(id, { quantity: id === 'a' ? 0.01 : 0.02 }),
      );
      await testSandbox.time.advance(20);
    }
    const rows = (await testSandbox.data('GET', FEES)) as Row[];
    expect(rows).toMatchObject([
      { transaction_amount: '1200', fee_amount: '0.708' },
      {
        symbol: 'BTCUSDT',
        // 600 × 0.00059 (supplement: part 12).
        fee_amount: '0.354',
        fee_perc: '0.059',
        fee_type: 'TRANSACTION',
        transaction_amount: '600',
        trade_currency: 'USDT',
        order_type: 'LONG',
        trigger_type: 'MARKET',
      },
    ]);
    expect(shapeOf(rows[1])).toEqual({
      id: 'uuid',
      symbol: 'text',
      fee_amount: 'decimal',
      fee_perc: 'decimal',
      fee_type: 'text',
      transaction_amount: 'decimal',
      trade_currency: 'text',
      order_type: 'text',
      trigger_type: 'text',
      created_at: 'time',
    });
  });

  test('INR fees show the tax they include', async () => {
    const testSandbox = openTestSandbox();
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'SOLUSDT', price: '100' });
    const leverage = { leverage: 3, trade_currency: 'INR' };
    await testSandbox.call('POST', '/fapi/v1/futures/SOLUSDT/leverage?is_symbol', leverage);
    const order = marketOrder('a', { quantity: 10, trade_currency: 'INR' });
    await testSandbox.call('POST', '/fapi/v2/futures/order?symbol=SOLUSDT', order);
    await testSandbox.time.advance(20);
    expect(await testSandbox.data('GET', `${FEES}?trade_currency=INR`)).toMatchObject([
      // 1000 × 90 × 0.00059 = 53.1, of which 18/118 is tax.
      { fee_amount: '53.1', transaction_amount: '90000', gst_amount: '8.1', trade_currency: 'INR' },
    ]);
    expect(await testSandbox.data('GET', FEES)).toEqual([]);
  });

  test('funding has a row without an id and without an order', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    await testSandbox.time.advance(20);
    testSandbox.sandbox.advance(8 * 3_600_000);
    const [row] = (await testSandbox.data('GET', FEES)) as Row[];
    expect(row).toMatchObject({ fee_type: 'FUNDING', created_at: '2025-05-05T08:00:00Z' });
    expect(shapeOf(row)).toEqual({
      symbol: 'text',
      fee_amount: 'decimal',
      fee_perc: 'decimal',
      fee_type: 'text',
      transaction_amount: 'decimal',
      trade_currency: 'text',
      created_at: 'time',
    });
  });

  test('offset is a number of records to skip, however large', async () => {
    const testSandbox = await openFundedSandbox();
    for (const id of ['a', 'b', 'c']) {
      await testSandbox.call('POST', ORDER_PATH, marketOrder(id));
      await testSandbox.time.advance(20);
    }
    const all = (await testSandbox.data('GET', FEES)) as Row[];
    expect(await testSandbox.data('GET', `${FEES}?limit=1&offset=1`)).toEqual([all[1]]);
    expect(await testSandbox.data('GET', `${FEES}?offset=2000000000000`)).toEqual([]);
    expect(await testSandbox.refusal('GET', `${FEES}?offset=x`)).toEqual([400, 'Params error']);
    expect(await testSandbox.refusal('GET', `${FEES}?trade_currency=EUR`)).toEqual([
      400,
      'Invalid trade currency',
    ]);
  });
});
