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

describe('amending an order', () => {
  const orders = '/fapi/v1/futures/orders';
  const restingId = async (): Promise<string> => {
    const placed = await place(limitOrder('a', '50000'));
    await desk.time.advance(20);
    return placed['order_id'] ?? '';
  };

  test('takes price and quantity, as texts or numbers, and keeps its id', async () => {
    const id = await restingId();
    const body = { order_price: '51000.5', quantity: 0.02 };
    expect(await desk.data('PATCH', `${orders}/${id}`, body)).toEqual({
      message: 'Order updated successfully',
    });
    expect(await desk.data('GET', `${DETAIL}?client_order_id=a`)).toMatchObject({
      id,
      price: 51_000.5,
      quantity: 0.02,
      actual_amount: 1020.01,
      status: 'CREATED',
    });
  });

  test('to a price that the market has reached fills it', async () => {
    const id = await restingId();
    await desk.call('PATCH', `${orders}/${id}`, { order_price: '61000', quantity: '0.01' });
    await desk.time.advance(20);
    expect(await desk.data('GET', `${orders}/${id}`)).toMatchObject({ status: 'FILLED' });
  });

  test.each([
    ['a price alone', { order_price: '51000' }, 'order quantity out of permissible range'],
    ['a quantity alone', { quantity: '0.02' }, 'Params error'],
    ['a price that is none', { order_price: 'x', quantity: '0.02' }, 'Params error'],
    ['a quantity that is none', { order_price: '51000', quantity: {} }, 'Params error'],
    ['malformed JSON', '{', 'Params error'],
    [
      'a price off the step',
      { order_price: '51000.05', quantity: '0.01' },
      'price not a multiple of the price step',
    ],
    [
      'a quantity off the step',
      { order_price: '51000', quantity: '0.0101' },
      'quantity not a multiple of the quantity step',
    ],
    [
      'a price out of range',
      { order_price: '2999999', quantity: '0.01' },
      'order price out of permissible range',
    ],
    ['nothing', { order_price: '51000', quantity: '0' }, 'order quantity out of permissible range'],
    ['more than the balance', { order_price: '51000', quantity: '100' }, 'insufficient balance'],
  ])('refuses %s, and changes nothing', async (_name, body, text) => {
    const id = await restingId();
    const before = await desk.data('GET', `${orders}/${id}`);
    expect(await desk.refusal('PATCH', `${orders}/${id}`, body)).toEqual([400, text]);
    expect(await desk.data('GET', `${orders}/${id}`)).toEqual(before);
  });

  test('of an order that is unknown or has ended is refused', async () => {
    const body = { order_price: '51000', quantity: '0.01' };
    expect(await desk.refusal('PATCH', `${orders}/${NOBODY}`, body)).toEqual([
      404,
      'order not found',
    ]);
    const id = await restingId();
    await desk.call('DELETE', `${orders}/${id}`);
    expect(await desk.refusal('PATCH', `${orders}/${id}`, body)).toEqual([
      400,
      'order already cancelled',
    ]);
  });
});

describe('an execution report', () => {
  const report = (id: string | undefined) =>
    desk.data('GET', `/fapi/v1/futures/orders/${id}/execution-report`) as Promise<
      Record<string, unknown>
    >;

  test('has the order, its values as strings and its fills', async () => {
    const { order_id: id } = await place(marketOrder('a'));
    desk.sandbox.advance(1_234);
    await desk.time.advance(20);
    const order = (await desk.data('GET', `/fapi/v1/futures/orders/${id}`)) as object;
    expect(await report(id)).toEqual({
      ...order,
      order_value: '600',
      filled_value: '600',
      end_time: expect.stringMatching(/^2025-05-05T00:00:0\dZ$/) as string,
      executions: [
        {
          is_maker: false,
          filled_price: '60000',
          filled_qty: '0.01',
          filled_value: '600',
          trading_fee: '0.354',
          filled_time: expect.stringMatching(/^2025-05-05T00:00:0\d\.\d{3}Z$/) as string,
          trxn_id: expect.stringMatching(UUID) as string,
        },
      ],
    });
  });

  test('tells values in the currency of the order, those of fills in USDT', async () => {
    const leverage = { leverage: 5, trade_currency: 'INR' };
    await desk.call('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', leverage);
    const { order_id: id } = await place(marketOrder('a', { trade_currency: 'INR' }));
    await desk.time.advance(20);
    expect(await report(id)).toMatchObject({
      order_value: '54000',
      filled_value: '54000',
      actual_amount: 54_000,
      hedge_rate: 90,
      executions: [{ filled_value: '600', trading_fee: '31.86' }],
    });
  });

  test('has no fills and no end while the order waits', async () => {
    const { order_id: id } = await place(limitOrder('a', '50000'));
    expect(await report(id)).toMatchObject({
      order_value: '500',
      filled_value: '0',
      end_time: null,
      executions: [],
    });
    const unknown = `/fapi/v1/futures/orders/${NOBODY}/execution-report`;
    expect(await desk.refusal('GET', unknown)).toEqual([404, 'order not found']);
  });
});
