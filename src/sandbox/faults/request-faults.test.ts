import { describe, expect, test } from 'vitest';
import { gunzipSync } from 'node:zlib';
import {
  limitOrder,
  marketOrder,
  ORDER_PATH,
  openFundedSandbox,
  START,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';

const DETAIL = '/fapi/v1/futures/orders/detail?client_order_id=';
const POSITIONS = '/fapi/v1/futures/positions';
const PLACE = 'POST /fapi/v2/futures/order';

type Rows = readonly Readonly<Record<string, unknown>>[];

const arm = (testSandbox: TestSandbox, ...rules: readonly unknown[]) =>
  testSandbox.call('PUT', '/sandbox/faults', rules);

async function withPosition(more: Readonly<Record<string, unknown>> = {}): Promise<TestSandbox> {
  const testSandbox = await openFundedSandbox();
  await testSandbox.call('POST', ORDER_PATH, marketOrder('open', more));
  await testSandbox.time.advance(100);
  return testSandbox;
}

const open = (testSandbox: TestSandbox) =>
  testSandbox.data('GET', POSITIONS) as Promise<Rows | null>;
const state = (testSandbox: TestSandbox) =>
  JSON.parse(testSandbox.sandbox.state()) as Readonly<Record<string, Rows>>;

describe('network faults', () => {
  test('half_open: the request is lost and the connection does not break for the given time', async () => {
    const testSandbox = await openFundedSandbox();
    await arm(testSandbox, { on: PLACE, fault: 'half_open', delay_ms: 5_000, count: 1 });
    let answered: unknown;
    void testSandbox.raw('POST', ORDER_PATH, marketOrder('a')).then((reply) => (answered = reply));
    await testSandbox.time.advance(4_999);
    expect(answered).toBeUndefined();
    await testSandbox.time.advance(1);
    expect(answered).toBe('reset');
    expect((await testSandbox.call('GET', `${DETAIL}a`)).status).toBe(404);
  });

  test.each([
    ['redirect', 307, 'http://elsewhere.invalid/'],
    ['redirect(301 http://127.0.0.1:9/x)', 301, 'http://127.0.0.1:9/x'],
  ])('%s redirects the caller with %i', async (fault, status, location) => {
    const testSandbox = await openFundedSandbox();
    await arm(testSandbox, { on: PLACE, fault });
    const reply = await testSandbox.raw('POST', ORDER_PATH, marketOrder('a'));
    expect(reply).toMatchObject({ status, headers: { location } });
    await testSandbox.call('DELETE', '/sandbox/faults');
    expect((await testSandbox.call('GET', `${DETAIL}a`)).status).toBe(404);
  });

  test('gzip_bomb: a small answer unpacks to 32 MiB', async () => {
    const testSandbox = await openFundedSandbox();
    await arm(testSandbox, { on: `GET ${POSITIONS}`, fault: 'gzip_bomb' });
    const reply = await testSandbox.raw('GET', POSITIONS);
    const bytes = reply === 'reset' ? undefined : reply.bytes;
    expect(reply).toMatchObject({ headers: { 'content-encoding': 'gzip' } });
    expect(bytes?.length).toBeLessThan(100_000);
    expect(gunzipSync(bytes ?? new Uint8Array()).length).toBeGreaterThan(33_000_000);
  });
});

describe('venue faults', () => {
  test('id_burn: the refusal uses up the id, and no order has it', async () => {
    const testSandbox = await openFundedSandbox();
    await arm(testSandbox, { on: PLACE, fault: 'id_burn(insufficient balance)', count: 1 });
    expect(await testSandbox.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      400,
      'insufficient balance',
    ]);
    expect(await testSandbox.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      409,
      'client order id already exists',
    ]);
    expect((await testSandbox.call('GET', `${DETAIL}a`)).status).toBe(404);
    expect((await testSandbox.call('POST', ORDER_PATH, marketOrder('b'))).status).toBe(202);
  });

  test('async_refuse: the answer is 202, then the order ends without a fill', async () => {
    const testSandbox = await openFundedSandbox();
    await arm(testSandbox, { on: PLACE, fault: 'async_refuse', count: 1 });
    expect((await testSandbox.call('POST', ORDER_PATH, marketOrder('a'))).status).toBe(202);
    await testSandbox.time.advance(100);
    expect(await testSandbox.data('GET', `${DETAIL}a`)).toMatchObject({
      status: 'CANCELLED',
      filled_quantity: 0,
      reason: { message: 'order rejected by the exchange' },
    });
    expect(await open(testSandbox)).toBeNull();
  });

  test('nonatomic_id: one id has two orders', async () => {
    const testSandbox = await openFundedSandbox();
    await arm(testSandbox, { on: PLACE, fault: 'nonatomic_id', count: 1 });
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    await testSandbox.time.advance(100);
    expect(await open(testSandbox)).toMatchObject([{ quantity: '0.02' }]);
  });

  test('sticky_partial and wrong_amount: the answers show the known issue', async () => {
    const testSandbox = await openFundedSandbox({ switches: { partialCancelAmount: 'filled' } });
    await testSandbox.call('POST', ORDER_PATH, limitOrder('a', '59000', { quantity: '0.05' }));
    await testSandbox.call('POST', '/sandbox/fill', { client_order_id: 'a', quantity: '0.02' });
    await testSandbox.call('DELETE', '/fapi/v1/futures/orders?client_order_id=a');
    const honest = { status: 'CANCELLED', actual_amount: 1_180 };
    expect(await testSandbox.data('GET', `${DETAIL}a`)).toMatchObject(honest);
    await arm(
      testSandbox,
      { on: 'GET /futures/orders/*', fault: 'sticky_partial' },
      { on: 'GET /futures/orders/*', fault: 'wrong_amount' },
    );
    const lying = { status: 'PARTIAL_FILLED', actual_amount: 2_950 };
    expect(await testSandbox.data('GET', `${DETAIL}a`)).toMatchObject(lying);
    expect(await testSandbox.data('GET', '/fapi/v1/futures/orders/history')).toMatchObject([lying]);
  });

  test('hide_syscancel: a system-cancelled order is not found', async () => {
    const testSandbox = await withPosition({ is_stoploss: true, stoploss_price: '55000' });
    const [row] = (await open(testSandbox)) ?? [];
    const { order_id: stopId } = row?.['stoploss'] as { order_id: string };
    await testSandbox.call(
      'POST',
      ORDER_PATH,
      marketOrder('b', { order_type: 'SHORT', reduce_only: true }),
    );
    await testSandbox.time.advance(100);
    const path = `/fapi/v1/futures/orders/detail?order_id=${stopId}`;
    expect(await testSandbox.data('GET', path)).toMatchObject({ status: 'SYSTEM_CANCELLED' });
    await arm(testSandbox, { on: 'GET /futures/orders/*', fault: 'hide_syscancel' });
    expect(await testSandbox.refusal('GET', path)).toEqual([404, 'order not found']);
  });

  test.each([
    ['zero_ohlc', (row: readonly number[]) => row.slice(1, 4).every((price) => price === 0)],
    ['price_spike(3)', (row: readonly number[]) => (row[4] ?? 0) > 2 * (row[1] ?? 0)],
  ])('%s on klines changes only the newest candle', async (fault, isStruck) => {
    const testSandbox = await openFundedSandbox();
    await arm(testSandbox, { on: 'GET /price/kline', fault });
    const [from, to] = [START / 1_000 - 600, START / 1_000 - 60];
    const path = `/fapi/v1/price/kline?assets=ETH/USDT&aggregation=1m&start_time=${from}&end_time=${to}`;
    const { asset_ticks: ticks } = (await testSandbox.data('GET', path)) as {
      asset_ticks: Record<string, readonly (readonly number[])[]>;
    };
    expect(ticks['eth/usdt']?.map(isStruck)).toEqual([...Array(9).fill(false), true]);
  });
});

