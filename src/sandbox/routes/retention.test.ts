import { describe, expect, test } from 'vitest';
import {
  limitOrder,
  ORDER_PATH,
  openFundedSandbox,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';

const ORDERS = '/fapi/v1/futures/orders';
type Rows = readonly Readonly<Record<string, unknown>>[];

const cancel = (testSandbox: TestSandbox, id: string) =>
  testSandbox.call('DELETE', `${ORDERS}?client_order_id=${id}`);

async function placeAndCancel(testSandbox: TestSandbox, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await testSandbox.call('POST', ORDER_PATH, limitOrder(id, '59000'));
    await testSandbox.time.advance(100);
    expect((await cancel(testSandbox, id)).status).toBe(200);
  }
}

const idsOf = async (testSandbox: TestSandbox, target: string) =>
  ((await testSandbox.data('GET', target)) as Rows).map((row) => row['client_order_id']);

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

describe('a sandbox that retains two orders', () => {
  test('the third order is not found, and its id is refused all the same', async () => {
    const testSandbox = await openFundedSandbox({ retainOrders: 2 });
    await placeAndCancel(testSandbox, ['a', 'b', 'c']);
    expect(await idsOf(testSandbox, `${ORDERS}/history`)).toEqual(['c', 'b']);
    expect((await testSandbox.call('GET', `${ORDERS}/detail?client_order_id=a`)).status).toBe(404);
    expect((await cancel(testSandbox, 'a')).status).toBe(404);
    const again = await testSandbox.refusal('POST', ORDER_PATH, limitOrder('a', '59000'));
    const known = await testSandbox.refusal('POST', ORDER_PATH, limitOrder('c', '59000'));
    expect(again).toEqual(known);
    expect(again[0]).toBe(409);
  });

  test('deliveries and versions of evicted orders are dropped', async () => {
    const testSandbox = await openFundedSandbox({ retainOrders: 2, switches: { readLagMs: 50 } });
    await placeAndCancel(testSandbox, numbered(400));
    await testSandbox.time.advance(1_000);
    const state = JSON.parse(testSandbox.sandbox.state()) as {
      readonly deliveries: Readonly<Record<string, number>>;
      readonly orders: Rows;
    };
    expect(state.orders).toHaveLength(2);
    expect(Object.keys(state.deliveries).length).toBeLessThanOrEqual(6);
    expect(await idsOf(testSandbox, `${ORDERS}/history`)).toEqual(['id-399', 'id-398']);
    expect(await testSandbox.data('GET', ORDERS)).toEqual([]);
  });
});

test('a sandbox with a retention of 0 retains all orders', async () => {
  const testSandbox = await openFundedSandbox({ retainOrders: 0 });
  await placeAndCancel(testSandbox, numbered(50));
  expect(await idsOf(testSandbox, `${ORDERS}/history?limit=100`)).toHaveLength(50);
});

describe('pages of lagging lists', () => {
  test('a page is cut after the past is restored, not before', async () => {
    const testSandbox = await openFundedSandbox({ switches: { readLagMs: 1_000 } });
    for (const id of ['a', 'b'])
      await testSandbox.call('POST', ORDER_PATH, limitOrder(id, '59000'));
    await testSandbox.time.advance(2_000);
    await testSandbox.call('POST', ORDER_PATH, limitOrder('c', '59000'));
    expect(await idsOf(testSandbox, `${ORDERS}?limit=1`)).toEqual(['b']);
    expect(await idsOf(testSandbox, `${ORDERS}?limit=1&offset=1`)).toEqual(['a']);
  });
});

test('lagging reads stay right while older versions are dropped', async () => {
  const testSandbox = await openFundedSandbox({ switches: { readLagMs: 2_000 } });
  const placed = (await testSandbox.data('POST', ORDER_PATH, limitOrder('a', '50000'))) as {
    readonly order_id: string;
  };
  const wrong: number[] = [];
  for (let second = 1; second <= 1_300; second += 1) {
    const order_price = String(50_000 + second);
    await testSandbox.call('PATCH', `${ORDERS}/${placed.order_id}`, {
      order_price,
      quantity: '0.01',
    });
    const [row] = (await testSandbox.data('GET', ORDERS)) as Rows;
    const expected = second < 3 ? undefined : 50_000 + second - 2;
    if (expected !== undefined && Number(row?.['price']) !== expected) wrong.push(second);
    await testSandbox.time.advance(1_000);
  }
  expect(wrong).toEqual([]);
});
