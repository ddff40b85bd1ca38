import { describe, expect, test } from 'vitest';
import {
  limitOrder,
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  openFundedSandbox,
} from '../../../test/support/rigs/test-sandbox.js';

describe('POST /sandbox/fill', () => {
  test('a fill executes a part of a resting order', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('POST', ORDER_PATH, limitOrder('a', '59000', { quantity: '0.05' }));
    const { status, json } = await testSandbox.call('POST', '/sandbox/fill', {
      client_order_id: 'a',
      quantity: '0.02',
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'PARTIAL_FILLED', filled_quantity: '0.02' });
    const order = await testSandbox.data('GET', '/fapi/v1/futures/orders/detail?client_order_id=a');
    expect(order).toMatchObject({ status: 'PARTIAL_FILLED', filled_quantity: 0.02 });
  });

  test.each([
    [{ quantity: '1' }, 400, 'order_id or client_order_id is required, as a string'],
    [{ order_id: 'x', quantity: '1' }, 404, 'order not found'],
    [{ order_id: 'x', quantity: '-1' }, 400, 'quantity must be a decimal above 0'],
    [{ order_id: 'x', quantity: '1e5' }, 400, 'quantity must be a decimal above 0'],
    [{ order_id: 'x' }, 400, 'quantity must be a decimal above 0'],
  ])('a fill with %j answers %i', async (body, status, text) => {
    const [code, message] = await openTestSandbox().refusal('POST', '/sandbox/fill', body);
    expect([code, message]).toEqual([status, expect.stringContaining(text)]);
  });
});

describe('POST /sandbox/lock', () => {
  test('the lock refuses placing on the symbol until it is released', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('POST', '/sandbox/lock', { symbol: 'BTCUSDT', locked: true });
    expect(await testSandbox.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      423,
      'action not allowed: another user action in progress',
    ]);
    await testSandbox.call('POST', '/sandbox/lock', { symbol: 'BTCUSDT', locked: false });
    expect((await testSandbox.call('POST', ORDER_PATH, marketOrder('a'))).status).toBe(202);
  });
});

describe('POST /sandbox/delist', () => {
  test('delisting refuses new positions on the symbol', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('POST', '/sandbox/delist', { symbol: 'BTCUSDT', delisting: true });
    expect(await testSandbox.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      400,
      'This trading pair is being delisted',
    ]);
  });
});

describe('POST /sandbox/hedge-rate', () => {
  test('the hedge rate applies to later INR orders', async () => {
    const testSandbox = await openFundedSandbox();
    const { json } = await testSandbox.call('POST', '/sandbox/hedge-rate', { rate: '95.5' });
    expect(json).toEqual({ rate: '95.5' });
    expect(JSON.parse(testSandbox.sandbox.state())).toMatchObject({ hedge_rate: '95.5' });
    await testSandbox.call('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', {
      leverage: '5',
      trade_currency: 'INR',
    });
    await testSandbox.call('POST', ORDER_PATH, limitOrder('a', '59000', { trade_currency: 'INR' }));
    const order = await testSandbox.data('GET', '/fapi/v1/futures/orders/detail?client_order_id=a');
    expect(order).toMatchObject({ hedge_rate: 95.5 });
  });
});

describe('POST /sandbox/funding-rate', () => {
  test('the funding rate applies to the next settlement, which positions then pay', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    await testSandbox.time.advance(100);
    const { json } = await testSandbox.call('POST', '/sandbox/funding-rate', {
      symbol: 'BTCUSDT',
      rate: '0.005',
    });
    expect(json).toMatchObject({ rate: '0.005', settlement_ms: Date.UTC(2025, 4, 5, 8) });
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 8 * 3_600_000 });
    const { fees } = JSON.parse(testSandbox.sandbox.state()) as {
      fees: { kind: string; amount: string; value: string }[];
    };
    expect(fees.filter(({ kind }) => kind === 'funding')).toEqual([
      expect.objectContaining({ amount: '3', value: '600' }),
    ]);
  });
});

describe.each([
  ['/sandbox/lock', { locked: 'yes' }, 'locked must be true or false'],
  ['/sandbox/delist', {}, 'delisting must be true or false'],
  ['/sandbox/hedge-rate', { rate: '0' }, 'rate must be INR per USDT'],
  ['/sandbox/hedge-rate', { rate: '1000001' }, 'rate must be INR per USDT'],
  ['/sandbox/funding-rate', { rate: '0.006' }, 'rate must be a decimal from -0.005 to 0.005'],
])('POST %s with %j', (path, body, text) => {
  test('the refusal names the expected value', async () => {
    const testSandbox = openTestSandbox();
    const [status, message] = await testSandbox.refusal('POST', path, {
      symbol: 'BTCUSDT',
      ...body,
    });
    expect([status, message]).toEqual([400, expect.stringContaining(text)]);
  });
});

test.each(['/sandbox/lock', '/sandbox/delist', '/sandbox/funding-rate'])(
  'POST %s with an unknown symbol answers 404',
  async (path) => {
    const refusal = await openTestSandbox().refusal('POST', path, { symbol: 'NOUSDT' });
    expect(refusal).toEqual([404, 'no such symbol: "NOUSDT"']);
  },
);

test('GET /sandbox/switches lists every answer and the active quirks', async () => {
  const testSandbox = openTestSandbox({
    switches: { jsonPing: 'pong' },
    assumptions: { stopTrigger: 'mark' },
    quirks: ['json-pong'],
  });
  const { json } = await testSandbox.call('GET', '/sandbox/switches');
  expect(json).toMatchObject({
    assumptions: { stopTrigger: 'mark', liquidationTrigger: 'mark' },
    switches: { jsonPing: 'pong', kline1s: 'running-minute' },
    quirks: ['json-pong'],
  });
});

test('the state view lists closes, fees and transfers', async () => {
  const testSandbox = await openFundedSandbox();
  await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
  await testSandbox.time.advance(100);
  await testSandbox.call(
    'POST',
    ORDER_PATH,
    marketOrder('b', { order_type: 'SHORT', reduce_only: true }),
  );
  await testSandbox.time.advance(100);
  await testSandbox.call('POST', '/fapi/v1/wallet/futures/transfer', {
    from_wallet_type: 'SPOT',
    to_wallet_type: 'FUTURES',
    amount: '12.5',
  });
  expect(JSON.parse(testSandbox.sandbox.state())).toMatchObject({
    closes: [{ symbol: 'BTCUSDT', kind: 'closed', quantity: '0.01', pnl: '0' }],
    fees: [
      { kind: 'transaction', amount: '0.354' },
      { kind: 'transaction', amount: '0.354' },
    ],
    transfers: [{ direction: 'deposit', amount: '12.5' }],
    funding: { next_settlement_ms: Date.UTC(2025, 4, 5, 8) },
  });
});