describe('lagging reads', () => {
  const lag = (testSandbox: TestSandbox, on: string, fault = 'read_lag') =>
    arm(testSandbox, { on, fault, delay_ms: 1_000 });

  test('a lookup does not find an order that was just placed', async () => {
    const testSandbox = await openFundedSandbox();
    await lag(testSandbox, 'GET /futures/orders/detail');
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    await testSandbox.time.advance(999);
    expect((await testSandbox.call('GET', `${DETAIL}a`)).status).toBe(404);
    await testSandbox.time.advance(1);
    expect(await testSandbox.data('GET', `${DETAIL}a`)).toMatchObject({ status: 'CREATED' });
    await testSandbox.time.advance(100);
    expect(await testSandbox.data('GET', `${DETAIL}a`)).toMatchObject({ status: 'FILLED' });
  });

  test('a list omits new orders and still has cancelled ones', async () => {
    const testSandbox = await openFundedSandbox();
    const list = '/fapi/v1/futures/orders';
    await testSandbox.call('POST', ORDER_PATH, limitOrder('old', '59000'));
    await lag(testSandbox, 'GET /futures/orders', 'stale_list');
    await testSandbox.time.advance(2_000);
    await testSandbox.call('POST', ORDER_PATH, limitOrder('new', '58000'));
    await testSandbox.call('DELETE', '/fapi/v1/futures/orders?client_order_id=old');
    const ids = async () =>
      ((await testSandbox.data('GET', list)) as Rows).map((row) => row['client_order_id']);
    expect(await ids()).toEqual(['old']);
    expect(await testSandbox.data('GET', '/fapi/v1/futures/orders/history')).toMatchObject([
      { client_order_id: 'old', status: 'CANCELLED' },
    ]);
    await testSandbox.time.advance(1_000);
    expect(await ids()).toEqual(['new']);
  });

  test('history omits an order that has just ended', async () => {
    const testSandbox = await openFundedSandbox();
    await lag(testSandbox, 'GET /futures/orders/history');
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    await testSandbox.time.advance(100);
    expect(await testSandbox.data('GET', '/fapi/v1/futures/orders/history')).toEqual([]);
    await testSandbox.time.advance(1_000);
    expect(await testSandbox.data('GET', '/fapi/v1/futures/orders/history')).toHaveLength(1);
  });

  test('the positions still have a closed position and omit a new one', async () => {
    const testSandbox = await withPosition();
    await lag(testSandbox, '*');
    await testSandbox.call(
      'POST',
      ORDER_PATH,
      marketOrder('b', { order_type: 'SHORT', reduce_only: true }),
    );
    await testSandbox.time.advance(500);
    expect(await open(testSandbox)).toMatchObject([{ quantity: '0.01' }]);
    expect(await testSandbox.data('GET', `${POSITIONS}/history`)).toEqual([]);
    await testSandbox.time.advance(1_000);
    expect(await open(testSandbox)).toBeNull();
    expect(await testSandbox.data('GET', `${POSITIONS}/history`)).toHaveLength(1);
  });

  test('the lag exists as a switch too and never delays writes', async () => {
    const testSandbox = await openFundedSandbox({ switches: { readLagMs: 400 } });
    await testSandbox.call('POST', ORDER_PATH, limitOrder('a', '59000'));
    expect((await testSandbox.call('GET', `${DETAIL}a`)).status).toBe(404);
    const cancel = await testSandbox.call('DELETE', '/fapi/v1/futures/orders?client_order_id=a');
    expect(cancel.status).toBe(200);
    await testSandbox.time.advance(400);
    expect(await testSandbox.data('GET', `${DETAIL}a`)).toMatchObject({ status: 'CANCELLED' });
  });
});

