import { describe, expect, test } from 'vitest';
import { STANDARD_LISTINGS } from './listings.js';
import {
  limitOrder,
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  readyToTrade,
  SECRET,
  START,
  type TestSandbox,
} from '../../test/harness/test-sandbox.js';
import { scaledOf } from '../../test/harness/scaled.js';

const POSITIONS = '/fapi/v1/futures/positions';
const DETAIL = '/fapi/v1/futures/orders/detail';

interface State {
  readonly instance_id: string;
  readonly clock: { readonly now_ms: number; readonly rate: number };
  readonly orders: readonly {
    readonly client_order_id: string;
    readonly deliveries: number;
    readonly status: string;
  }[];
  readonly deliveries: Readonly<Record<string, number>>;
  readonly wallets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly ledger: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly internal_errors: readonly string[];
}
const stateOf = async (desk: TestSandbox) =>
  (await desk.call('GET', '/sandbox/state')).json as State;

describe('the door', () => {
  const unauthenticated =
    '{"success":false,"errors":[{"text":"Invalid Authentication","code":3100}]}';

  test.each([
    ['GET', POSITIONS],
    ['POST', ORDER_PATH],
    ['GET', '/fapi/v1/nonsense'],
    ['GET', '/fapi/v1/price/depth'],
    ['POST', '/fapi/v1/price/kline'],
    ['GET', '/'],
  ])('asks for the key on %s %s before anything else', async (method, path) => {
    const { call } = openTestSandbox();
    for (const headers of [{}, { 'x-authentication': 'wrong' }]) {
      expect(await call(method, path, '{', headers)).toMatchObject({
        status: 401,
        text: unauthenticated,
      });
    }
  });

  test('answers an unknown route with the failure envelope', async () => {
    const { call } = openTestSandbox();
    for (const path of [
      '/fapi/v1/nonsense',
      '/fapi/v1/futures/positions/x/reverse',
      '/fapi/v1/%zz',
    ]) {
      expect(await call('GET', path)).toMatchObject({
        status: 404,
        json: { success: false, errors: [{ code: 404, text: 'requested resource was not found' }] },
      });
    }
  });

  test('answers a ping without an envelope', async () => {
    const { call } = openTestSandbox();
    expect((await call('GET', '/fapi/v1/futures/ping')).text).toBe('{"code":200,"text":"pong"}');
  });

  test('dates its answers by venue time', async () => {
    const { raw, sandbox } = openTestSandbox();
    sandbox.advance(3_600_000);
    expect(await raw('GET', POSITIONS)).toMatchObject({
      headers: { date: 'Mon, 05 May 2025 01:00:00 GMT' },
    });
  });

  test('counts the key’s requests in real time, and market data by address', async () => {
    const { call, time } = openTestSandbox({ limits: true });
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1)
      statuses.push((await call('GET', POSITIONS)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
    expect(await call('GET', POSITIONS)).toMatchObject({
      json: { success: false, errors: [{ code: 5002, text: 'API rate limit exceeded' }] },
    });
    await time.advance(1_000);
    expect((await call('GET', POSITIONS)).status).toBe(200);
    let last = 0;
    for (let count = 0; count < 301; count += 1)
      last = (await call('GET', '/fapi/v1/price/kline')).status;
    expect(last).toBe(429);
  });

  test('refuses the eleventh connection of a minute unless limits are lifted', () => {
    const kinds = (limits: boolean) => {
      const { sandbox } = openTestSandbox({ limits });
      return Array.from({ length: 11 }, () => sandbox.connect('/fapi/v1/price/ws/linear').kind);
    };
    expect(kinds(true).slice(9)).toEqual(['admitted', 'refused']);
    expect(kinds(false).slice(9)).toEqual(['admitted', 'admitted']);
    const { sandbox } = openTestSandbox();
    expect(sandbox.connect('/fapi/v1/price/ws/spot')).toMatchObject({
      kind: 'refused',
      reply: { status: 404, body: '{"code":404,"text":"requested resource was not found"}' },
    });
  });
});

describe('venue time', () => {
  test('moves prices second by second, so that a limit on the way fills on the way', async () => {
    const desk = openTestSandbox({ clock: { kind: 'fast', factor: 60 } });
    const { sandbox, time } = desk;
    await desk.call('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', { leverage: 10 });
    const path = Array.from({ length: 600 }, (_, second) => START + second * 1_000);
    const prices = path.map(() => 0);
    const probe = openTestSandbox();
    path.forEach((_, index) => {
      prices[index] = scaledOf(probe.sandbox.exchange.prices('BTCUSDT')?.last ?? 0) / 1e8;
      probe.sandbox.advance(1_000);
    });
    const lowest = Math.min(...prices.slice(60));
    const price = (Math.round((lowest + 2) * 10) / 10).toFixed(1);
    await desk.call('POST', ORDER_PATH, limitOrder('a', price));
    await time.advance(10_000);
    expect(sandbox.now()).toBe(START + 600_000);
    const order = sandbox.exchange.order({ clientOrderId: 'a' });
    expect(order?.status).toBe('filled');
    const throughAt = prices.findIndex((one) => one < Number(price));
    expect(order?.executions[0]?.time).toBe(START + throughAt * 1_000);
  });

  test('stands while held, and orders fill all the same', async () => {
    const desk = await readyToTrade({ clock: { kind: 'fast', factor: 60 }, held: true });
    await desk.call('POST', ORDER_PATH, marketOrder('a'));
    await desk.time.advance(1_000);
    expect(desk.sandbox.now()).toBe(START);
    expect(desk.sandbox.exchange.order({ clientOrderId: 'a' })?.status).toBe('filled');
    desk.sandbox.release();
    await desk.time.advance(1_000);
    expect(desk.sandbox.now()).toBe(START + 60_000);
  });

  test('runs no timer after the stop', async () => {
    const desk = await readyToTrade({ clock: { kind: 'fast', factor: 60 } });
    await desk.call('POST', ORDER_PATH, marketOrder('a'));
    desk.sandbox.stop();
    expect(desk.time.pendingTimers).toBe(0);
  });

  test('starts nowhere before the first price', () => {
    expect(() => openTestSandbox({ startMs: 0 })).toThrow(
      'lies before the first price, 2017-01-01',
    );
  });

  test('gives the same answers for the same seed and requests, down to the ids', async () => {
    const story = async (options = {}) => {
      const desk = openTestSandbox({ clock: { kind: 'fast', factor: 60 }, ...options });
      await desk.call('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', { leverage: 10 });
      for (let index = 0; index < 5; index += 1) {
        const side = index % 2 === 0 ? 'LONG' : 'SHORT';
        await desk.call('POST', ORDER_PATH, marketOrder(`id-${index}`, { order_type: side }));
        await desk.time.advance(3_000);
      }
      return desk.sandbox.state();
    };
    expect(await story()).toBe(await story());
    expect(await story({ instanceId: 'another' })).not.toBe(await story());
  });
});

describe('control paths', () => {
  test('are for loopback only, and take no key', async () => {
    const { sandbox, call } = openTestSandbox();
    expect((await call('GET', '/sandbox/clock', undefined, {})).json).toEqual({
      instance_id: sandbox.instanceId,
      now_ms: START,
      rate: 0,
    });
    const reply = await sandbox.handle({
      method: 'GET',
      path: '/sandbox/state',
      query: '',
      headers: { 'x-authentication': SECRET },
      body: '',
      remoteAddress: '192.168.0.7',
    });
    expect(reply).toMatchObject({ status: 404 });
  });

  test('move a manual clock, and no other', async () => {
    const { call, refusal } = openTestSandbox();
    expect((await call('POST', '/sandbox/clock', { advance_ms: 60_000 })).json).toMatchObject({
      now_ms: START + 60_000,
    });
    for (const body of [{}, { advance_ms: 0 }, { advance_ms: 1.5 }, { advance_ms: '60' }, '{']) {
      expect((await refusal('POST', '/sandbox/clock', body))[0]).toBe(400);
    }
    const running = openTestSandbox({ clock: { kind: 'real' } });
    expect((await running.refusal('POST', '/sandbox/clock', { advance_ms: 5 }))[0]).toBe(400);
  });

  test('move a price, which triggers what it passes, and give it back', async () => {
    const desk = await readyToTrade();
    const protection = { is_stoploss: true, stoploss_price: '59000' };
    await desk.call('POST', ORDER_PATH, marketOrder('a', protection));
    await desk.time.advance(20);
    await desk.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '58500' });
    expect(await desk.data('GET', POSITIONS)).toBeNull();
    await desk.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', release: true });
    const market = openTestSandbox().sandbox.exchange.prices('BTCUSDT');
    expect(desk.sandbox.exchange.prices('BTCUSDT')).toEqual(market);
  });

  test.each([
    [{ symbol: 'NOPE', price: '1' }, 404],
    [{ symbol: 'BTCUSDT', price: '0' }, 400],
    [{ symbol: 'BTCUSDT', price: 'high' }, 400],
    [{ symbol: 'BTCUSDT', price: '1e30' }, 400],
    [{ symbol: 'BTCUSDT' }, 400],
    ['{', 404],
  ])('refuse the price %j', async (body, status) => {
    const { refusal } = openTestSandbox();
    expect((await refusal('POST', '/sandbox/price', body))[0]).toBe(status);
  });

  test('show the god view, with every delivery of a place, refused ones too', async () => {
    const desk = await readyToTrade();
    await desk.call('POST', ORDER_PATH, limitOrder('a', '50000'));
    await desk.call('POST', ORDER_PATH, limitOrder('a', '50000'));
    await desk.call('POST', ORDER_PATH, limitOrder('b', '50000.05'));
    const state = await stateOf(desk);
    expect(state.clock).toEqual({ now_ms: START, rate: 0 });
    expect(state.orders).toMatchObject([
      { client_order_id: 'a', deliveries: 2, status: 'CREATED' },
    ]);
    expect(state.deliveries).toEqual({ a: 2, b: 1 });
    expect(state.wallets['INR']).toEqual({
      spot: '10000000',
      balance: '1000000',
      locked: '0',
      equity: '1000000',
    });
    expect(state.ledger['USDT']).toEqual({
      realised_pnl: '0',
      fees: '0',
      funding: '0',
      transfers: '0',
    });
    expect(state.internal_errors).toEqual([]);
    expect(desk.sandbox.state()).toBe((await desk.call('GET', '/sandbox/state')).text);
  });

  test('list the requests with what befell them', async () => {
    const desk = await readyToTrade();
    await desk.call('PUT', '/sandbox/faults', [
      { on: 'POST /fapi/v2/futures/order', fault: 'req_lost', count: 1 },
    ]);
    expect(await desk.raw('POST', ORDER_PATH, marketOrder('a'))).toBe('reset');
    await desk.call('POST', ORDER_PATH, marketOrder('a'));
    const { requests } = (await desk.call('GET', '/sandbox/requests')).json as {
      requests: unknown[];
    };
    expect(requests.slice(-2)).toMatchObject([
      { method: 'POST', client_order_id: 'a', faults: ['req_lost'], delivered: 0, status: null },
      { method: 'POST', client_order_id: 'a', faults: [], delivered: 1, status: 202 },
    ]);
  });

  test('refuse a bad fault list and keep the one in force', async () => {
    const desk = openTestSandbox();
    await desk.call('PUT', '/sandbox/faults', [{ on: '*', fault: '500_before' }]);
    expect(await desk.refusal('PUT', '/sandbox/faults', [{ on: '*', fault: 'nope' }])).toEqual([
      400,
      expect.stringContaining('faults[0].fault "nope" is unknown') as string,
    ]);
    expect(await desk.refusal('PUT', '/sandbox/faults', '[')).toEqual([
      400,
      'the fault list is not JSON',
    ]);
    expect((await desk.call('GET', POSITIONS)).status).toBe(500);
    await desk.call('DELETE', '/sandbox/faults');
    expect((await desk.call('GET', POSITIONS)).status).toBe(200);
  });
});

