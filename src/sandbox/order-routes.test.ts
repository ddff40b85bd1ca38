import { beforeEach, describe, expect, test } from 'vitest';
import {
  limitOrder,
  marketOrder,
  ORDER_PATH,
  readyToTrade,
  type TestSandbox,
} from '../../test/harness/test-sandbox.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
const DETAIL = '/fapi/v1/futures/orders/detail';
const NOBODY = '01969d00-0000-7000-8000-000000000000';

let desk: TestSandbox;
beforeEach(async () => {
  desk = await readyToTrade();
});

const place = (body: unknown) =>
  desk.data('POST', ORDER_PATH, body) as Promise<Record<string, string>>;

describe('placing an order', () => {
  test('answers 202 CREATED before any fill, and fills soon after on a standing clock', async () => {
    const { status, json } = await desk.call('POST', ORDER_PATH, marketOrder('a'));
    expect(status).toBe(202);
    expect(json).toEqual({
      success: true,
      data: {
        leverage: '5',
        quantity: '0.01',
        price: '60000',
        order_id: expect.stringMatching(UUID) as string,
        status: 'CREATED',
        message: 'OK',
        client_order_id: 'a',
        position_id: expect.stringMatching(UUID) as string,
      },
    });
    expect(await desk.data('GET', `${DETAIL}?client_order_id=a`)).toMatchObject({
      status: 'CREATED',
    });
    await desk.time.advance(20);
    expect(await desk.data('GET', `${DETAIL}?client_order_id=a`)).toMatchObject({
      status: 'FILLED',
      filled_quantity: 0.01,
      filled_price: 60_000,
    });
  });

  test('takes numbers as strings and as JSON numbers, and the asset by symbol or id', async () => {
    const [asset] = (await desk.data('GET', '/fapi/v1/futures?sort=popularity&order=asc')) as {
      id: string;
    }[];
    const path = `/fapi/v2/futures/order?id=${asset?.id}`;
    const body = limitOrder('n', '50000', { order_price: 50_000, quantity: 0.01 });
    const { status, json } = await desk.call('POST', path, body);
    expect(status).toBe(202);
    expect(json).toMatchObject({ data: { price: '50000', quantity: '0.01' } });
  });

  test('normalises what it echoes', async () => {
    const body = limitOrder('n', '50000.0', { quantity: '0.0100' });
    expect(await place(body)).toMatchObject({ price: '50000', quantity: '0.01' });
  });

  test.each([
    ['a foreign currency', { trade_currency: 'EUR' }, 400, 'invalid trade_currency'],
    [
      'an unknown trigger type',
      { trigger_type: 'STOP' },
      400,
      'trigger_type must be MARKET or LIMIT',
    ],
    ['an unknown side', { order_type: 'BUY' }, 400, 'order_type must be LONG or SHORT'],
    ['no quantity', { quantity: undefined }, 400, 'Params error'],
    ['a quantity that is no number', { quantity: 'lots' }, 400, 'Params error'],
    ['a flag that is none', { reduce_only: 'yes' }, 400, 'Params error'],
    ['a leverage of its own', { leverage: 3 }, 400, 'Params error'],
    ['an identifier with a blank', { client_order_id: 'a b' }, 400, 'invalid order identifier'],
    [
      'an identifier too long',
      { client_order_id: 'a'.repeat(65) },
      400,
      'invalid order identifier',
    ],
    [
      'a limit without a price',
      { trigger_type: 'LIMIT' },
      400,
      'order_price must be > 0 for LIMIT orders',
    ],
    [
      'a limit at zero',
      { trigger_type: 'LIMIT', order_price: '0' },
      400,
      'order_price must be > 0 for LIMIT orders',
    ],
    [
      'a quantity off the step',
      { quantity: '0.0105' },
      400,
      'quantity not a multiple of the quantity step',
    ],
    [
      'a quantity finer than any step',
      { quantity: '0.0100000000001' },
      400,
      'quantity not a multiple of the quantity step',
    ],
    ['nothing', { quantity: '0' }, 400, 'order quantity out of permissible range'],
    ['less than nothing', { quantity: '-0.01' }, 400, 'order quantity out of permissible range'],
    ['too much', { quantity: '2000' }, 400, 'order quantity out of permissible range'],
    [
      'an astronomical quantity',
      { quantity: 1e30 },
      400,
      'order quantity out of permissible range',
    ],
    [
      'a price off the step',
      { trigger_type: 'LIMIT', order_price: '50000.05' },
      400,
      'price not a multiple of the price step',
    ],
    [
      'a price out of range',
      { trigger_type: 'LIMIT', order_price: '2999999' },
      400,
      'order price out of permissible range',
    ],
    [
      'too small a value',
      { trigger_type: 'LIMIT', order_price: '4000', quantity: '0.001' },
      400,
      'order value less than minimum required value',
    ],
    [
      'a stop above a long',
      { is_stoploss: true, stoploss_price: '61000' },
      400,
      'invalid stop loss price',
    ],
    ['a stop without a price', { is_stoploss: true }, 400, 'invalid stop loss price'],
    [
      'a target below a long',
      { is_takeprofit: true, takeprofit_price: '59000' },
      400,
      'invalid takeprofit price',
    ],
    ['more than the balance', { quantity: '10' }, 400, 'insufficient balance'],
    ['a reduction of nothing', { reduce_only: true }, 400, 'reduce only order in new position'],
  ])('refuses %s, and keeps no order', async (_name, change, status, text) => {
    const body = marketOrder('a', change);
    expect(await desk.refusal('POST', ORDER_PATH, body)).toEqual([status, text]);
    expect(await desk.refusal('GET', `${DETAIL}?client_order_id=a`)).toEqual([
      404,
      'order not found',
    ]);
  });

  test.each([
    ['malformed JSON', '{"quantity":', 400, 'Params error'],
    ['a list', '[]', 400, 'Params error'],
    ['an empty body', '', 400, 'trigger_type must be MARKET or LIMIT'],
  ])('refuses %s as its body', async (_name, body, status, text) => {
    expect(await desk.refusal('POST', ORDER_PATH, body)).toEqual([status, text]);
  });

  test('refuses an unknown asset with 404, a leverage never set with 400', async () => {
    const place404 = '/fapi/v2/futures/order?symbol=NOPEUSDT';
    expect(await desk.refusal('POST', place404, marketOrder('a'))).toEqual([
      404,
      'future asset not found',
    ]);
    expect(await desk.refusal('POST', '/fapi/v2/futures/order', marketOrder('a'))).toEqual([
      404,
      'future asset not found',
    ]);
    const eth = '/fapi/v2/futures/order?symbol=ETHUSDT';
    expect(await desk.refusal('POST', eth, marketOrder('a'))).toEqual([400, 'leverage not found']);
  });

  test('refuses a used identifier for ever, whatever the body, in any currency', async () => {
    await place(limitOrder('a', '50000'));
    await desk.call('DELETE', '/fapi/v1/futures/orders?client_order_id=a');
    for (const body of [
      marketOrder('a'),
      marketOrder('a', { trade_currency: 'INR', quantity: '9' }),
    ]) {
      expect(await desk.refusal('POST', ORDER_PATH, body)).toEqual([
        409,
        'client order id already exists',
      ]);
    }
    expect((await desk.call('POST', ORDER_PATH, limitOrder('A', '50000'))).status).toBe(202);
  });

  test('counts an empty identifier as none', async () => {
    const first = await place(limitOrder('', '50000'));
    const second = await place(limitOrder('', '50000'));
    expect([first['client_order_id'], second['client_order_id']]).toEqual([null, null]);
    expect(first['order_id']).not.toBe(second['order_id']);
  });

  test('ignores the price of a market order and the protection of a reducing one', async () => {
    await place(marketOrder('a', { order_price: 'whatever' }));
    await desk.time.advance(20);
    const reducing = { order_type: 'SHORT', reduce_only: true, is_stoploss: true };
    expect((await desk.call('POST', ORDER_PATH, marketOrder('b', reducing))).status).toBe(202);
  });
});

