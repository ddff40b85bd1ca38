import { beforeEach, describe, expect, test } from 'vitest';
import {
  limitOrder,
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  openFundedSandbox,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';
import { shapeOf } from '../../../test/support/builders/wire-shape.js';
import type { SandboxOptions } from '../sandbox.js';

const POSITIONS = '/fapi/v1/futures/positions';
const UNKNOWN_ID = '01969d00-0000-7000-8000-000000000000';
const DETAIL = '/fapi/v1/futures/orders/detail';

let testSandbox: TestSandbox;
let positionId: string;

async function open(options: SandboxOptions = {}): Promise<void> {
  testSandbox = await openFundedSandbox(options);
  await testSandbox.call('POST', ORDER_PATH, marketOrder('entry'));
  await testSandbox.time.advance(20);
  positionId = (await row())['id'] ?? '';
}
beforeEach(() => open());

const at = (action: string, id = positionId): string => `${POSITIONS}/${id}/${action}`;
const row = async (): Promise<Record<string, string>> =>
  ((await testSandbox.data('GET', POSITIONS)) as Record<string, string>[] | null)?.[0] ?? {};
const history = () =>
  testSandbox.data('GET', `${POSITIONS}/history`) as Promise<Record<string, string>[]>;
const post = (path: string, body?: unknown) =>
  testSandbox.data('POST', path, body) as Promise<Record<string, string>>;

describe('margin changes', () => {
  test('the answer has the new margin and liquidation price, in strings', async () => {
    const before = await row();
    const answer = await post(at('add-margin'), { margin: 10.5 });
    expect(answer).toEqual({
      message: 'OK',
      initial_margin: '130.7832',
      liquidation_price: expect.any(String) as string,
      trade_currency: 'USDT',
    });
    const after = await row();
    expect(after).toMatchObject({
      initial_margin: '130.7832',
      liquidation_price: answer['liquidation_price'],
    });
    expect(Number(after['liquidation_price'])).toBeLessThan(Number(before['liquidation_price']));
    expect(await post(at('add-margin'), { margin: '-10.5' })).toMatchObject({
      initial_margin: before['initial_margin'],
      liquidation_price: before['liquidation_price'],
    });
  });

  test.each([
    ['more than is free', { margin: 1e9 }, 400, 'Insufficient funds'],
    ['an exponent in a text', { margin: '-1e9' }, 400, 'Params error'],
    ['more back than there is', { margin: -1e9 }, 400, 'Insufficient funds'],
    ['nothing', { margin: 0 }, 400, 'Params error'],
    ['finer than money is', { margin: '0.000000001' }, 400, 'Params error'],
    ['no margin', {}, 400, 'Params error'],
    ['an invalid margin', { margin: true }, 400, 'Params error'],
    ['malformed JSON', '{', 400, 'Params error'],
  ])('a change of %s is refused and moves nothing', async (_name, body, status, text) => {
    const before = await row();
    expect(await testSandbox.refusal('POST', at('add-margin'), body)).toEqual([status, text]);
    expect(await row()).toEqual(before);
  });

  test('an unknown position and one that is not open have different refusals', async () => {
    const body = { margin: 1 };
    expect(await testSandbox.refusal('POST', at('add-margin', UNKNOWN_ID), body)).toEqual([
      404,
      'Position not found',
    ]);
    await testSandbox.call('POST', at('close'));
    await testSandbox.time.advance(20);
    expect(await testSandbox.refusal('POST', at('add-margin'), body)).toEqual([
      400,
      'Position is not in OPEN state',
    ]);
  });
});

describe('a float margin', () => {
  test.each([
    [0.30000000000000004, '0.3', '120.5832'],
    ['0.30000000000000004', '0.3', '120.5832'],
    [1.1 + 2.2, '3.3', '123.5832'],
  ])('a margin of %j adds %s', async (margin, added, after) => {
    const locked = async (): Promise<number> =>
      Number(
        ((await testSandbox.data('GET', '/fapi/v1/futures/funds')) as Record<string, string>)[
          'locked_amount'
        ],
      );
    const before = await locked();
    expect(await post(at('add-margin'), { margin })).toMatchObject({ message: 'OK' });
    expect((await locked()) - before).toBeCloseTo(Number(added), 8);
    expect((await row())['initial_margin']).toBe(after);
  });
});

describe('a partial close', () => {
  const market = (quantity: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
    order_type: 'MARKET',
    quantity,
    ...more,
  });

  test('a partial close answers true, and its row in the history has its order id', async () => {
    expect(await post(at('close/partial'), market('0.004', { client_order_id: 'part' }))).toBe(
      true,
    );
    await testSandbox.time.advance(20);
    expect(await row()).toMatchObject({ quantity: '0.006', position_id: positionId });
    const order = (await testSandbox.data('GET', `${DETAIL}?client_order_id=part`)) as {
      id: string;
    };
    expect(await history()).toMatchObject([
      { status: 'PARTIAL', quantity: '0.004', order_id: order.id, position_id: positionId },
    ]);
  });

  test.each([
    ['exempt', 200],
    ['checked', 400],
  ] as const)('below the minimum order value is %s', async (partialCloseNotional, status) => {
    testSandbox = openTestSandbox({ assumptions: { partialCloseNotional } });
    await testSandbox.call('POST', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol', {
      leverage: '5',
    });
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '3000' });
    await testSandbox.call('POST', ORDER_PATH, marketOrder('entry'));
    await testSandbox.time.advance(20);
    const { id } = await row();
    const answer = await testSandbox.call('POST', at('close/partial', id), market('0.001'));
    expect(answer.status).toBe(status);
    await testSandbox.time.advance(20);
    expect(await row()).toMatchObject({ quantity: status === 200 ? '0.009' : '0.01' });
  });

  test('a partial close answers with an object (other answer)', async () => {
    await open({ switches: { partialCloseReply: 'object' } });
    const answer = await post(at('close/partial'), market(0.004));
    expect(answer).toEqual({
      order_id: expect.any(String) as string,
      position_id: positionId,
      quantity: '0.004',
    });
    await testSandbox.time.advance(20);
    expect(await history()).toMatchObject([{ order_id: answer['order_id'] }]);
  });

  test('a partial close at a limit price rests', async () => {
    const limit = { order_type: 'LIMIT', quantity: '0.004', limit_price: '61000.0' };
    expect(await post(at('close/partial'), limit)).toBe(true);
    await testSandbox.time.advance(20);
    expect(await testSandbox.data('GET', '/fapi/v1/futures/orders')).toMatchObject([
      {
        order_type: 'SHORT',
        trigger_type: 'LIMIT',
        price: 61_000,
        quantity: 0.004,
        status: 'CREATED',
      },
    ]);
    expect(await row()).toMatchObject({ quantity: '0.01' });
  });

  test.each([
    ['all of it', market('0.01'), 400, 'order quantity out of permissible range'],
    ['more than there is', market('0.02'), 400, 'order quantity out of permissible range'],
    ['nothing', market('0'), 400, 'order quantity out of permissible range'],
    ['off the step', market('0.0005'), 400, 'quantity not a multiple of the quantity step'],
    ['no quantity', market(undefined), 400, 'Params error'],
    ['an invalid quantity', market('some'), 400, 'Params error'],
    ['no type', { quantity: '0.004' }, 400, 'Params error'],
    ['a direction for a type', market('0.004', { order_type: 'SHORT' }), 400, 'Params error'],
    ['a limit without a price', market('0.004', { order_type: 'LIMIT' }), 400, 'Params error'],
    [
      'a used client id',
      market('0.004', { client_order_id: 'entry' }),
      409,
      'client order id already exists',
    ],
    [
      'a bad client id',
      market('0.004', { client_order_id: 'a b' }),
      400,
      'invalid order identifier',
    ],
    ['malformed JSON', '{', 400, 'Params error'],
  ])('a partial close of %s is refused and closes nothing', async (_name, body, status, text) => {
    expect(await testSandbox.refusal('POST', at('close/partial'), body)).toEqual([status, text]);
    await testSandbox.time.advance(20);
    expect(await row()).toMatchObject({ quantity: '0.01' });
    expect(await testSandbox.data('GET', '/fapi/v1/futures/orders')).toEqual([]);
  });
});

