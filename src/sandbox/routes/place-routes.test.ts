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

let testSandbox: TestSandbox;
beforeEach(async () => {
  testSandbox = await openFundedSandbox();
});

const place = (body: unknown) =>
  testSandbox.data('POST', ORDER_PATH, body) as Promise<Record<string, string>>;

describe('order create v2', () => {
  test('an order is answered with 202 CREATED before any fill, and fills soon after on a held clock', async () => {
    const { status, json } = await testSandbox.call('POST', ORDER_PATH, marketOrder('a'));
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
    expect(await testSandbox.data('GET', `${DETAIL}?client_order_id=a`)).toMatchObject({
      status: 'CREATED',
    });
    await testSandbox.time.advance(20);
    expect(await testSandbox.data('GET', `${DETAIL}?client_order_id=a`)).toMatchObject({
      status: 'FILLED',
      filled_quantity: 0.01,
      filled_price: 60_000,
    });
  });

  test('numbers may be strings or JSON numbers, and the asset a symbol or an id', async () => {
    const [asset] = (await testSandbox.data(
      'GET',
      '/fapi/v1/futures?sort=popularity&order=asc',
    )) as {
      id: string;
    }[];
    const path = `/fapi/v2/futures/order?id=${asset?.id}`;
    const body = limitOrder('n', '50000', { order_price: 50_000, quantity: 0.01 });
    const { status, json } = await testSandbox.call('POST', path, body);
    expect(status).toBe(202);
    expect(json).toMatchObject({ data: { price: '50000', quantity: '0.01' } });
  });

  test('echoed numbers are normalised', async () => {
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
    ['an invalid flag', { reduce_only: 'yes' }, 400, 'Params error'],
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
  ])('an order with %s is refused and not kept', async (_name, change, status, text) => {
    const body = marketOrder('a', change);
    expect(await testSandbox.refusal('POST', ORDER_PATH, body)).toEqual([status, text]);
    expect(await testSandbox.refusal('GET', `${DETAIL}?client_order_id=a`)).toEqual([
      404,
      'order not found',
    ]);
  });

  test.each([
    ['malformed JSON', '{"quantity":', 400, 'Params error'],
    ['a list', '[]', 400, 'Params error'],
    ['an empty body', '', 400, 'trigger_type must be MARKET or LIMIT'],
  ])('a body of %s is refused', async (_name, body, status, text) => {
    expect(await testSandbox.refusal('POST', ORDER_PATH, body)).toEqual([status, text]);
  });

  test('an unknown asset is refused with 404, and an unset leverage with 400', async () => {
    const place404 = '/fapi/v2/futures/order?symbol=NOPEUSDT';
    expect(await testSandbox.refusal('POST', place404, marketOrder('a'))).toEqual([
      404,
      'future asset not found',
    ]);
    expect(await testSandbox.refusal('POST', '/fapi/v2/futures/order', marketOrder('a'))).toEqual([
      404,
      'future asset not found',
    ]);
    const eth = '/fapi/v2/futures/order?symbol=ETHUSDT';
    expect(await testSandbox.refusal('POST', eth, marketOrder('a'))).toEqual([
      400,
      'leverage not found',
    ]);
  });

  test('a used client order id is refused for ever, with any body, in any currency', async () => {
    await place(limitOrder('a', '50000'));
    await testSandbox.call('DELETE', '/fapi/v1/futures/orders?client_order_id=a');
    for (const body of [
      marketOrder('a'),
      marketOrder('a', { trade_currency: 'INR', quantity: '9' }),
    ]) {
      expect(await testSandbox.refusal('POST', ORDER_PATH, body)).toEqual([
        409,
        'client order id already exists',
      ]);
    }
    expect((await testSandbox.call('POST', ORDER_PATH, limitOrder('A', '50000'))).status).toBe(202);
  });

  test('an empty client order id counts as none', async () => {
    const first = await place(limitOrder('', '50000'));
    const second = await place(limitOrder('', '50000'));
    expect([first['client_order_id'], second['client_order_id']]).toEqual([null, null]);
    expect(first['order_id']).not.toBe(second['order_id']);
  });

  test('the price of a market order and the protection of a reducing one are ignored', async () => {
    await place(marketOrder('a', { order_price: 'any text' }));
    await testSandbox.time.advance(20);
    const reducing = { order_type: 'SHORT', reduce_only: true, is_stoploss: true };
    expect((await testSandbox.call('POST', ORDER_PATH, marketOrder('b', reducing))).status).toBe(
      202,
    );
  });
});