describe('looking an order up', () => {
  test('shows the fields of the interface, numbers as JSON numbers', async () => {
    const placed = await place(limitOrder('a', '50000.5'));
    const order = await desk.data('GET', `${DETAIL}?client_order_id=a`);
    const { order_id: id, position_id: positionId } = placed;
    expect(order).toEqual({
      created_at: '2025-05-05T00:00:00Z',
      updated_at: '2025-05-05T00:00:00Z',
      reason: { message: 'OK' },
      actual_amount: 500.005,
      quantity: 0.01,
      filled_quantity: 0,
      price: 50_000.5,
      filled_price: 0,
      leverage: 5,
      hedge_rate: 1,
      order_type: 'LONG',
      trigger_type: 'LIMIT',
      trade_currency: 'USDT',
      status: 'CREATED',
      id,
      symbol: 'BTCUSDT',
      client_order_id: 'a',
      position_id: positionId,
      future_position_uuid: positionId,
      asset_uuid: expect.stringMatching(UUID) as string,
    });
    expect(await desk.data('GET', `/fapi/v1/futures/orders/${id}`)).toEqual(order);
    expect(await desk.data('GET', '/fapi/v1/futures/orders')).toEqual([order]);
  });

  test('by detail needs an id, and two ids must name one order', async () => {
    const a = await place(limitOrder('a', '50000'));
    const b = await place(limitOrder('b', '50000'));
    const both = (orderId: string, clientId: string) =>
      `${DETAIL}?order_id=${orderId}&client_order_id=${clientId}`;
    expect(await desk.refusal('GET', DETAIL)).toEqual([
      400,
      'order id or client order id is required',
    ]);
    expect((await desk.call('GET', both(a['order_id'] ?? '', 'a'))).status).toBe(200);
    expect(await desk.refusal('GET', both(b['order_id'] ?? '', 'a'))).toEqual([
      404,
      'order not found',
    ]);
    expect(await desk.refusal('GET', `${DETAIL}?client_order_id=nope`)).toEqual([
      404,
      'order not found',
    ]);
    expect(await desk.refusal('GET', `/fapi/v1/futures/orders/${NOBODY}`)).toEqual([
      404,
      'order not found',
    ]);
  });

  test('lists one currency, twenty rows unless told otherwise, newest first', async () => {
    for (let index = 0; index < 25; index += 1)
      await place(limitOrder(`id-${index}`, '50000', { quantity: '0.001' }));
    const ids = async (query: string) =>
      (
        (await desk.data('GET', `/fapi/v1/futures/orders${query}`)) as { client_order_id: string }[]
      ).map((row) => row.client_order_id);
    expect(await ids('')).toHaveLength(20);
    expect(await ids('?limit=2')).toEqual(['id-24', 'id-23']);
    expect(await ids('?limit=2&offset=3')).toEqual(['id-21', 'id-20']);
    expect(await ids('?limit=500')).toHaveLength(25);
    expect(await ids('?trade_currency=INR')).toEqual([]);
    expect(await desk.refusal('GET', '/fapi/v1/futures/orders?trade_currency=EUR')).toEqual([
      400,
      'Invalid trade currency',
    ]);
    expect(await desk.refusal('GET', '/fapi/v1/futures/orders?limit=many')).toEqual([
      400,
      'Params error',
    ]);
  });
});

