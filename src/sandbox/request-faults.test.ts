import { describe, expect, test } from 'vitest';
import { gunzipSync } from 'node:zlib';
import {
  limitOrder,
  marketOrder,
  ORDER_PATH,
  readyToTrade,
  START,
  type TestSandbox,
} from '../../test/harness/test-sandbox.js';

const DETAIL = '/fapi/v1/futures/orders/detail?client_order_id=';
const POSITIONS = '/fapi/v1/futures/positions';
const PLACE = 'POST /fapi/v2/futures/order';

type Rows = readonly Readonly<Record<string, unknown>>[];

const arm = (desk: TestSandbox, ...rules: readonly unknown[]) =>
  desk.call('PUT', '/sandbox/faults', rules);

async function withPosition(more: Readonly<Record<string, unknown>> = {}): Promise<TestSandbox> {
  const desk = await readyToTrade();
  await desk.call('POST', ORDER_PATH, marketOrder('open', more));
  await desk.time.advance(100);
  return desk;
}

const open = (desk: TestSandbox) => desk.data('GET', POSITIONS) as Promise<Rows | null>;
const state = (desk: TestSandbox) =>
  JSON.parse(desk.sandbox.state()) as Readonly<Record<string, Rows>>;

describe('a fault of the network', () => {
  test('half_open: the request is lost and nothing breaks, for as long as it says', async () => {
    const desk = await readyToTrade();
    await arm(desk, { on: PLACE, fault: 'half_open', delay_ms: 5_000, count: 1 });
    let answered: unknown;
    void desk.raw('POST', ORDER_PATH, marketOrder('a')).then((reply) => (answered = reply));
    await desk.time.advance(4_999);
    expect(answered).toBeUndefined();
    await desk.time.advance(1);
    expect(answered).toBe('reset');
    expect((await desk.call('GET', `${DETAIL}a`)).status).toBe(404);
  });

  test.each([
    ['redirect', 307, 'http://elsewhere.invalid/'],
    ['redirect(301 http://127.0.0.1:9/x)', 301, 'http://127.0.0.1:9/x'],
  ])('%s sends the caller elsewhere with %i', async (fault, status, location) => {
    const desk = await readyToTrade();
    await arm(desk, { on: PLACE, fault });
    const reply = await desk.raw('POST', ORDER_PATH, marketOrder('a'));
    expect(reply).toMatchObject({ status, headers: { location } });
    await desk.call('DELETE', '/sandbox/faults');
    expect((await desk.call('GET', `${DETAIL}a`)).status).toBe(404);
  });

  test('gzip_bomb: a small answer that unpacks to 32 MiB', async () => {
    const desk = await readyToTrade();
    await arm(desk, { on: `GET ${POSITIONS}`, fault: 'gzip_bomb' });
    const reply = await desk.raw('GET', POSITIONS);
    const bytes = reply === 'reset' ? undefined : reply.bytes;
    expect(reply).toMatchObject({ headers: { 'content-encoding': 'gzip' } });
    expect(bytes?.length).toBeLessThan(100_000);
    expect(gunzipSync(bytes ?? new Uint8Array()).length).toBeGreaterThan(33_000_000);
  });
});