describe('the order of checks of order create', () => {
  /** Each has one fault, in the order of the checks. */
  const WRONGS: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ trade_currency: 'EUR' }, 'invalid trade_currency'],
    [{ trigger_type: 'STOP' }, 'trigger_type must be MARKET or LIMIT'],
    [{ order_type: 'BUY' }, 'order_type must be LONG or SHORT'],
    [{ is_takeprofit: 'yes' }, 'Params error'],
    [{ client_order_id: 'a b' }, 'invalid order identifier'],
    [{ client_order_id: 'used' }, 'client order id already exists'],
    [{ order_price: '0' }, 'order_price must be > 0 for LIMIT orders'],
    [{ quantity: '0.0000001' }, 'quantity not a multiple of the quantity step'],
    [{ quantity: '2000' }, 'order quantity out of permissible range'],
    [{ order_price: '0.05' }, 'price not a multiple of the price step'],
    [{ order_price: '2999999' }, 'order price out of permissible range'],
    [{ order_price: '4000', quantity: '0.001' }, 'order value less than minimum required value'],
    [{ is_stoploss: true }, 'invalid stop loss price'],
    [{ is_takeprofit: true, takeprofit_price: '1' }, 'invalid takeprofit price'],
    [{ quantity: '100' }, 'insufficient balance'],
  ];
  const pairs = WRONGS.flatMap(([first, text], index) =>
    WRONGS.slice(index + 1)
      .filter(([second]) => Object.keys(second).every((key) => !(key in first)))
      .map(([second, later]) => ({ body: { ...second, ...first }, text, later })),
  );

  test.each(pairs)('$text comes before $later', async ({ body, text }) => {
    await place(limitOrder('used', '50000', { quantity: '0.001' }));
    const [, printed] = await testSandbox.refusal('POST', ORDER_PATH, {
      ...limitOrder('new', '50000'),
      ...body,
    });
    expect(printed).toBe(text);
  });

  test('asset, lock and leverage are checked after the client order id and before the rest', async () => {
    const unset = '/fapi/v2/futures/order?symbol=ETHUSDT';
    const wrong = limitOrder('x', '0');
    const refused = (path: string, more = {}) =>
      testSandbox.refusal('POST', path, { ...wrong, ...more });
    expect(await refused('/fapi/v2/futures/order', { client_order_id: '?' })).toEqual([
      400,
      'invalid order identifier',
    ]);
    expect(await refused('/fapi/v2/futures/order')).toEqual([404, 'future asset not found']);
    testSandbox.sandbox.exchange.setLocked('ETHUSDT', true);
    expect(await refused(unset)).toEqual([
      423,
      'action not allowed: another user action in progress',
    ]);
    testSandbox.sandbox.exchange.setLocked('ETHUSDT', false);
    expect(await refused(unset)).toEqual([400, 'leverage not found']);
  });

  test('a pair being delisted accepts only reducing orders', async () => {
    await place(marketOrder('a'));
    await testSandbox.time.advance(20);
    testSandbox.sandbox.exchange.setDelisting('BTCUSDT', true);
    expect(await testSandbox.refusal('POST', ORDER_PATH, marketOrder('b'))).toEqual([
      400,
      'This trading pair is being delisted',
    ]);
    const exit = marketOrder('c', { order_type: 'SHORT', reduce_only: true });
    expect((await testSandbox.call('POST', ORDER_PATH, exit)).status).toBe(202);
  });

  test('exponents and long numbers are checked to the last digit', async () => {
    const body = (quantity: string) =>
      `{"trigger_type":"MARKET","order_type":"LONG","quantity":${quantity}}`;
    expect((await testSandbox.call('POST', ORDER_PATH, body('1e-3'))).status).toBe(202);
    expect((await testSandbox.call('POST', ORDER_PATH, body('10E-4'))).status).toBe(202);
    for (const quantity of ['0.00100000000000000000001', '1e-4', '0.0010000000000000001']) {
      expect(await testSandbox.refusal('POST', ORDER_PATH, body(quantity))).toEqual([
        400,
        'quantity not a multiple of the quantity step',
      ]);
    }
    expect(await testSandbox.refusal('POST', ORDER_PATH, body('1e400'))).toEqual([
      400,
      'order quantity out of permissible range',
    ]);
  });
});
