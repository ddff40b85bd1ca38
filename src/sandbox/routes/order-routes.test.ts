import { beforeEach, describe, expect, test } from 'vitest';
import {
  limitOrder,
  marketOrder,
  ORDER_PATH,
  openFundedSandbox,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
const DETAIL = '/fapi/v1/futures/orders/detail';
const UNKNOWN_ID = '01969d00-0000-7000-8000-000000000000';

let testSandbox: TestSandbox;
beforeEach(async () => {
  testSandbox = await openFundedSandbox();
});

const place = (body: unknown) =>
  testSandbox.data('POST', ORDER_PATH, body) as Promise<Record<string, string>>;

describe('order lookups', () => {
  test('an order by id has the fields of the interface, with numbers as JSON numbers', async () => {
    const placed = await place(limitOrder('a', '50000.5'));
    const order = await testSandbox.data('GET', `${DETAIL}?client_order_id=a`);
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
    expect(await testSandbox.data('GET', `/fapi/v1/futures/orders/${id}`)).toEqual(order);
    expect(await testSandbox.data('GET', '/fapi/v1/futures/orders')).toEqual([order]);
  });

  test('order detail needs an id, and two ids must name one order', async () => {
    const a = await place(limitOrder('a', '50000'));
    const b = await place(limitOrder('b', '50000'));
    const both = (orderId: string, clientId: string) =>
      `${DETAIL}?order_id=${orderId}&client_order_id=${clientId}`;
    expect(await testSandbox.refusal('GET', DETAIL)).toEqual([
      400,
      'order id or client order id is required',
    ]);
    expect((await testSandbox.call('GET', both(a['order_id'] ?? '', 'a'))).status).toBe(200);
    expect(await testSandbox.refusal('GET', both(b['order_id'] ?? '', 'a'))).toEqual([
      404,
      'order not found',
    ]);
    expect(await testSandbox.refusal('GET', `${DETAIL}?client_order_id=nope`)).toEqual([
      404,
      'order not found',
    ]);
    expect(await testSandbox.refusal('GET', `/fapi/v1/futures/orders/${UNKNOWN_ID}`)).toEqual([
      404,
      'order not found',
    ]);
  });

  test('lists are of one currency, twenty rows by default, newest first', async () => {
    for (let index = 0; index < 25; index += 1)
      await place(limitOrder(`id-${index}`, '50000', { quantity: '0.001' }));
    const ids = async (query: string) =>
      (
        (await testSandbox.data('GET', `/fapi/v1/futures/orders${query}`)) as {
          client_order_id: string;
        }[]
      ).map((row) => row.client_order_id);
    expect(await ids('')).toHaveLength(20);
    expect(await ids('?limit=2')).toEqual(['id-24', 'id-23']);
    expect(await ids('?limit=2&offset=3')).toEqual(['id-21', 'id-20']);
    expect(await ids('?limit=500')).toHaveLength(25);
    expect(await ids('?trade_currency=INR')).toEqual([]);
    expect(await testSandbox.refusal('GET', '/fapi/v1/futures/orders?trade_currency=EUR')).toEqual([
      400,
      'Invalid trade currency',
    ]);
    expect(await testSandbox.refusal('GET', '/fapi/v1/futures/orders?limit=many')).toEqual([
      400,
      'Params error',
    ]);
  });
});

describe('order cancels', () => {
  test('a cancel works by id and by client id, with the same answer', async () => {
    const a = await place(limitOrder('a', '50000'));
    const b = await place(limitOrder('b', '50000'));
    const answer = (id: string | undefined) => ({
      message: 'Order cancelled successfully',
      order_id: id,
      status: 'CANCELLED',
    });
    expect(await testSandbox.data('DELETE', `/fapi/v1/futures/orders/${a['order_id']}`)).toEqual(
      answer(a['order_id']),
    );
    expect(await testSandbox.data('DELETE', '/fapi/v1/futures/orders?client_order_id=b')).toEqual(
      answer(b['order_id']),
    );
    expect(await testSandbox.data('GET', '/fapi/v1/futures/orders')).toEqual([]);
    const history = (await testSandbox.data('GET', '/fapi/v1/futures/orders/history')) as {
      status: string;
    }[];
    expect(history.map((row) => row.status)).toEqual(['CANCELLED', 'CANCELLED']);
  });

  test('a refused cancel names the reason', async () => {
    const a = await place(limitOrder('a', '50000'));
    await place(marketOrder('b'));
    await testSandbox.time.advance(20);
    await testSandbox.call('DELETE', '/fapi/v1/futures/orders?client_order_id=a');
    const orders = '/fapi/v1/futures/orders';
    expect(await testSandbox.refusal('DELETE', `${orders}/${a['order_id']}`)).toEqual([
      400,
      'order already cancelled',
    ]);
    expect(await testSandbox.refusal('DELETE', `${orders}?client_order_id=b`)).toEqual([
      400,
      'order is not open',
    ]);
    expect(await testSandbox.refusal('DELETE', `${orders}?client_order_id=c`)).toEqual([
      404,
      'order not found',
    ]);
    expect(await testSandbox.refusal('DELETE', `${orders}/${UNKNOWN_ID}`)).toEqual([
      404,
      'order not found',
    ]);
    expect(await testSandbox.refusal('DELETE', `${orders}/nonsense`)).toEqual([
      500,
      'something went wrong',
    ]);
    expect(await testSandbox.refusal('DELETE', orders)).toEqual([
      400,
      'order id or client order id is required',
    ]);
  });
});

describe('order amends', () => {
  const orders = '/fapi/v1/futures/orders';
  const restingId = async (): Promise<string> => {
    const placed = await place(limitOrder('a', '50000'));
    await testSandbox.time.advance(20);
    return placed['order_id'] ?? '';
  };

  test('an amend takes price and quantity, as texts or numbers, and the order keeps its id', async () => {
    const id = await restingId();
    const body = { order_price: '51000.5', quantity: 0.02 };
    expect(await testSandbox.data('PATCH', `${orders}/${id}`, body)).toEqual({
      message: 'Order updated successfully',
    });
    expect(await testSandbox.data('GET', `${DETAIL}?client_order_id=a`)).toMatchObject({
      id,
      price: 51_000.5,
      quantity: 0.02,
      actual_amount: 1020.01,
      status: 'CREATED',
    });
  });

  test('an amend to a price that the market has reached fills the order', async () => {
    const id = await restingId();
    await testSandbox.call('PATCH', `${orders}/${id}`, { order_price: '61000', quantity: '0.01' });
    await testSandbox.time.advance(20);
    expect(await testSandbox.data('GET', `${orders}/${id}`)).toMatchObject({ status: 'FILLED' });
  });

  test.each([
    ['a price alone', { order_price: '51000' }, 'order quantity out of permissible range'],
    ['a quantity alone', { quantity: '0.02' }, 'Params error'],
    ['an invalid price', { order_price: 'x', quantity: '0.02' }, 'Params error'],
    ['an invalid quantity', { order_price: '51000', quantity: {} }, 'Params error'],
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
  ])('an amend with %s is refused and changes nothing', async (_name, body, text) => {
    const id = await restingId();
    const before = await testSandbox.data('GET', `${orders}/${id}`);
    expect(await testSandbox.refusal('PATCH', `${orders}/${id}`, body)).toEqual([400, text]);
    expect(await testSandbox.data('GET', `${orders}/${id}`)).toEqual(before);
  });

  test('an amend of an unknown or ended order is refused', async () => {
    const body = { order_price: '51000', quantity: '0.01' };
    expect(await testSandbox.refusal('PATCH', `${orders}/${UNKNOWN_ID}`, body)).toEqual([
      404,
      'order not found',
    ]);
    const id = await restingId();
    await testSandbox.call('DELETE', `${orders}/${id}`);
    expect(await testSandbox.refusal('PATCH', `${orders}/${id}`, body)).toEqual([
      400,
      'order already cancelled',
    ]);
  });
});

describe('execution reports', () => {
  const report = (id: string | undefined) =>
    testSandbox.data('GET', `/fapi/v1/futures/orders/${id}/execution-report`) as Promise<
      Record<string, unknown>
    >;

  test('a report has the order, its values as strings and its fills', async () => {
    const { order_id: id } = await place(marketOrder('a'));
    testSandbox.sandbox.advance(1_234);
    await testSandbox.time.advance(20);
    const order = (await testSandbox.data('GET', `/fapi/v1/futures/orders/${id}`)) as object;
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

  test('values are in the currency of the order, those of fills in USDT', async () => {
    const leverage = { leverage: 5, trade_currency: 'INR' };
    await testSandbox.call('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', leverage);
    const { order_id: id } = await place(marketOrder('a', { trade_currency: 'INR' }));
    await testSandbox.time.advance(20);
    expect(await report(id)).toMatchObject({
      order_value: '54000',
      filled_value: '54000',
      actual_amount: 54_000,
      hedge_rate: 90,
      executions: [{ filled_value: '600', trading_fee: '31.86' }],
    });
  });

  test('a pending order has no fills and no end', async () => {
    const { order_id: id } = await place(limitOrder('a', '50000'));
    expect(await report(id)).toMatchObject({
      order_value: '500',
      filled_value: '0',
      end_time: null,
      executions: [],
    });
    const unknown = `/fapi/v1/futures/orders/${UNKNOWN_ID}/execution-report`;
    expect(await testSandbox.refusal('GET', unknown)).toEqual([404, 'order not found']);
  });
});
