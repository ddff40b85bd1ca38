import { beforeEach, describe, expect, test } from 'vitest';
import {
  marketOrder,
  ORDER_PATH,
  openFundedSandbox,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';
import { shapeOf } from '../../../test/support/builders/wire-shape.js';

const POSITIONS = '/fapi/v1/futures/positions';
const UNKNOWN_ID = '01969d00-0000-7000-8000-000000000000';

let testSandbox: TestSandbox;
let positionId: string;
beforeEach(async () => {
  testSandbox = await openFundedSandbox();
  await testSandbox.call('POST', ORDER_PATH, marketOrder('entry'));
  await testSandbox.time.advance(20);
  positionId = (await row())['id'] as string;
});

const riskOrder = (id = positionId): string => `${POSITIONS}/${id}/riskorder`;
const row = async (): Promise<Record<string, Record<string, string> | string>> =>
  ((await testSandbox.data('GET', POSITIONS)) as Record<string, string>[])[0] ?? {};
const riskOrderId = async (key: 'stoploss' | 'takeprofit'): Promise<string> =>
  ((await row())[key] as Record<string, string>)['order_id'] ?? '';

const stop = (price: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  is_stoploss: true,
  stoploss_price: price,
  ...more,
});
const both = { ...stop('58000'), is_takeprofit: true, takeprofit_price: '62000' };

describe('setting stop and target', () => {
  test('the answer omits the ids, which the position row has', async () => {
    expect(await testSandbox.data('POST', riskOrder(), { ...both, order_source: 'API' })).toEqual({
      position_id: positionId,
      status: 'CREATED',
      message: 'Risk order placed successfully',
    });
    const { stoploss, takeprofit } = await row();
    expect(stoploss).toMatchObject({ price: '58000', order_type: 'SHORT' });
    expect(takeprofit).toMatchObject({ price: '62000', order_type: 'SHORT' });
    expect(shapeOf(stoploss)).toEqual({ price: 'decimal', order_id: 'uuid', order_type: 'text' });
  });

  test('stop and target are listed as orders of their own, with their client ids', async () => {
    const named = { stoploss_client_order_id: 'sl-1', takeprofit_client_order_id: '' };
    await testSandbox.call('POST', riskOrder(), { ...both, ...named });
    const rows = (await testSandbox.data('GET', '/fapi/v1/futures/orders')) as Record<
      string,
      unknown
    >[];
    const stopRow = rows.find((order) => order['order_type'] === 'STOPLOSS');
    expect(stopRow).toMatchObject({
      client_order_id: 'sl-1',
      trigger_type: 'MARKET',
      status: 'CREATED',
      price: 58_000,
      quantity: 0,
      filled_quantity: 0,
      filled_price: 0,
      actual_amount: 0,
      leverage: 0,
      reason: null,
      future_position_uuid: positionId,
    });
    const detail = '/fapi/v1/futures/orders/detail?client_order_id=sl-1';
    expect(await testSandbox.data('GET', detail)).toMatchObject({ id: stopRow?.['id'] });
    const again = stop('57000', { stoploss_client_order_id: 'sl-1' });
    expect(await testSandbox.refusal('POST', riskOrder(), again)).toEqual([
      409,
      'client order id already exists',
    ]);
  });

  test('a stop or target without its flag, and unknown ids, are ignored', async () => {
    const more = { takeprofit_price: 'any text', user_id: 'x', order_id: 'y', id: 'z' };
    expect((await testSandbox.call('POST', riskOrder(), stop('58000', more))).status).toBe(200);
    expect(await row()).not.toHaveProperty('takeprofit');
  });

  test.each([
    ['no flag', { stoploss_price: '58000' }, 'Invalid request'],
    ['no price', { is_stoploss: true }, 'Invalid request'],
    ['an invalid price', stop('low'), 'Invalid request'],
    ['an invalid flag', { ...both, is_takeprofit: 'true' }, 'Invalid request'],
    ['an invalid client id', stop('58000', { stoploss_client_order_id: 7 }), 'Invalid request'],
    [
      'a client id with a blank',
      stop('58000', { stoploss_client_order_id: 'a b' }),
      'invalid order identifier',
    ],
    ['malformed JSON', '{"is_stoploss":', 'Invalid request'],
    ['a stop below the liquidation', stop('48000'), 'Risk order creation failed'],
    ['a stop of nothing', stop('0'), 'invalid stop loss price'],
  ])('%s is refused and sets nothing', async (_name, body, text) => {
    expect(await testSandbox.refusal('POST', riskOrder(), body)).toEqual([400, text]);
    expect(await row()).not.toHaveProperty('stoploss');
    expect(await row()).not.toHaveProperty('takeprofit');
  });
});