describe('a struck request', () => {
  const struck = async (fault: string, more: Readonly<Record<string, unknown>> = {}) => {
    const desk = await readyToTrade();
    await desk.call('PUT', '/sandbox/faults', [
      { on: 'POST /fapi/v2/futures/order', fault, ...more },
    ]);
    return desk;
  };
  const exists = (desk: TestSandbox) =>
    desk.sandbox.exchange.order({ clientOrderId: 'a' }) !== undefined;

  test.each([
    ['req_lost', false, 0],
    ['resp_lost', true, 1],
    ['500_before', false, 1],
    ['500_after', true, 1],
    ['html_404', false, 1],
    ['html_5xx', true, 1],
    ['423(1)', false, 1],
    ['429(1)', false, 1],
    ['reject(Params error)', false, 1],
    ['reset_mid_body', true, 1],
  ])('%s leaves an order: %s, after %i deliveries', async (fault, isThere, deliveries) => {
    const desk = await struck(fault);
    await desk.raw('POST', ORDER_PATH, marketOrder('a'));
    expect(exists(desk)).toBe(isThere);
    expect((await stateOf(desk)).deliveries['a'] ?? 0).toBe(deliveries);
  });

  test('req_delay lands late, also when the caller has long gone', async () => {
    const desk = await struck('req_delay', { delay_ms: 5_000 });
    const reply = desk.raw('POST', ORDER_PATH, marketOrder('a'));
    await desk.time.advance(4_999);
    expect(exists(desk)).toBe(false);
    await desk.time.advance(1);
    expect(await reply).toMatchObject({ status: 202 });
  });

  test('resp_delay is carried out at once and answered late', async () => {
    const desk = await struck('resp_delay', { delay_ms: 5_000 });
    let answered = false;
    void desk.raw('POST', ORDER_PATH, marketOrder('a')).then(() => {
      answered = true;
    });
    expect(exists(desk)).toBe(true);
    await desk.time.advance(4_999);
    expect(answered).toBe(false);
    await desk.time.advance(1);
    expect(answered).toBe(true);
  });

  test('dup_deliver makes one order and answers with the second delivery’s 409', async () => {
    const desk = await struck('dup_deliver');
    expect(await desk.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      409,
      'client order id already exists',
    ]);
    expect((await stateOf(desk)).orders).toMatchObject([{ client_order_id: 'a', deliveries: 2 }]);
  });

  test('reset_mid_body breaks off inside the body', async () => {
    const desk = await struck('reset_mid_body');
    const reply = await desk.raw('POST', ORDER_PATH, marketOrder('a'));
    expect(reply).toMatchObject({ status: 202, cutAfterBytes: expect.any(Number) as number });
  });

  test('null_blip hides the positions once', async () => {
    const desk = await readyToTrade();
    await desk.call('POST', ORDER_PATH, marketOrder('a'));
    await desk.time.advance(20);
    await desk.call('PUT', '/sandbox/faults', [
      { on: `GET ${POSITIONS}`, fault: 'null_blip', count: 1 },
    ]);
    expect(await desk.data('GET', POSITIONS)).toBeNull();
    expect(await desk.data('GET', POSITIONS)).toHaveLength(1);
  });

  test('read_lag does not find an order until it has aged', async () => {
    const desk = await readyToTrade();
    await desk.call('PUT', '/sandbox/faults', [
      { on: `GET ${DETAIL}`, fault: 'read_lag', delay_ms: 3_000 },
    ]);
    await desk.call('POST', ORDER_PATH, marketOrder('a'));
    expect(await desk.refusal('GET', `${DETAIL}?client_order_id=a`)).toEqual([
      404,
      'order not found',
    ]);
    await desk.time.advance(3_000);
    expect(await desk.data('GET', `${DETAIL}?client_order_id=a`)).toMatchObject({
      client_order_id: 'a',
    });
  });
});

test('a feed fault breaks the connection at its next push', async () => {
  const desk = openTestSandbox();
  await desk.call('PUT', '/sandbox/faults', [{ on: 'WS', fault: 'ws_drop', count: 1 }]);
  const told: string[] = [];
  const open = () => {
    const connecting = desk.sandbox.connect('/fapi/v1/price/ws/linear');
    if (connecting.kind === 'refused') throw new Error('refused');
    return connecting.attach({ send: (text) => told.push(text), close: () => told.push('closed') });
  };
  const subscribe = '{"id":1,"method":"SUBSCRIBE","params":["kline@1m@btcusdt"]}';
  open().message(subscribe);
  desk.sandbox.advance(60_000);
  open().message(subscribe);
  desk.sandbox.advance(60_000);
  const reply = '{"method":"SUBSCRIBE","id":1,"result":"success"}';
  expect(told).toEqual([reply, 'closed', reply, expect.stringContaining('kline@1m@btcusdt')]);
});

test('the sandbox lists every standard instrument', () => {
  expect(openTestSandbox().sandbox.symbols).toEqual(
    STANDARD_LISTINGS.map(({ instrument }) => instrument.symbol),
  );
});