describe('a close', () => {
  test('a close needs no body, answers at once and fills shortly after', async () => {
    const answer = await post(at('close'));
    expect(answer).toEqual({
      order_id: expect.any(String) as string,
      position_id: positionId,
      status: 'CREATED',
      message: 'OK',
    });
    await testSandbox.time.advance(20);
    expect(await testSandbox.data('GET', POSITIONS)).toBeNull();
    expect(await history()).toMatchObject([{ status: 'CLOSED', order_id: answer['order_id'] }]);
  });

  test('a close accepts a body with any currency', async () => {
    expect(await post(at('close'), { trade_currency: 'INR' })).toMatchObject({ status: 'CREATED' });
  });

  test('a close answers with another position id (quirk)', async () => {
    await open({ switches: { closeReplyPositionId: 'foreign' } });
    const answer = await post(at('close'));
    expect(shapeOf(answer)).toMatchObject({ position_id: 'uuid' });
    expect(answer['position_id']).not.toBe(positionId);
    await testSandbox.time.advance(20);
    expect(await testSandbox.data('GET', POSITIONS)).toBeNull();
  });
});

describe('a reverse', () => {
  /** Keys and types of a live sample, and of order create (supplement: part 11.2). */
  const SHAPE = {
    leverage: 'decimal',
    amount: 'decimal',
    quantity: 'decimal',
    price: 'decimal',
    order_id: 'uuid',
    status: 'text',
    message: 'text',
    client_order_id: 'null',
    position_id: 'uuid',
  };

  test('a reverse is answered with 202, the open quantity and twice its value', async () => {
    const { status, json } = await testSandbox.call('POST', at('reverse'));
    expect(status).toBe(202);
    const { data } = json as { data: Record<string, string> };
    expect(shapeOf(data)).toEqual(SHAPE);
    expect(data).toMatchObject({
      leverage: '5',
      amount: '1200',
      quantity: '0.01',
      price: '60000',
      status: 'CREATED',
      message: 'OK',
      position_id: positionId,
    });
    const order = `/fapi/v1/futures/orders/${data['order_id']}`;
    expect(await testSandbox.data('GET', order)).toMatchObject({
      order_type: 'SHORT',
      quantity: 0.02,
    });
    await testSandbox.time.advance(20);
    expect(await row()).toMatchObject({ order_type: 'SHORT', quantity: '0.01', id: positionId });
    expect(await history()).toMatchObject([
      { status: 'CLOSED', order_id: data['order_id'], quantity: '0.01' },
    ]);
  });

  test('a reverse answers with twice the quantity (other answer)', async () => {
    await open({ switches: { reverseReplyQuantity: 'twice' } });
    expect(await post(at('reverse'))).toMatchObject({ quantity: '0.02', amount: '1200' });
  });
});