describe('editing stop and target', () => {
  beforeEach(async () => {
    await testSandbox.call('POST', riskOrder(), { ...both, stoploss_client_order_id: 'sl-1' });
  });

  test('an order id names the stop or target to move', async () => {
    const id = await riskOrderId('stoploss');
    const body = stop(59_000, { stoploss_order_id: id, trigger_type: 'MARKET', order_price: '1' });
    expect(await testSandbox.data('PATCH', riskOrder(), body)).toEqual({
      message: 'Risk order amended successfully',
    });
    expect(await row()).toMatchObject({
      stoploss: { price: '59000', order_id: id },
      takeprofit: { price: '62000' },
    });
  });

  test('a client id names the stop or target to move, and is not attached', async () => {
    const named = stop('59000', { stoploss_client_order_id: 'sl-1' });
    expect((await testSandbox.call('PATCH', riskOrder(), named)).status).toBe(200);
    expect(await row()).toMatchObject({ stoploss: { price: '59000' } });
    const target = { is_takeprofit: true, takeprofit_price: '63000' };
    const withId = { ...target, takeprofit_order_id: await riskOrderId('takeprofit') };
    const body = { ...withId, takeprofit_client_order_id: 'tp-new' };
    expect((await testSandbox.call('PATCH', riskOrder(), body)).status).toBe(200);
    const detail = '/fapi/v1/futures/orders/detail?client_order_id=tp-new';
    expect(await testSandbox.refusal('GET', detail)).toEqual([404, 'order not found']);
  });

  test('both move, or neither', async () => {
    const ids = {
      stoploss_order_id: await riskOrderId('stoploss'),
      takeprofit_order_id: await riskOrderId('takeprofit'),
    };
    const moved = { ...both, ...ids, stoploss_price: '57000', takeprofit_price: '63000' };
    expect((await testSandbox.call('PATCH', riskOrder(), moved)).status).toBe(200);
    expect(await row()).toMatchObject({
      stoploss: { price: '57000' },
      takeprofit: { price: '63000' },
    });
    const half = { ...moved, stoploss_price: '56000', takeprofit_order_id: UNKNOWN_ID };
    expect((await testSandbox.call('PATCH', riskOrder(), half)).status).not.toBe(200);
    expect(await row()).toMatchObject({ stoploss: { price: '57000' } });
  });

  test('trigger_type makes a stop or target a limit order, and the order shows it', async () => {
    const { stoploss } = await row();
    const id = (stoploss as unknown as { order_id: string }).order_id;
    const body = stop('57000', { stoploss_order_id: id, trigger_type: 'LIMIT' });
    expect((await testSandbox.call('PATCH', riskOrder(), body)).status).toBe(200);
    const shown = () => testSandbox.data('GET', `/fapi/v1/futures/orders/${id}`);
    expect(await shown()).toMatchObject({ order_type: 'STOPLOSS', trigger_type: 'LIMIT' });
    const kept = stop('57500', { stoploss_order_id: id });
    expect((await testSandbox.call('PATCH', riskOrder(), kept)).status).toBe(200);
    expect(await shown()).toMatchObject({ trigger_type: 'LIMIT', price: 57_500 });
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '57000' });
    expect(await shown()).toMatchObject({ status: 'CREATED' });
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '57600' });
    expect(await shown()).toMatchObject({ status: 'FILLED', filled_price: 57_500 });
  });

  test('only an edit reads trigger_type: setting ignores it like any unknown field', async () => {
    const body = stop('58500', { trigger_type: 'STOP' });
    expect((await testSandbox.call('POST', riskOrder(), body)).status).toBe(200);
  });

  test.each([
    ['no ids', stop('59000'), 'risk order id missing'],
    ['an empty id', stop('59000', { stoploss_order_id: '' }), 'risk order id missing'],
    ['one id of two', { ...both, stoploss_client_order_id: 'sl-1' }, 'risk order id missing'],
    ['an unknown trigger', stop('59000', { trigger_type: 'STOP' }), 'Invalid request'],
    ['no flag', { stoploss_price: '59000' }, 'Invalid request'],
    ['no price', { is_stoploss: true, stoploss_client_order_id: 'sl-1' }, 'Invalid request'],
    ['an invalid id', stop('59000', { stoploss_order_id: 5 }), 'Invalid request'],
    ['malformed JSON', '[]', 'Invalid request'],
  ])('%s is refused and moves nothing', async (_name, body, text) => {
    expect(await testSandbox.refusal('PATCH', riskOrder(), body)).toEqual([400, text]);
    expect(await row()).toMatchObject({
      stoploss: { price: '58000' },
      takeprofit: { price: '62000' },
    });
  });
});

describe('stop and target of a position that is not open', () => {
  test.each(['POST', 'PATCH'])(
    '%s has different refusals for an unknown position and one that is not open',
    async (method) => {
      expect(await testSandbox.refusal(method, riskOrder(UNKNOWN_ID), both)).toEqual([
        404,
        'Position not found',
      ]);
      expect(await testSandbox.refusal(method, riskOrder('nonsense'), both)).toEqual([
        404,
        'Position not found',
      ]);
      await testSandbox.call('POST', `${POSITIONS}/${positionId}/close`);
      await testSandbox.time.advance(20);
      expect(await testSandbox.refusal(method, riskOrder(), both)).toEqual([
        400,
        'Position is not in OPEN state',
      ]);
    },
  );
});