describe('a fault of the venue', () => {
  test('id_burn: the refusal uses the id up, and no order has it', async () => {
    const desk = await readyToTrade();
    await arm(desk, { on: PLACE, fault: 'id_burn(insufficient balance)', count: 1 });
    expect(await desk.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      400,
      'insufficient balance',
    ]);
    expect(await desk.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      409,
      'client order id already exists',
    ]);
    expect((await desk.call('GET', `${DETAIL}a`)).status).toBe(404);
    expect((await desk.call('POST', ORDER_PATH, marketOrder('b'))).status).toBe(202);
  });

  test('async_refuse: 202, and then the order ends without a fill', async () => {
    const desk = await readyToTrade();
    await arm(desk, { on: PLACE, fault: 'async_refuse', count: 1 });
    expect((await desk.call('POST', ORDER_PATH, marketOrder('a'))).status).toBe(202);
    await desk.time.advance(100);
    expect(await desk.data('GET', `${DETAIL}a`)).toMatchObject({
      status: 'CANCELLED',
      filled_quantity: 0,
      reason: { message: 'order rejected by the exchange' },
    });
    expect(await open(desk)).toBeNull();
  });

  test('nonatomic_id: one id, two orders', async () => {
    const desk = await readyToTrade();
    await arm(desk, { on: PLACE, fault: 'nonatomic_id', count: 1 });
    await desk.call('POST', ORDER_PATH, marketOrder('a'));
    await desk.time.advance(100);
    expect(await open(desk)).toMatchObject([{ quantity: '0.02' }]);
  });

  test('sticky_partial and wrong_amount: the known issue', async () => {
    const desk = await readyToTrade({ switches: { partialCancelAmount: 'filled' } });
    await desk.call('POST', ORDER_PATH, limitOrder('a', '59000', { quantity: '0.05' }));
    await desk.call('POST', '/sandbox/fill', { client_order_id: 'a', quantity: '0.02' });
    await desk.call('DELETE', '/fapi/v1/futures/orders?client_order_id=a');
    const honest = { status: 'CANCELLED', actual_amount: 1_180 };
    expect(await desk.data('GET', `${DETAIL}a`)).toMatchObject(honest);
    await arm(
      desk,
      { on: 'GET /futures/orders/*', fault: 'sticky_partial' },
      { on: 'GET /futures/orders/*', fault: 'wrong_amount' },
    );
    const lying = { status: 'PARTIAL_FILLED', actual_amount: 2_950 };
    expect(await desk.data('GET', `${DETAIL}a`)).toMatchObject(lying);
    expect(await desk.data('GET', '/fapi/v1/futures/orders/history')).toMatchObject([lying]);
  });

  test('hide_syscancel: what the venue ended itself is not found', async () => {
    const desk = await withPosition({ is_stoploss: true, stoploss_price: '55000' });
    const [row] = (await open(desk)) ?? [];
    const { order_id: stopId } = row?.['stoploss'] as { order_id: string };
    await desk.call(
      'POST',
      ORDER_PATH,
      marketOrder('b', { order_type: 'SHORT', reduce_only: true }),
    );
    await desk.time.advance(100);
    const path = `/fapi/v1/futures/orders/detail?order_id=${stopId}`;
    expect(await desk.data('GET', path)).toMatchObject({ status: 'SYSTEM_CANCELLED' });
    await arm(desk, { on: 'GET /futures/orders/*', fault: 'hide_syscancel' });
    expect(await desk.refusal('GET', path)).toEqual([404, 'order not found']);
  });

  test.each([
    ['zero_ohlc', (row: readonly number[]) => row.slice(1, 4).every((price) => price === 0)],
    ['price_spike(3)', (row: readonly number[]) => (row[4] ?? 0) > 2 * (row[1] ?? 0)],
  ])('%s on klines strikes the newest candle alone', async (fault, isStruck) => {
    const desk = await readyToTrade();
    await arm(desk, { on: 'GET /price/kline', fault });
    const [from, to] = [START / 1_000 - 600, START / 1_000 - 60];
    const path = `/fapi/v1/price/kline?assets=ETH/USDT&aggregation=1m&start_time=${from}&end_time=${to}`;
    const { asset_ticks: ticks } = (await desk.data('GET', path)) as {
      asset_ticks: Record<string, readonly (readonly number[])[]>;
    };
    expect(ticks['eth/usdt']?.map(isStruck)).toEqual([...Array(9).fill(false), true]);
  });
});

