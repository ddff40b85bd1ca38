import { beforeEach, describe, expect, test } from 'vitest';
import {
  openTestSandbox,
  openFundedSandbox,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';
import { shapeOf } from '../../../test/support/builders/wire-shape.js';

const ORDER = '/fapi/v1/futures/BTCUSDT/order?is_symbol';
const LEVERAGE = '/fapi/v1/futures/BTCUSDT/leverage?is_symbol';

const order = (more: Readonly<Record<string, unknown>> = {}) => ({
  leverage: 4,
  quantity: 0.01,
  order_price: 50_000,
  order_type: 'LONG',
  trigger_type: 'LIMIT',
  ...more,
});

let testSandbox: TestSandbox;
beforeEach(async () => {
  testSandbox = openTestSandbox();
  await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '60000' });
});

describe('order create v1', () => {
  test('a v1 order is answered with 202 and the documented fields, in strings', async () => {
    const { status, json } = await testSandbox.call('POST', ORDER, order());
    expect(status).toBe(202);
    const { data } = json as { data: Record<string, unknown> };
    expect(data).toMatchObject({
      leverage: '4',
      // 0.01 × 50,000 ÷ 4: the margin used (interface: POST v1 order).
      amount: '125',
      quantity: '0.01',
      price: '50000',
      status: 'CREATED',
      message: 'OK',
      client_order_id: null,
    });
    expect(Object.keys(data)).toEqual([
      'leverage',
      'amount',
      'quantity',
      'price',
      'order_id',
      'status',
      'message',
      'client_order_id',
      'position_id',
    ]);
    expect(shapeOf(data)).toMatchObject({ order_id: 'uuid', position_id: 'uuid' });
  });

  test('values may be strings or numbers, and the asset an id or a symbol', async () => {
    const { id } = (await testSandbox.data('GET', '/fapi/v1/futures/BTCUSDT?is_symbol')) as {
      id: string;
    };
    const texts = order({ leverage: '4', quantity: '0.010', order_price: '50000.0' });
    const answer = await testSandbox.data('POST', `/fapi/v1/futures/${id}/order`, texts);
    expect(answer).toMatchObject({ leverage: '4', quantity: '0.01', price: '50000' });
  });

  test('an accepted v1 order stores its leverage for asset and currency; a refused one does not', async () => {
    expect(await testSandbox.refusal('GET', LEVERAGE)).toEqual([404, 'leverage not found']);
    expect(await testSandbox.refusal('POST', ORDER, order({ quantity: 0.0105 }))).toEqual([
      400,
      'quantity not a multiple of the quantity step',
    ]);
    expect(await testSandbox.refusal('GET', LEVERAGE)).toEqual([404, 'leverage not found']);
    await testSandbox.call('POST', ORDER, order());
    expect(await testSandbox.data('GET', LEVERAGE)).toMatchObject({ leverage: '4' });
    await testSandbox.call('POST', ORDER, order({ leverage: '7.5' }));
    expect(await testSandbox.data('GET', LEVERAGE)).toMatchObject({ leverage: '7.5' });
    expect(await testSandbox.refusal('GET', `${LEVERAGE}&trade_currency=INR`)).toEqual([
      404,
      'leverage not found',
    ]);
  });

  test('the margin of an INR order is in INR', async () => {
    const inr = order({ trade_currency: 'INR' });
    // 0.01 × 50,000 × 90 ÷ 4.
    expect(await testSandbox.data('POST', ORDER, inr)).toMatchObject({ amount: '11250' });
  });

  test('a market order shows the live price; its own price only has to be in range', async () => {
    const market = order({ trigger_type: 'MARKET', order_price: '12345.67' });
    expect(await testSandbox.data('POST', ORDER, market)).toMatchObject({
      price: '60000',
      amount: '150',
    });
    await testSandbox.time.advance(20);
    const reducing = { ...market, order_type: 'SHORT', reduce_only: true, is_stoploss: true };
    expect(await testSandbox.data('POST', ORDER, reducing)).toMatchObject({ amount: '0' });
  });

  test('a market order may have any price, as in the example of the interface', async () => {
    const market = order({ trigger_type: 'MARKET', order_price: 12445627 });
    expect(await testSandbox.data('POST', ORDER, market)).toMatchObject({ price: '60000' });
    testSandbox = openTestSandbox({ assumptions: { v1MarketPrice: 'in-range' } });
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '60000' });
    expect(await testSandbox.refusal('POST', ORDER, market)).toEqual([
      400,
      'order price out of permissible range',
    ]);
  });

  test('a market order needs no price where that is assumed; a limit order always does', async () => {
    const bare = { trigger_type: 'MARKET', order_price: undefined };
    expect(await testSandbox.refusal('POST', ORDER, order(bare))).toEqual([400, 'Params error']);
    testSandbox = openTestSandbox({ switches: { v1MarketPriceField: 'optional' } });
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '60000' });
    expect(await testSandbox.data('POST', ORDER, order(bare))).toMatchObject({ price: '60000' });
    expect(await testSandbox.refusal('POST', ORDER, order({ order_price: undefined }))).toEqual([
      400,
      'Params error',
    ]);
  });

  test('a client order id is ignored like any unknown field', async () => {
    const named = order({ client_order_id: 'mine', desired_amount: '5' });
    expect((await testSandbox.call('POST', ORDER, named)).status).toBe(202);
    expect(await testSandbox.data('POST', ORDER, named)).toMatchObject({ client_order_id: null });
    const detail = '/fapi/v1/futures/orders/detail?client_order_id=mine';
    expect(await testSandbox.refusal('GET', detail)).toEqual([404, 'order not found']);
  });

  test('the flags create stop and target orders', async () => {
    const guarded = { is_stoploss: true, stoploss_price: 49_000, is_takeprofit: true };
    await testSandbox.call('POST', ORDER, order({ ...guarded, takeprofit_price: 52_000 }));
    const rows = (await testSandbox.data('GET', '/fapi/v1/futures/orders')) as {
      order_type: string;
    }[];
    expect(rows.map((row) => row.order_type).toSorted()).toEqual([
      'LONG',
      'STOPLOSS',
      'TAKEPROFIT',
    ]);
  });

  test.each([
    ['a foreign currency', { trade_currency: 'EUR' }, 'Invalid trade currency'],
    ['an unknown trigger', { trigger_type: 'STOP' }, 'invalid trigger type'],
    ['an unknown side', { order_type: 'BUY' }, 'invalid order type'],
    ['no leverage', { leverage: undefined }, 'Params error'],
    ['an invalid leverage', { leverage: 'x' }, 'Params error'],
    ['no quantity', { quantity: null }, 'Params error'],
    ['no price', { order_price: undefined }, 'Params error'],
    ['no price of a market order', { order_price: '', trigger_type: 'MARKET' }, 'Params error'],
    ['an invalid flag', { reduce_only: 'true' }, 'Params error'],
    ['a stop without a price', { is_stoploss: true }, 'Params error'],
    ['a target without a price', { is_takeprofit: true }, 'Params error'],
    ['a price of zero', { order_price: 0 }, 'order price out of permissible range'],
    ['a price out of range', { order_price: 2_999_999 }, 'order price out of permissible range'],
    ['a price off the step', { order_price: 50_000.05 }, 'price not a multiple of the price step'],
    [
      'a quantity off the step',
      { quantity: '0.0101' },
      'quantity not a multiple of the quantity step',
    ],
    ['too much leverage', { leverage: 101 }, 'leverage out of permissible range'],
    ['leverage off the step', { leverage: 4.005 }, 'leverage out of permissible range'],
    [
      'too little value',
      { quantity: 0.001, order_price: 4_000 },
      'order value less than minimum required value',
    ],
    ['more than the balance', { quantity: 10 }, 'insufficient balance'],
    [
      'a stop on the wrong side',
      { is_stoploss: true, stoploss_price: 51_000 },
      'invalid stop loss price',
    ],
    ['a reduction of nothing', { reduce_only: true }, 'reduce only order in new position'],
  ])('a v1 order with %s is refused', async (_name, change, text) => {
    const { status, json } = await testSandbox.call('POST', ORDER, order(change));
    expect(status).toBe(400);
    expect(json).toEqual({ success: false, errors: [{ code: 400, text }] });
    expect(await testSandbox.data('GET', '/fapi/v1/futures/orders')).toEqual([]);
  });

  test('the currency is checked first, then the enums, then types', async () => {
    const worst = { trade_currency: 'EUR', trigger_type: 'STOP', order_type: 'BUY', leverage: 'x' };
    const texts = ['Invalid trade currency', 'invalid trigger type', 'invalid order type'];
    const body: Record<string, unknown> = order(worst);
    for (const [index, text] of texts.entries()) {
      expect(await testSandbox.refusal('POST', ORDER, body)).toEqual([400, text]);
      delete body[Object.keys(worst)[index] ?? ''];
      if (index === 1) body['trigger_type'] = 'LIMIT';
      if (index === 0) continue;
      if (index === 2) body['order_type'] = 'LONG';
    }
    expect(await testSandbox.refusal('POST', ORDER, body)).toEqual([400, 'Params error']);
  });

  test('a v1 order of an unknown asset is not found', async () => {
    const unknown = '/fapi/v1/futures/BTCUSDT/order';
    expect(await testSandbox.refusal('POST', unknown, order())).toEqual([404, 'Asset not found']);
  });

  test('a v1 order passes with unsettled profit where v2 does not', async () => {
    const rich = await openFundedSandbox();
    const market = { trigger_type: 'MARKET', order_type: 'LONG', quantity: '0.7' };
    await rich.call('POST', '/fapi/v2/futures/order?symbol=BTCUSDT', market);
    await rich.time.advance(20);
    await rich.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '63000' });
    const more = { ...market, quantity: '0.15' };
    const v2 = await rich.refusal('POST', '/fapi/v2/futures/order?symbol=BTCUSDT', more);
    expect(v2).toEqual([400, 'insufficient balance']);
    const v1 = await rich.call('POST', ORDER, { ...more, leverage: 5, order_price: 63_000 });
    expect(v1.status).toBe(202);
  });
});
