import { describe, expect, test } from 'vitest';
import { STANDARD_LISTINGS } from '../market/synthetic/listings.js';
import {
  limitOrder,
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  openFundedSandbox,
  SECRET,
  START,
  type TestSandbox,
} from '../../test/support/rigs/test-sandbox.js';
import { scaledOf } from '../../test/support/builders/scaled.js';

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
const stateOf = async (testSandbox: TestSandbox) =>
  (await testSandbox.call('GET', '/sandbox/state')).json as State;

describe('access', () => {
  const unauthenticated =
    '{"success":false,"errors":[{"text":"Invalid Authentication","code":3100}]}';

  test.each([
    ['GET', POSITIONS],
    ['POST', ORDER_PATH],
    ['GET', '/fapi/v1/nonsense'],
    ['GET', '/fapi/v1/price/depth'],
    ['POST', '/fapi/v1/price/kline'],
    ['GET', '/'],
  ])('the key is checked on %s %s before anything else', async (method, path) => {
    const { call } = openTestSandbox();
    for (const headers of [{}, { 'x-authentication': 'wrong' }]) {
      expect(await call(method, path, '{', headers)).toMatchObject({
        status: 401,
        text: unauthenticated,
      });
    }
  });

  test('an unknown route is answered with the failure envelope', async () => {
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

  test('a ping is answered without an envelope', async () => {
    const { call } = openTestSandbox();
    expect((await call('GET', '/fapi/v1/futures/ping')).text).toBe('{"code":200,"text":"pong"}');
  });

  test('answers are dated by venue time', async () => {
    const { raw, sandbox } = openTestSandbox();
    sandbox.advance(3_600_000);
    expect(await raw('GET', POSITIONS)).toMatchObject({
      headers: { date: 'Mon, 05 May 2025 01:00:00 GMT' },
    });
  });

  test('requests are limited by key in real time, and market data by address', async () => {
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

  test('the eleventh connection of a minute is refused unless limits are off', () => {
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
  test('prices move second by second, so that a limit fills on the way', async () => {
    const testSandbox = openTestSandbox({ clock: { kind: 'fast', factor: 60 } });
    const { sandbox, time } = testSandbox;
    await testSandbox.call('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', { leverage: 10 });
    const path = Array.from({ length: 600 }, (_, second) => START + second * 1_000);
    const prices = path.map(() => 0);
    const probe = openTestSandbox();
    path.forEach((_, index) => {
      prices[index] = scaledOf(probe.sandbox.exchange.prices('BTCUSDT')?.last ?? 0) / 1e8;
      probe.sandbox.advance(1_000);
    });
    const lowest = Math.min(...prices.slice(60));
    const price = (Math.round((lowest + 2) * 10) / 10).toFixed(1);
    await testSandbox.call('POST', ORDER_PATH, limitOrder('a', price));
    await time.advance(10_000);
    expect(sandbox.now()).toBe(START + 600_000);
    const order = sandbox.exchange.order({ clientOrderId: 'a' });
    expect(order?.status).toBe('filled');
    const throughAt = prices.findIndex((one) => one < Number(price));
    expect(order?.executions[0]?.time).toBe(START + throughAt * 1_000);
  });

  test('venue time stays while held, and orders fill all the same', async () => {
    const testSandbox = await openFundedSandbox({
      clock: { kind: 'fast', factor: 60 },
      held: true,
    });
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    await testSandbox.time.advance(1_000);
    expect(testSandbox.sandbox.now()).toBe(START);
    expect(testSandbox.sandbox.exchange.order({ clientOrderId: 'a' })?.status).toBe('filled');
    testSandbox.sandbox.release();
    await testSandbox.time.advance(1_000);
    expect(testSandbox.sandbox.now()).toBe(START + 60_000);
  });

  test('no timer runs after the stop', async () => {
    const testSandbox = await openFundedSandbox({ clock: { kind: 'fast', factor: 60 } });
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    testSandbox.sandbox.stop();
    expect(testSandbox.time.pendingTimers).toBe(0);
  });

  test('a start before the first price is refused', () => {
    expect(() => openTestSandbox({ startMs: 0 })).toThrow(
      'lies before the first price, 2017-01-01',
    );
  });

  test('the same seed and requests give the same answers, down to the ids', async () => {
    const runAnswers = async (options = {}) => {
      const testSandbox = openTestSandbox({ clock: { kind: 'fast', factor: 60 }, ...options });
      await testSandbox.call('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', {
        leverage: 10,
      });
      for (let index = 0; index < 5; index += 1) {
        const side = index % 2 === 0 ? 'LONG' : 'SHORT';
        await testSandbox.call(
          'POST',
          ORDER_PATH,
          marketOrder(`id-${index}`, { order_type: side }),
        );
        await testSandbox.time.advance(3_000);
      }
      return testSandbox.sandbox.state();
    };
    expect(await runAnswers()).toBe(await runAnswers());
    expect(await runAnswers({ instanceId: 'another' })).not.toBe(await runAnswers());
  });
});

describe('control paths', () => {
  test('control paths are for loopback only and need no key', async () => {
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

  test('a manual clock can be advanced, and no other', async () => {
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

  test('the speed of the clock can be changed while it runs', async () => {
    const { call, refusal } = openTestSandbox({ clock: { kind: 'real' } });
    for (const [clock, rate] of [
      ['fast:60', 60],
      ['manual', 0],
      ['real', 1],
    ])
      expect((await call('POST', '/sandbox/clock', { clock })).json).toMatchObject({ rate });
    for (const clock of ['fast:0', 'slow', 60, null, {}])
      expect((await refusal('POST', '/sandbox/clock', { clock }))[0]).toBe(400);
  });

  test('a price override triggers what it passes, and can be released', async () => {
    const testSandbox = await openFundedSandbox();
    const protection = { is_stoploss: true, stoploss_price: '59000' };
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a', protection));
    await testSandbox.time.advance(20);
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '58500' });
    expect(await testSandbox.data('GET', POSITIONS)).toBeNull();
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', release: true });
    const market = openTestSandbox().sandbox.exchange.prices('BTCUSDT');
    expect(testSandbox.sandbox.exchange.prices('BTCUSDT')).toEqual(market);
  });

  test.each([
    [{ symbol: 'NOPE', price: '1' }, 404],
    [{ symbol: 'BTCUSDT', price: '0' }, 400],
    [{ symbol: 'BTCUSDT', price: 'high' }, 400],
    [{ symbol: 'BTCUSDT', price: '1e30' }, 400],
    [{ symbol: 'BTCUSDT' }, 400],
    ['{', 404],
  ])('the price %j is refused', async (body, status) => {
    const { refusal } = openTestSandbox();
    expect((await refusal('POST', '/sandbox/price', body))[0]).toBe(status);
  });

  test('the state view shows every delivery of an order, refused ones too', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('POST', ORDER_PATH, limitOrder('a', '50000'));
    await testSandbox.call('POST', ORDER_PATH, limitOrder('a', '50000'));
    await testSandbox.call('POST', ORDER_PATH, limitOrder('b', '50000.05'));
    const state = await stateOf(testSandbox);
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
    expect(testSandbox.sandbox.state()).toBe(
      (await testSandbox.call('GET', '/sandbox/state')).text,
    );
  });

  test('the request log lists the faults of each request', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('PUT', '/sandbox/faults', [
      { on: 'POST /fapi/v2/futures/order', fault: 'req_lost', count: 1 },
    ]);
    expect(await testSandbox.raw('POST', ORDER_PATH, marketOrder('a'))).toBe('reset');
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    const { requests } = (await testSandbox.call('GET', '/sandbox/requests')).json as {
      requests: unknown[];
    };
    expect(requests.slice(-2)).toMatchObject([
      { method: 'POST', client_order_id: 'a', faults: ['req_lost'], delivered: 0, status: null },
      { method: 'POST', client_order_id: 'a', faults: [], delivered: 1, status: 202 },
    ]);
  });

  test('a bad fault list is refused, and the current one stays', async () => {
    const testSandbox = openTestSandbox();
    await testSandbox.call('PUT', '/sandbox/faults', [{ on: '*', fault: '500_before' }]);
    expect(
      await testSandbox.refusal('PUT', '/sandbox/faults', [{ on: '*', fault: 'nope' }]),
    ).toEqual([400, expect.stringContaining('faults[0].fault "nope" is unknown') as string]);
    expect(await testSandbox.refusal('PUT', '/sandbox/faults', '[')).toEqual([
      400,
      'the fault list is not JSON',
    ]);
    expect((await testSandbox.call('GET', POSITIONS)).status).toBe(500);
    await testSandbox.call('DELETE', '/sandbox/faults');
    expect((await testSandbox.call('GET', POSITIONS)).status).toBe(200);
  });
});

describe('a request with a fault', () => {
  const struck = async (fault: string, more: Readonly<Record<string, unknown>> = {}) => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('PUT', '/sandbox/faults', [
      { on: 'POST /fapi/v2/futures/order', fault, ...more },
    ]);
    return testSandbox;
  };
  const exists = (testSandbox: TestSandbox) =>
    testSandbox.sandbox.exchange.order({ clientOrderId: 'a' }) !== undefined;

  test.each([
    ['req_lost', false, 0],
    ['resp_lost', true, 1],
    ['500_before', false, 1],
    ['500_after', true, 1],
    ['html_404', false, 1],
    ['html_503', false, 1],
    ['html_5xx', true, 1],
    ['423(1)', false, 1],
    ['429(1)', false, 1],
    ['reject(Params error)', false, 1],
    ['reset_mid_body', true, 1],
  ])('after %s the order exists: %s, with %i deliveries', async (fault, isThere, deliveries) => {
    const testSandbox = await struck(fault);
    await testSandbox.raw('POST', ORDER_PATH, marketOrder('a'));
    expect(exists(testSandbox)).toBe(isThere);
    expect((await stateOf(testSandbox)).deliveries['a'] ?? 0).toBe(deliveries);
  });

  test('req_delay delivers late, also after the caller’s time-out', async () => {
    const testSandbox = await struck('req_delay', { delay_ms: 5_000 });
    const reply = testSandbox.raw('POST', ORDER_PATH, marketOrder('a'));
    await testSandbox.time.advance(4_999);
    expect(exists(testSandbox)).toBe(false);
    await testSandbox.time.advance(1);
    expect(await reply).toMatchObject({ status: 202 });
  });

  test('resp_delay is carried out at once and answered late', async () => {
    const testSandbox = await struck('resp_delay', { delay_ms: 5_000 });
    let answered = false;
    void testSandbox.raw('POST', ORDER_PATH, marketOrder('a')).then(() => {
      answered = true;
    });
    expect(exists(testSandbox)).toBe(true);
    await testSandbox.time.advance(4_999);
    expect(answered).toBe(false);
    await testSandbox.time.advance(1);
    expect(answered).toBe(true);
  });

  test('dup_deliver creates one order and answers with the second delivery’s 409', async () => {
    const testSandbox = await struck('dup_deliver');
    expect(await testSandbox.refusal('POST', ORDER_PATH, marketOrder('a'))).toEqual([
      409,
      'client order id already exists',
    ]);
    expect((await stateOf(testSandbox)).orders).toMatchObject([
      { client_order_id: 'a', deliveries: 2 },
    ]);
  });

  test('reset_mid_body breaks the connection inside the body', async () => {
    const testSandbox = await struck('reset_mid_body');
    const reply = await testSandbox.raw('POST', ORDER_PATH, marketOrder('a'));
    expect(reply).toMatchObject({ status: 202, cutAfterBytes: expect.any(Number) as number });
  });

  test('null_blip hides the positions once', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    await testSandbox.time.advance(20);
    await testSandbox.call('PUT', '/sandbox/faults', [
      { on: `GET ${POSITIONS}`, fault: 'null_blip', count: 1 },
    ]);
    expect(await testSandbox.data('GET', POSITIONS)).toBeNull();
    expect(await testSandbox.data('GET', POSITIONS)).toHaveLength(1);
  });

  test('read_lag does not find an order until it has aged', async () => {
    const testSandbox = await openFundedSandbox();
    await testSandbox.call('PUT', '/sandbox/faults', [
      { on: `GET ${DETAIL}`, fault: 'read_lag', delay_ms: 3_000 },
    ]);
    await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
    expect(await testSandbox.refusal('GET', `${DETAIL}?client_order_id=a`)).toEqual([
      404,
      'order not found',
    ]);
    await testSandbox.time.advance(3_000);
    expect(await testSandbox.data('GET', `${DETAIL}?client_order_id=a`)).toMatchObject({
      client_order_id: 'a',
    });
  });
});

test('a feed fault breaks the connection at its next push', async () => {
  const testSandbox = openTestSandbox();
  await testSandbox.call('PUT', '/sandbox/faults', [{ on: 'WS', fault: 'ws_drop', count: 1 }]);
  const messages: string[] = [];
  const open = () => {
    const connecting = testSandbox.sandbox.connect('/fapi/v1/price/ws/linear');
    if (connecting.kind === 'refused') throw new Error('refused');
    return connecting.attach({
      send: (text) => messages.push(text),
      close: () => messages.push('closed'),
    });
  };
  const subscribe = '{"id":1,"method":"SUBSCRIBE","params":["kline@1m@btcusdt"]}';
  open().onMessage(subscribe);
  testSandbox.sandbox.advance(60_000);
  open().onMessage(subscribe);
  testSandbox.sandbox.advance(60_000);
  const reply = '{"method":"SUBSCRIBE","id":1,"result":"success"}';
  expect(messages).toEqual([reply, 'closed', reply, expect.stringContaining('kline@1m@btcusdt')]);
});

test('the sandbox lists every standard instrument', () => {
  expect(openTestSandbox().sandbox.symbols).toEqual(
    STANDARD_LISTINGS.map(({ instrument }) => instrument.symbol),
  );
});