describe('a read that lags', () => {
  const lag = (desk: TestSandbox, on: string, fault = 'read_lag') =>
    arm(desk, { on, fault, delay_ms: 1_000 });

  test('does not know an order yet that was just placed', async () => {
    const desk = await readyToTrade();
    await lag(desk, 'GET /futures/orders/detail');
    await desk.call('POST', ORDER_PATH, marketOrder('a'));
    await desk.time.advance(999);
    expect((await desk.call('GET', `${DETAIL}a`)).status).toBe(404);
    await desk.time.advance(1);
    expect(await desk.data('GET', `${DETAIL}a`)).toMatchObject({ status: 'CREATED' });
    await desk.time.advance(100);
    expect(await desk.data('GET', `${DETAIL}a`)).toMatchObject({ status: 'FILLED' });
  });

  test('shows a list as it was: without what came, with what went', async () => {
    const desk = await readyToTrade();
    const list = '/fapi/v1/futures/orders';
    await desk.call('POST', ORDER_PATH, limitOrder('old', '59000'));
    await lag(desk, 'GET /futures/orders', 'stale_list');
    await desk.time.advance(2_000);
    await desk.call('POST', ORDER_PATH, limitOrder('new', '58000'));
    await desk.call('DELETE', '/fapi/v1/futures/orders?client_order_id=old');
    const ids = async () =>
      ((await desk.data('GET', list)) as Rows).map((row) => row['client_order_id']);
    expect(await ids()).toEqual(['old']);
    expect(await desk.data('GET', '/fapi/v1/futures/orders/history')).toMatchObject([
      { client_order_id: 'old', status: 'CANCELLED' },
    ]);
    await desk.time.advance(1_000);
    expect(await ids()).toEqual(['new']);
  });

  test('keeps history from telling what has just ended', async () => {
    const desk = await readyToTrade();
    await lag(desk, 'GET /futures/orders/history');
    await desk.call('POST', ORDER_PATH, marketOrder('a'));
    await desk.time.advance(100);
    expect(await desk.data('GET', '/fapi/v1/futures/orders/history')).toEqual([]);
    await desk.time.advance(1_000);
    expect(await desk.data('GET', '/fapi/v1/futures/orders/history')).toHaveLength(1);
  });

  test('shows a position that is gone, and not one that came', async () => {
    const desk = await withPosition();
    await lag(desk, '*');
    await desk.call(
      'POST',
      ORDER_PATH,
      marketOrder('b', { order_type: 'SHORT', reduce_only: true }),
    );
    await desk.time.advance(500);
    expect(await open(desk)).toMatchObject([{ quantity: '0.01' }]);
    expect(await desk.data('GET', `${POSITIONS}/history`)).toEqual([]);
    await desk.time.advance(1_000);
    expect(await open(desk)).toBeNull();
    expect(await desk.data('GET', `${POSITIONS}/history`)).toHaveLength(1);
  });

  test('is a switch too, and never touches writes', async () => {
    const desk = await readyToTrade({ switches: { readLagMs: 400 } });
    await desk.call('POST', ORDER_PATH, limitOrder('a', '59000'));
    expect((await desk.call('GET', `${DETAIL}a`)).status).toBe(404);
    const cancel = await desk.call('DELETE', '/fapi/v1/futures/orders?client_order_id=a');
    expect(cancel.status).toBe(200);
    await desk.time.advance(400);
    expect(await desk.data('GET', `${DETAIL}a`)).toMatchObject({ status: 'CANCELLED' });
  });
});

describe('what happens at the venue meanwhile', () => {
  const CLOSE = { on: 'POST /fapi/v2/futures/order', symbol: 'BTCUSDT', count: 1 };
  const reduce = marketOrder('reduce', { order_type: 'SHORT', reduce_only: true });

  test('liq: the position is liquidated just before the request', async () => {
    const desk = await withPosition();
    await arm(desk, { ...CLOSE, fault: 'liq' });
    expect(await desk.refusal('POST', ORDER_PATH, reduce)).toEqual([
      400,
      'reduce only order in new position',
    ]);
    expect(state(desk)['closes']).toMatchObject([{ kind: 'liquidated' }]);
    expect(state(desk)['prices']).toMatchObject({ BTCUSDT: { last: '60000' } });
  });

  test('sl_race: the stop fires just before the request', async () => {
    const desk = await withPosition({ is_stoploss: true, stoploss_price: '59000' });
    await arm(desk, { ...CLOSE, fault: 'sl_race' });
    expect((await desk.refusal('POST', ORDER_PATH, reduce))[0]).toBe(400);
    expect(state(desk)['closes']).toMatchObject([{ kind: 'closed', close_price: '59000' }]);
  });

  test('delist: no new position from that request on', async () => {
    const desk = await readyToTrade();
    await arm(desk, { ...CLOSE, fault: 'delist' });
    expect(await desk.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      400,
      'This trading pair is being delisted',
    ]);
  });

  test('lev_unset: the venue has forgotten the leverage', async () => {
    const desk = await readyToTrade();
    await arm(desk, { ...CLOSE, fault: 'lev_unset' });
    expect(await desk.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      400,
      'leverage not found',
    ]);
    const leverage = '/fapi/v1/futures/BTCUSDT/leverage?is_symbol';
    expect(await desk.refusal('GET', leverage)).toEqual([404, 'leverage not found']);
  });

  test('funding(rate): the next settlement is dear', async () => {
    const desk = await withPosition();
    await arm(desk, { on: `GET ${POSITIONS}`, fault: 'funding(-0.005)', symbol: 'BTCUSDT' });
    await open(desk);
    await desk.call('POST', '/sandbox/clock', { advance_ms: 8 * 3_600_000 });
    expect(state(desk)['fees']?.filter(({ kind }) => kind === 'funding')).toMatchObject([
      { amount: '-3' },
    ]);
  });

  test('a time of the clock: once, at the first second that reaches it', async () => {
    const desk = await withPosition();
    await arm(desk, { on: 'CLOCK', fault: 'liq@+90s', symbol: 'BTCUSDT' });
    await desk.call('POST', '/sandbox/clock', { advance_ms: 89_000 });
    expect(await open(desk)).toHaveLength(1);
    await desk.call('POST', '/sandbox/clock', { advance_ms: 1_000 });
    expect(await open(desk)).toBeNull();
    const { json } = await desk.call('GET', '/sandbox/faults');
    expect(json).toMatchObject({ faults: [{ on: 'CLOCK', fault: 'liq@+90000ms', struck: 1 }] });
  });

  test('a time of the calendar', async () => {
    const desk = await readyToTrade();
    await arm(desk, { on: 'CLOCK', fault: 'delist@2025-05-05T00:02:00Z', symbol: 'BTCUSDT' });
    await desk.call('POST', '/sandbox/clock', { advance_ms: 119_000 });
    expect((await desk.call('POST', ORDER_PATH, marketOrder('a'))).status).toBe(202);
    await desk.call('POST', '/sandbox/clock', { advance_ms: 1_000 });
    expect((await desk.refusal('POST', ORDER_PATH, limitOrder('b', '50000')))[1]).toBe(
      'This trading pair is being delisted',
    );
  });
});