describe('canceling an order', () => {
  test('works by id and by client id, with the same answer', async () => {
    const a = await place(limitOrder('a', '50000'));
    const b = await place(limitOrder('b', '50000'));
    const answer = (id: string | undefined) => ({
      message: 'Order cancelled successfully',
      order_id: id,
      status: 'CANCELLED',
    });
    expect(await desk.data('DELETE', `/fapi/v1/futures/orders/${a['order_id']}`)).toEqual(
      answer(a['order_id']),
    );
    expect(await desk.data('DELETE', '/fapi/v1/futures/orders?client_order_id=b')).toEqual(
      answer(b['order_id']),
    );
    expect(await desk.data('GET', '/fapi/v1/futures/orders')).toEqual([]);
    const history = (await desk.data('GET', '/fapi/v1/futures/orders/history')) as {
      status: string;
    }[];
    expect(history.map((row) => row.status)).toEqual(['CANCELLED', 'CANCELLED']);
  });

  test('tells what stands against it', async () => {
    const a = await place(limitOrder('a', '50000'));
    await place(marketOrder('b'));
    await desk.time.advance(20);
    await desk.call('DELETE', '/fapi/v1/futures/orders?client_order_id=a');
    const orders = '/fapi/v1/futures/orders';
    expect(await desk.refusal('DELETE', `${orders}/${a['order_id']}`)).toEqual([
      400,
      'order already cancelled',
    ]);
    expect(await desk.refusal('DELETE', `${orders}?client_order_id=b`)).toEqual([
      400,
      'order is not open',
    ]);
    expect(await desk.refusal('DELETE', `${orders}?client_order_id=c`)).toEqual([
      404,
      'order not found',
    ]);
    expect(await desk.refusal('DELETE', `${orders}/${NOBODY}`)).toEqual([404, 'order not found']);
    expect(await desk.refusal('DELETE', `${orders}/nonsense`)).toEqual([
      500,
      'something went wrong',
    ]);
    expect(await desk.refusal('DELETE', orders)).toEqual([
      400,
      'order id or client order id is required',
    ]);
  });
});