describe('events at the venue', () => {
  const CLOSE = { on: 'POST /fapi/v2/futures/order', symbol: 'BTCUSDT', count: 1 };
  const reduce = marketOrder('reduce', { order_type: 'SHORT', reduce_only: true });

  test('liq: the position is liquidated just before the request', async () => {
    const testSandbox = await withPosition();
    await arm(testSandbox, { ...CLOSE, fault: 'liq' });
    expect(await testSandbox.refusal('POST', ORDER_PATH, reduce)).toEqual([
      400,
      'reduce only order in new position',
    ]);
    expect(state(testSandbox)['closes']).toMatchObject([{ kind: 'liquidated' }]);
    expect(state(testSandbox)['prices']).toMatchObject({ BTCUSDT: { last: '60000' } });
  });

  test('sl_race: the stop triggers just before the request', async () => {
    const testSandbox = await withPosition({ is_stoploss: true, stoploss_price: '59000' });
    await arm(testSandbox, { ...CLOSE, fault: 'sl_race' });
    expect((await testSandbox.refusal('POST', ORDER_PATH, reduce))[0]).toBe(400);
    expect(state(testSandbox)['closes']).toMatchObject([{ kind: 'closed', close_price: '59000' }]);
  });

  test('delist: no new position opens from that request on', async () => {
    const testSandbox = await openFundedSandbox();
    await arm(testSandbox, { ...CLOSE, fault: 'delist' });
    expect(await testSandbox.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      400,
      'This trading pair is being delisted',
    ]);
  });

  test('lev_unset: the venue loses the leverage', async () => {
    const testSandbox = await openFundedSandbox();
    await arm(testSandbox, { ...CLOSE, fault: 'lev_unset' });
    expect(await testSandbox.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      400,
      'leverage not found',
    ]);
    const leverage = '/fapi/v1/futures/BTCUSDT/leverage?is_symbol';
    expect(await testSandbox.refusal('GET', leverage)).toEqual([404, 'leverage not found']);
  });

  test('funding(rate): the next settlement has that rate', async () => {
    const testSandbox = await withPosition();
    await arm(testSandbox, { on: `GET ${POSITIONS}`, fault: 'funding(-0.005)', symbol: 'BTCUSDT' });
    await open(testSandbox);
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 8 * 3_600_000 });
    expect(state(testSandbox)['fees']?.filter(({ kind }) => kind === 'funding')).toMatchObject([
      { amount: '-3' },
    ]);
  });

  test('a relative clock fault applies once, at the first second that reaches it', async () => {
    const testSandbox = await withPosition();
    await arm(testSandbox, { on: 'CLOCK', fault: 'liq@+90s', symbol: 'BTCUSDT' });
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 89_000 });
    expect(await open(testSandbox)).toHaveLength(1);
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 1_000 });
    expect(await open(testSandbox)).toBeNull();
    const { json } = await testSandbox.call('GET', '/sandbox/faults');
    expect(json).toMatchObject({ faults: [{ on: 'CLOCK', fault: 'liq@+90000ms', struck: 1 }] });
  });

  test('a clock fault may have a date', async () => {
    const testSandbox = await openFundedSandbox();
    await arm(testSandbox, {
      on: 'CLOCK',
      fault: 'delist@2025-05-05T00:02:00Z',
      symbol: 'BTCUSDT',
    });
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 119_000 });
    expect((await testSandbox.call('POST', ORDER_PATH, marketOrder('a'))).status).toBe(202);
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 1_000 });
    expect((await testSandbox.refusal('POST', ORDER_PATH, limitOrder('b', '50000')))[1]).toBe(
      'This trading pair is being delisted',
    );
  });
});

