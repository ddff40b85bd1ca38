import { beforeEach, describe, expect, test } from 'vitest';
import {
  marketOrder,
  ORDER_PATH,
  readyToTrade,
  type TestSandbox,
} from '../../test/harness/test-sandbox.js';
import { shapeOf } from '../../test/harness/wire-shape.js';

const POSITIONS = '/fapi/v1/futures/positions';
const NOBODY = '01969d00-0000-7000-8000-000000000000';

let desk: TestSandbox;
let positionId: string;
beforeEach(async () => {
  desk = await readyToTrade();
  await desk.call('POST', ORDER_PATH, marketOrder('entry'));
  await desk.time.advance(20);
  positionId = (await row())['id'] as string;
});

const riskOrder = (id = positionId): string => `${POSITIONS}/${id}/riskorder`;
const row = async (): Promise<Record<string, Record<string, string> | string>> =>
  ((await desk.data('GET', POSITIONS)) as Record<string, string>[])[0] ?? {};
const legId = async (leg: 'stoploss' | 'takeprofit'): Promise<string> =>
  ((await row())[leg] as Record<string, string>)['order_id'] ?? '';

const stop = (price: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  is_stoploss: true,
  stoploss_price: price,
  ...more,
});
const both = { ...stop('58000'), is_takeprofit: true, takeprofit_price: '62000' };

describe('setting stop and target', () => {
  test('answers without their ids, which the position row tells', async () => {
    expect(await desk.data('POST', riskOrder(), { ...both, order_source: 'API' })).toEqual({
      position_id: positionId,
      status: 'CREATED',
      message: 'Risk order placed successfully',
    });
    const { stoploss, takeprofit } = await row();
    expect(stoploss).toMatchObject({ price: '58000', order_type: 'SHORT' });
    expect(takeprofit).toMatchObject({ price: '62000', order_type: 'SHORT' });
    expect(shapeOf(stoploss)).toEqual({ price: 'decimal', order_id: 'uuid', order_type: 'text' });
  });

  test('lists them as orders of their own, with their client ids', async () => {
    const named = { stoploss_client_order_id: 'sl-1', takeprofit_client_order_id: '' };
    await desk.call('POST', riskOrder(), { ...both, ...named });
    const rows = (await desk.data('GET', '/fapi/v1/futures/orders')) as Record<string, unknown>[];
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
    expect(await desk.data('GET', detail)).toMatchObject({ id: stopRow?.['id'] });
    const again = stop('57000', { stoploss_client_order_id: 'sl-1' });
    expect(await desk.refusal('POST', riskOrder(), again)).toEqual([
      409,
      'client order id already exists',
    ]);
  });

  test('ignores a leg whose flag is not set, and ids that are not its own', async () => {
    const more = { takeprofit_price: 'whatever', user_id: 'x', order_id: 'y', id: 'z' };
    expect((await desk.call('POST', riskOrder(), stop('58000', more))).status).toBe(200);
    expect(await row()).not.toHaveProperty('takeprofit');
  });

  test.each([
    ['no flag', { stoploss_price: '58000' }, 'Invalid request'],
    ['no price', { is_stoploss: true }, 'Invalid request'],
    ['a price that is none', stop('low'), 'Invalid request'],
    ['a flag that is none', { ...both, is_takeprofit: 'true' }, 'Invalid request'],
    ['a client id that is none', stop('58000', { stoploss_client_order_id: 7 }), 'Invalid request'],
    [
      'a client id with a blank',
      stop('58000', { stoploss_client_order_id: 'a b' }),
      'invalid order identifier',
    ],
    ['malformed JSON', '{"is_stoploss":', 'Invalid request'],
    ['a stop below the liquidation', stop('48000'), 'Risk order creation failed'],
    ['a stop of nothing', stop('0'), 'invalid stop loss price'],
  ])('refuses %s, and sets nothing', async (_name, body, text) => {
    expect(await desk.refusal('POST', riskOrder(), body)).toEqual([400, text]);
    expect(await row()).not.toHaveProperty('stoploss');
    expect(await row()).not.toHaveProperty('takeprofit');
  });
});

