import { describe, expect, test } from 'vitest';
import {
  limitOrder,
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  readyToTrade,
} from '../../test/harness/test-sandbox.js';

describe('POST /sandbox/fill', () => {
  test('gives a resting order a part of what it wants', async () => {
    const desk = await readyToTrade();
    await desk.call('POST', ORDER_PATH, limitOrder('a', '59000', { quantity: '0.05' }));
    const { status, json } = await desk.call('POST', '/sandbox/fill', {
      client_order_id: 'a',
      quantity: '0.02',
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'PARTIAL_FILLED', filled_quantity: '0.02' });
    const order = await desk.data('GET', '/fapi/v1/futures/orders/detail?client_order_id=a');
    expect(order).toMatchObject({ status: 'PARTIAL_FILLED', filled_quantity: 0.02 });
  });

  test.each([
    [{ quantity: '1' }, 400, 'order_id or client_order_id is required, as a string'],
    [{ order_id: 'x', quantity: '1' }, 404, 'order not found'],
    [{ order_id: 'x', quantity: '-1' }, 400, 'quantity must be a decimal above 0'],
    [{ order_id: 'x', quantity: '1e5' }, 400, 'quantity must be a decimal above 0'],
    [{ order_id: 'x' }, 400, 'quantity must be a decimal above 0'],
  ])('with %j answers %i', async (body, status, text) => {
    const [code, said] = await openTestSandbox().refusal('POST', '/sandbox/fill', body);
    expect([code, said]).toEqual([status, expect.stringContaining(text)]);
  });
});

describe('POST /sandbox/lock', () => {
  test('makes placing on the symbol wait until it is let go', async () => {
    const desk = await readyToTrade();
    await desk.call('POST', '/sandbox/lock', { symbol: 'BTCUSDT', locked: true });
    expect(await desk.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      423,
      'action not allowed: another user action in progress',
    ]);
    await desk.call('POST', '/sandbox/lock', { symbol: 'BTCUSDT', locked: false });
    expect((await desk.call('POST', ORDER_PATH, marketOrder('a'))).status).toBe(202);
  });
});

describe('POST /sandbox/delist', () => {
  test('refuses new positions on the symbol', async () => {
    const desk = await readyToTrade();
    await desk.call('POST', '/sandbox/delist', { symbol: 'BTCUSDT', delisting: true });
    expect(await desk.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      400,
      'This trading pair is being delisted',
    ]);
  });
});

describe('POST /sandbox/hedge-rate', () => {
  test('changes the rate of INR orders from now on', async () => {
    const desk = await readyToTrade();
    const { json } = await desk.call('POST', '/sandbox/hedge-rate', { rate: '95.5' });
    expect(json).toEqual({ rate: '95.5' });
    expect(JSON.parse(desk.sandbox.state())).toMatchObject({ hedge_rate: '95.5' });
    await desk.call('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', {
      leverage: '5',
      trade_currency: 'INR',
    });
    await desk.call('POST', ORDER_PATH, limitOrder('a', '59000', { trade_currency: 'INR' }));
    const order = await desk.data('GET', '/fapi/v1/futures/orders/detail?client_order_id=a');
    expect(order).toMatchObject({ hedge_rate: 95.5 });
  });
});

describe('POST /sandbox/funding-rate', () => {
  test('sets the rate of the next settlement, which positions then pay', async () => {
    const desk = await readyToTrade();
    await desk.call('POST', ORDER_PATH, marketOrder('a'));
    await desk.time.advance(100);
    const { json } = await desk.call('POST', '/sandbox/funding-rate', {
      symbol: 'BTCUSDT',
      rate: '0.005',
    });
    expect(json).toMatchObject({ rate: '0.005', settlement_ms: Date.UTC(2025, 4, 5, 8) });
    await desk.call('POST', '/sandbox/clock', { advance_ms: 8 * 3_600_000 });
    const { fees } = JSON.parse(desk.sandbox.state()) as {
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
  test('says what it wants', async () => {
    const desk = openTestSandbox();
    const [status, said] = await desk.refusal('POST', path, { symbol: 'BTCUSDT', ...body });
    expect([status, said]).toEqual([400, expect.stringContaining(text)]);
  });
});

test.each(['/sandbox/lock', '/sandbox/delist', '/sandbox/funding-rate'])(
  'POST %s of an unknown symbol answers 404',
  async (path) => {
    const refusal = await openTestSandbox().refusal('POST', path, { symbol: 'NOUSDT' });
    expect(refusal).toEqual([404, 'no such symbol: "NOUSDT"']);
  },
);

test('GET /sandbox/switches tells every answer and the quirks that are on', async () => {
  const desk = openTestSandbox({
    switches: { jsonPing: 'pong' },
    assumptions: { stopTrigger: 'mark' },
    quirks: ['json-pong'],
  });
  const { json } = await desk.call('GET', '/sandbox/switches');
  expect(json).toMatchObject({
    assumptions: { stopTrigger: 'mark', liquidationTrigger: 'mark' },
    switches: { jsonPing: 'pong', kline1s: 'running-minute' },
    quirks: ['json-pong'],
  });
});

test('the god view tells closes, fees and transfers too', async () => {
  const desk = await readyToTrade();
  await desk.call('POST', ORDER_PATH, marketOrder('a'));
  await desk.time.advance(100);
  await desk.call('POST', ORDER_PATH, marketOrder('b', { order_type: 'SHORT', reduce_only: true }));
  await desk.time.advance(100);
  await desk.call('POST', '/fapi/v1/wallet/futures/transfer', {
    from_wallet_type: 'SPOT',
    to_wallet_type: 'FUTURES',
    amount: '12.5',
  });
  expect(JSON.parse(desk.sandbox.state())).toMatchObject({
    closes: [{ symbol: 'BTCUSDT', kind: 'closed', quantity: '0.01', pnl: '0' }],
    fees: [
      { kind: 'transaction', amount: '0.354' },
      { kind: 'transaction', amount: '0.354' },
    ],
    transfers: [{ direction: 'deposit', amount: '12.5' }],
    funding: { next_settlement_ms: Date.UTC(2025, 4, 5, 8) },
  });
});
