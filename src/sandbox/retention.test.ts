import { describe, expect, test } from 'vitest';
import {
  limitOrder,
  ORDER_PATH,
  readyToTrade,
  type TestSandbox,
} from '../../test/harness/test-sandbox.js';

const ORDERS = '/fapi/v1/futures/orders';
type Rows = readonly Readonly<Record<string, unknown>>[];

const cancel = (desk: TestSandbox, id: string) =>
  desk.call('DELETE', `${ORDERS}?client_order_id=${id}`);

async function placeAndCancel(desk: TestSandbox, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await desk.call('POST', ORDER_PATH, limitOrder(id, '59000'));
    await desk.time.advance(100);
    expect((await cancel(desk, id)).status).toBe(200);
  }
}

const idsOf = async (desk: TestSandbox, target: string) =>
  ((await desk.data('GET', target)) as Rows).map((row) => row['client_order_id']);

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

describe('a sandbox that retains two orders', () => {
  test('does not find the third, and refuses its id all the same', async () => {
    const desk = await readyToTrade({ retainOrders: 2 });
    await placeAndCancel(desk, ['a', 'b', 'c']);
    expect(await idsOf(desk, `${ORDERS}/history`)).toEqual(['c', 'b']);
    expect((await desk.call('GET', `${ORDERS}/detail?client_order_id=a`)).status).toBe(404);
    expect((await cancel(desk, 'a')).status).toBe(404);
    const again = await desk.refusal('POST', ORDER_PATH, limitOrder('a', '59000'));
    const known = await desk.refusal('POST', ORDER_PATH, limitOrder('c', '59000'));
    expect(again).toEqual(known);
    expect(again[0]).toBe(409);
  });

  test('forgets deliveries and versions of orders that are gone', async () => {
    const desk = await readyToTrade({ retainOrders: 2, switches: { readLagMs: 50 } });
    await placeAndCancel(desk, numbered(400));
    await desk.time.advance(1_000);
    const state = JSON.parse(desk.sandbox.state()) as {
      readonly deliveries: Readonly<Record<string, number>>;
      readonly orders: Rows;
    };
    expect(state.orders).toHaveLength(2);
    expect(Object.keys(state.deliveries).length).toBeLessThanOrEqual(6);
    expect(await idsOf(desk, `${ORDERS}/history`)).toEqual(['id-399', 'id-398']);
    expect(await desk.data('GET', ORDERS)).toEqual([]);
  });
});

test('a sandbox told to retain 0 orders remembers all of them', async () => {
  const desk = await readyToTrade({ retainOrders: 0 });
  await placeAndCancel(desk, numbered(50));
  expect(await idsOf(desk, `${ORDERS}/history?limit=100`)).toHaveLength(50);
});

describe('a page of lagging lists', () => {
  test('is cut after the past is restored, not before', async () => {
    const desk = await readyToTrade({ switches: { readLagMs: 1_000 } });
    for (const id of ['a', 'b']) await desk.call('POST', ORDER_PATH, limitOrder(id, '59000'));
    await desk.time.advance(2_000);
    await desk.call('POST', ORDER_PATH, limitOrder('c', '59000'));
    expect(await idsOf(desk, `${ORDERS}?limit=1`)).toEqual(['b']);
    expect(await idsOf(desk, `${ORDERS}?limit=1&offset=1`)).toEqual(['a']);
  });
});

test('reads lag right through the sweeps that forget older versions', async () => {
  const desk = await readyToTrade({ switches: { readLagMs: 2_000 } });
  const placed = (await desk.data('POST', ORDER_PATH, limitOrder('a', '50000'))) as {
    readonly order_id: string;
  };
  const wrong: number[] = [];
  for (let second = 1; second <= 1_300; second += 1) {
    const order_price = String(50_000 + second);
    await desk.call('PATCH', `${ORDERS}/${placed.order_id}`, { order_price, quantity: '0.01' });
    const [row] = (await desk.data('GET', ORDERS)) as Rows;
    const expected = second < 3 ? undefined : 50_000 + second - 2;
    if (expected !== undefined && Number(row?.['price']) !== expected) wrong.push(second);
    await desk.time.advance(1_000);
  }
  expect(wrong).toEqual([]);
});