describe.each(['close', 'reverse', 'close/partial'])('%s', (action) => {
  const body = { order_type: 'MARKET', quantity: '0.004' };

  test('an unknown position is not found', async () => {
    for (const id of [UNKNOWN_ID, 'nonsense', '%2F']) {
      expect(await testSandbox.refusal('POST', at(action, id), body)).toEqual([
        404,
        'Position not found',
      ]);
    }
  });

  test('a position that is not open is refused', async () => {
    const { position_id: initiated } = (await testSandbox.data(
      'POST',
      '/fapi/v2/futures/order?symbol=BTCUSDT',
      limitOrder('inr', '50000', { trade_currency: 'USDT' }),
    )) as { position_id: string };
    expect(initiated).toBe(positionId);
    await testSandbox.call('POST', '/fapi/v1/futures/ETHUSDT/leverage?is_symbol', { leverage: 2 });
    const eth = limitOrder('eth', '1000', { quantity: '0.1' });
    const waiting = (await testSandbox.data(
      'POST',
      '/fapi/v2/futures/order?symbol=ETHUSDT',
      eth,
    )) as {
      position_id: string;
    };
    const notOpen = [400, 'position is not open'];
    expect(await testSandbox.refusal('POST', at(action, waiting.position_id), body)).toEqual(
      notOpen,
    );
    await testSandbox.call('POST', at('close'));
    await testSandbox.time.advance(20);
    expect(await testSandbox.refusal('POST', at(action), body)).toEqual(notOpen);
  });

  test('a body that is not a JSON object is refused', async () => {
    expect(await testSandbox.refusal('POST', at(action), '[1]')).toEqual([400, 'Params error']);
  });
});