describe('editing stop and target', () => {
  beforeEach(async () => {
    await desk.call('POST', riskOrder(), { ...both, stoploss_client_order_id: 'sl-1' });
  });

  test('moves the leg that an order id names', async () => {
    const id = await legId('stoploss');
    const body = stop(59_000, { stoploss_order_id: id, trigger_type: 'MARKET', order_price: '1' });
    expect(await desk.data('PATCH', riskOrder(), body)).toEqual({
      message: 'Risk order amended successfully',
    });
    expect(await row()).toMatchObject({
      stoploss: { price: '59000', order_id: id },
      takeprofit: { price: '62000' },
    });
  });

  test('moves the leg that a client id names, and attaches none', async () => {
    const named = stop('59000', { stoploss_client_order_id: 'sl-1' });
    expect((await desk.call('PATCH', riskOrder(), named)).status).toBe(200);
    expect(await row()).toMatchObject({ stoploss: { price: '59000' } });
    const target = { is_takeprofit: true, takeprofit_price: '63000' };
    const withId = { ...target, takeprofit_order_id: await legId('takeprofit') };
    const body = { ...withId, takeprofit_client_order_id: 'tp-new' };
    expect((await desk.call('PATCH', riskOrder(), body)).status).toBe(200);
    const detail = '/fapi/v1/futures/orders/detail?client_order_id=tp-new';
    expect(await desk.refusal('GET', detail)).toEqual([404, 'order not found']);
  });

  test('moves both at once, or neither', async () => {
    const ids = {
      stoploss_order_id: await legId('stoploss'),
      takeprofit_order_id: await legId('takeprofit'),
    };
    const moved = { ...both, ...ids, stoploss_price: '57000', takeprofit_price: '63000' };
    expect((await desk.call('PATCH', riskOrder(), moved)).status).toBe(200);
    expect(await row()).toMatchObject({
      stoploss: { price: '57000' },
      takeprofit: { price: '63000' },
    });
    const half = { ...moved, stoploss_price: '56000', takeprofit_order_id: NOBODY };
    expect((await desk.call('PATCH', riskOrder(), half)).status).not.toBe(200);
    expect(await row()).toMatchObject({ stoploss: { price: '57000' } });
  });

  test('makes a limit of it with trigger_type, and says so on the order', async () => {
    const { stoploss } = await row();
    const id = (stoploss as unknown as { order_id: string }).order_id;
    const body = stop('57000', { stoploss_order_id: id, trigger_type: 'LIMIT' });
    expect((await desk.call('PATCH', riskOrder(), body)).status).toBe(200);
    const shown = () => desk.data('GET', `/fapi/v1/futures/orders/${id}`);
    expect(await shown()).toMatchObject({ order_type: 'STOPLOSS', trigger_type: 'LIMIT' });
    const kept = stop('57500', { stoploss_order_id: id });
    expect((await desk.call('PATCH', riskOrder(), kept)).status).toBe(200);
    expect(await shown()).toMatchObject({ trigger_type: 'LIMIT', price: 57_500 });
    await desk.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '57000' });
    expect(await shown()).toMatchObject({ status: 'CREATED' });
    await desk.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '57600' });
    expect(await shown()).toMatchObject({ status: 'FILLED', filled_price: 57_500 });
  });

  test('is the one that knows a trigger_type: setting ignores it like any field it does not know', async () => {
    const body = stop('58500', { trigger_type: 'STOP' });
    expect((await desk.call('POST', riskOrder(), body)).status).toBe(200);
  });

  test.each([
    ['no ids', stop('59000'), 'risk order id missing'],
    ['an empty id', stop('59000', { stoploss_order_id: '' }), 'risk order id missing'],
    ['one id of two', { ...both, stoploss_client_order_id: 'sl-1' }, 'risk order id missing'],
    ['an unknown trigger', stop('59000', { trigger_type: 'STOP' }), 'Invalid request'],
    ['no flag', { stoploss_price: '59000' }, 'Invalid request'],
    ['no price', { is_stoploss: true, stoploss_client_order_id: 'sl-1' }, 'Invalid request'],
    ['an id that is none', stop('59000', { stoploss_order_id: 5 }), 'Invalid request'],
    ['malformed JSON', '[]', 'Invalid request'],
  ])('refuses %s, and moves nothing', async (_name, body, text) => {
    expect(await desk.refusal('PATCH', riskOrder(), body)).toEqual([400, text]);
    expect(await row()).toMatchObject({
      stoploss: { price: '58000' },
      takeprofit: { price: '62000' },
    });
  });
});

describe('stop and target of a position that is not open', () => {
  test.each(['POST', 'PATCH'])(
    '%s tells an unknown one from one that is not open',
    async (method) => {
      expect(await desk.refusal(method, riskOrder(NOBODY), both)).toEqual([
        404,
        'Position not found',
      ]);
      expect(await desk.refusal(method, riskOrder('nonsense'), both)).toEqual([
        404,
        'Position not found',
      ]);
      await desk.call('POST', `${POSITIONS}/${positionId}/close`);
      await desk.time.advance(20);
      expect(await desk.refusal(method, riskOrder(), both)).toEqual([
        400,
        'Position is not in OPEN state',
      ]);
    },
  );
});
