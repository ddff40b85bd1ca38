import { beforeEach, describe, expect, test } from 'vitest';
import { fixedFromText } from '../../core/fixed/fixed.js';
import {
  limitOrder,
  marketOrder,
  ORDER_PATH,
  openFundedSandbox,
  START,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';

const DETAIL = '/fapi/v1/futures/orders/detail';

let testSandbox: TestSandbox;
beforeEach(async () => {
  testSandbox = await openFundedSandbox();
});

const place = (body: unknown) =>
  testSandbox.data('POST', ORDER_PATH, body) as Promise<Record<string, string>>;

describe('both answers where the interface is silent', () => {
  /** 0.004 of 0.01 filled at 50,000, the rest cancelled. */
  const partlyFilled = async (): Promise<Record<string, unknown>> => {
    const { order_id: orderId = '' } = await place(limitOrder('a', '50000'));
    await testSandbox.time.advance(20);
    testSandbox.sandbox.exchange.fillPart({ orderId }, fixedFromText('0.004'));
    expect(await testSandbox.data('GET', `${DETAIL}?client_order_id=a`)).toMatchObject({
      status: 'PARTIAL_FILLED',
      filled_quantity: 0.004,
      actual_amount: 500,
    });
    await testSandbox.call('DELETE', `/fapi/v1/futures/orders/${orderId}`);
    return (await testSandbox.data('GET', `${DETAIL}?client_order_id=a`)) as Record<
      string,
      unknown
    >;
  };

  test.each([
    ['ordered', 500],
    ['filled', 200],
  ] as const)('actual_amount after a partial fill is the %s value', async (answer, amount) => {
    testSandbox = await openFundedSandbox({ switches: { partialCancelAmount: answer } });
    const order = await partlyFilled();
    expect(order).toMatchObject({ actual_amount: amount, quantity: 0.01, filled_quantity: 0.004 });
    const history = await testSandbox.data('GET', '/fapi/v1/futures/orders/history');
    expect(history).toMatchObject([{ actual_amount: amount }]);
  });

  const stopId = async (): Promise<string> => {
    await place(marketOrder('a', { is_stoploss: true, stoploss_price: '58000' }));
    await testSandbox.time.advance(20);
    const [row] = (await testSandbox.data('GET', '/fapi/v1/futures/orders')) as { id: string }[];
    return row?.id ?? '';
  };

  test('the cancel of a stop answers with empty strings, or like any cancel', async () => {
    const path = async () => `/fapi/v1/futures/orders/${await stopId()}`;
    expect(await testSandbox.data('DELETE', await path())).toEqual({
      message: '',
      order_id: '',
      status: '',
    });
    testSandbox = await openFundedSandbox({ switches: { legCancelReply: 'filled' } });
    const id = await stopId();
    expect(await testSandbox.data('DELETE', `/fapi/v1/futures/orders/${id}`)).toEqual({
      message: 'Order cancelled successfully',
      order_id: id,
      status: 'CANCELLED',
    });
  });

  test('order by id is complete, or the short form of the INR example', async () => {
    testSandbox = await openFundedSandbox({ switches: { orderByIdForm: 'short' } });
    const { order_id: id } = await place(limitOrder('a', '50000'));
    expect(await testSandbox.data('GET', `/fapi/v1/futures/orders/${id}`)).toEqual({
      id,
      actual_amount: 500,
      quantity: 0.01,
      filled_quantity: 0,
      price: 50_000,
      filled_price: 0,
      leverage: 5,
      hedge_rate: 1,
      order_type: 'LONG',
      trigger_type: 'LIMIT',
      trade_currency: 'USDT',
      status: 'CREATED',
    });
    expect(await testSandbox.data('GET', `${DETAIL}?order_id=${id}`)).toMatchObject({
      symbol: 'BTCUSDT',
    });
  });

  test('detail by client order id finds the order, or never does', async () => {
    testSandbox = await openFundedSandbox({ switches: { detailByClientId: 'not-found' } });
    const { order_id: id } = await place(limitOrder('a', '50000'));
    expect(await testSandbox.refusal('GET', `${DETAIL}?client_order_id=a`)).toEqual([
      404,
      'order not found',
    ]);
    expect(
      (await testSandbox.call('GET', `${DETAIL}?order_id=${id}&client_order_id=a`)).status,
    ).toBe(200);
    const history = (await testSandbox.data('GET', '/fapi/v1/futures/orders')) as object[];
    expect(history).toMatchObject([{ client_order_id: 'a' }]);
  });

  test('offset is a count or an end time, and lists are capped', async () => {
    const ids = async (query: string) =>
      ((await testSandbox.data('GET', `/fapi/v1/futures/orders?${query}`)) as unknown[]).length;
    const placeThree = async (): Promise<void> => {
      for (const id of ['a', 'b', 'c']) {
        await place(limitOrder(id, '50000', { quantity: '0.001' }));
        testSandbox.sandbox.advance(1_000);
      }
    };
    const second = START + 1_000;
    await placeThree();
    expect(await ids(`offset=${second}`)).toBe(2);
    testSandbox = await openFundedSandbox({ switches: { listOffset: 'count', listCap: 100 } });
    await placeThree();
    expect(await ids(`offset=${second}`)).toBe(0);
    expect(await ids('limit=400&offset=1')).toBe(2);
  });
});