describe('manual actions on the account', () => {
  const operate = async (testSandbox: TestSandbox, what: string) => {
    await arm(testSandbox, {
      on: 'GET /futures/funds',
      fault: `manual_op(${what})`,
      symbol: 'BTCUSDT',
    });
    await testSandbox.call('GET', '/fapi/v1/futures/funds');
    await testSandbox.call('DELETE', '/sandbox/faults');
  };

  test('place: an order without an id is placed', async () => {
    const testSandbox = await openFundedSandbox();
    await operate(testSandbox, 'place');
    expect(state(testSandbox)['orders']).toMatchObject([
      { client_order_id: null, status: 'FILLED' },
    ]);
  });

  test('cancel: open orders are cancelled', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('POST', ORDER_PATH, limitOrder('a', '59000'));
    await operate(testSandbox, 'cancel');
    expect(await testSandbox.data('GET', `${DETAIL}a`)).toMatchObject({ status: 'CANCELLED' });
  });

  test('close: the position is closed', async () => {
    const testSandbox = await withPosition();
    await operate(testSandbox, 'close');
    expect(await open(testSandbox)).toBeNull();
  });

  test('unprotect and edit: a stop is cancelled or moved', async () => {
    const testSandbox = await withPosition({ is_stoploss: true, stoploss_price: '58000' });
    await operate(testSandbox, 'edit');
    expect(await open(testSandbox)).toMatchObject([{ stoploss: { price: '57942' } }]);
    await operate(testSandbox, 'unprotect');
    expect((await open(testSandbox))?.[0]).not.toHaveProperty('stoploss');
  });

  test('set: the leverage is set', async () => {
    const testSandbox = await openFundedSandbox();
    await operate(testSandbox, 'set leverage 20');
    const leverage = '/fapi/v1/futures/BTCUSDT/leverage?is_symbol';
    expect(await testSandbox.data('GET', leverage)).toMatchObject({ leverage: '20' });
  });

  test('withdraw: money leaves the futures wallet', async () => {
    const testSandbox = await openFundedSandbox();
    await operate(testSandbox, 'withdraw 2500.5');
    expect(await testSandbox.data('GET', '/fapi/v1/futures/funds')).toMatchObject({
      balance: '7499.5',
    });
  });
});

test('a fault that no venue can cause is refused by name', async () => {
  const testSandbox = await openFundedSandbox();
  const { status, json } = await arm(testSandbox, { on: '*', fault: 'crash@7' });
  expect(status).toBe(400);
  expect(JSON.stringify(json)).toContain("is a fault of the bot's own process or disk");
});

test('ws_429: the given number of handshakes is refused', async () => {
  const testSandbox = await openFundedSandbox();
  await arm(testSandbox, { on: 'WS', fault: 'ws_429(2)' });
  const path = '/fapi/v1/price/ws/linear';
  const kinds = [1, 2, 3].map(() => testSandbox.sandbox.connect(path));
  expect(kinds.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'admitted']);
  expect(kinds[0]).toMatchObject({ reply: { status: 429 } });
});