describe('a hand on the account', () => {
  const operate = async (desk: TestSandbox, what: string) => {
    await arm(desk, { on: 'GET /futures/funds', fault: `manual_op(${what})`, symbol: 'BTCUSDT' });
    await desk.call('GET', '/fapi/v1/futures/funds');
    await desk.call('DELETE', '/sandbox/faults');
  };

  test('places an order without an id', async () => {
    const desk = await readyToTrade();
    await operate(desk, 'place');
    expect(state(desk)['orders']).toMatchObject([{ client_order_id: null, status: 'FILLED' }]);
  });

  test('cancels what is open', async () => {
    const desk = await readyToTrade();
    await desk.call('POST', ORDER_PATH, limitOrder('a', '59000'));
    await operate(desk, 'cancel');
    expect(await desk.data('GET', `${DETAIL}a`)).toMatchObject({ status: 'CANCELLED' });
  });

  test('closes a position', async () => {
    const desk = await withPosition();
    await operate(desk, 'close');
    expect(await open(desk)).toBeNull();
  });

  test('takes a stop away, or moves it', async () => {
    const desk = await withPosition({ is_stoploss: true, stoploss_price: '58000' });
    await operate(desk, 'edit');
    expect(await open(desk)).toMatchObject([{ stoploss: { price: '57942' } }]);
    await operate(desk, 'unprotect');
    expect((await open(desk))?.[0]).not.toHaveProperty('stoploss');
  });

  test('sets a leverage', async () => {
    const desk = await readyToTrade();
    await operate(desk, 'set leverage 20');
    const leverage = '/fapi/v1/futures/BTCUSDT/leverage?is_symbol';
    expect(await desk.data('GET', leverage)).toMatchObject({ leverage: '20' });
  });

  test('withdraws money', async () => {
    const desk = await readyToTrade();
    await operate(desk, 'withdraw 2500.5');
    expect(await desk.data('GET', '/fapi/v1/futures/funds')).toMatchObject({ balance: '7499.5' });
  });
});

test('a fault that no venue can do is refused by name', async () => {
  const desk = await readyToTrade();
  const { status, json } = await arm(desk, { on: '*', fault: 'crash@7' });
  expect(status).toBe(400);
  expect(JSON.stringify(json)).toContain("befalls the bot's own process or disk");
});

test('ws_429: handshakes are refused so many times', async () => {
  const desk = await readyToTrade();
  await arm(desk, { on: 'WS', fault: 'ws_429(2)' });
  const path = '/fapi/v1/price/ws/linear';
  const kinds = [1, 2, 3].map(() => desk.sandbox.connect(path));
  expect(kinds.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'admitted']);
  expect(kinds[0]).toMatchObject({ reply: { status: 429 } });
});
