import { describe, expect, test } from 'vitest';
import {
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

type Row = Record<string, unknown>;

/** 0.01 BTC long at 60,000 with a leverage of 5. */
async function holding(options: SandboxOptions = {}, order: Row = {}): Promise<TestSandbox> {
  const testSandbox = await openFundedSandbox(options);
  await testSandbox.call('POST', ORDER_PATH, marketOrder('a', order));
  await testSandbox.time.advance(20);
  return testSandbox;
}

/** 10 SOL long in INR at 100, leverage 3. */
async function holdingInr(options: SandboxOptions = {}): Promise<TestSandbox> {
  const testSandbox = openTestSandbox(options);
  await testSandbox.call('POST', '/sandbox/price', { symbol: 'SOLUSDT', price: '100' });
  const leverage = { leverage: 3, trade_currency: 'INR' };
  await testSandbox.call('POST', '/fapi/v1/futures/SOLUSDT/leverage?is_symbol', leverage);
  const order = marketOrder('a', { quantity: 10, trade_currency: 'INR' });
  await testSandbox.call('POST', '/fapi/v2/futures/order?symbol=SOLUSDT', order);
  await testSandbox.time.advance(20);
  return testSandbox;
}

const rows = (testSandbox: TestSandbox, query = '') =>
  testSandbox.data('GET', `${POSITIONS}${query}`) as Promise<Row[]>;

describe('open positions', () => {
  test('the list is null when there are no positions', async () => {
    const { call } = openTestSandbox();
    expect((await call('GET', POSITIONS)).text).toBe('{"success":true,"data":null}');
  });

  test('a row has the keys and types of the live row; every value is a string', async () => {
    const protection = { is_stoploss: true, stoploss_price: '58000' };
    const target = { is_takeprofit: true, takeprofit_price: '62000' };
    const testSandbox = await holding({}, { ...protection, ...target });
    const [position] = await rows(testSandbox);
    expect(shapeOf(position)).toEqual({
      created_at: 'time',
      updated_at: 'time',
      stoploss: 'object',
      takeprofit: 'object',
      entry_price: 'decimal',
      quantity: 'decimal',
      leverage: 'decimal',
      liquidation_price: 'decimal',
      initial_margin: 'decimal',
      maintenance_margin: 'decimal',
      entry_hedge_rate: 'decimal',
      order_type: 'text',
      status: 'text',
      id: 'uuid',
      position_id: 'uuid',
      asset_uuid: 'uuid',
      symbol: 'text',
      trade_currency: 'text',
    });
    expect(position).toMatchObject({
      entry_price: '60000',
      quantity: '0.01',
      leverage: '5',
      order_type: 'LONG',
      status: 'OPEN',
      symbol: 'BTCUSDT',
      trade_currency: 'USDT',
      entry_hedge_rate: '1',
      stoploss: { price: '58000', order_type: 'SHORT' },
      takeprofit: { price: '62000', order_type: 'SHORT' },
      // N/L + q × bankruptcy price × f = 120 + 0.01 × 48,000 × 0.00059 (supplement: part 12).
      initial_margin: '120.2832',
    });
    expect(position?.['id']).toBe(position?.['position_id']);
    expect(await testSandbox.data('GET', `${POSITIONS}?trade_currency=INR`)).toBeNull();
  });

  test('an unset stop or target is absent, or shown empty: both answers', async () => {
    const [absent] = await rows(await holding());
    expect(absent).not.toHaveProperty('stoploss');
    const [empty] = await rows(await holding({ switches: { unsetLeg: 'empty' } }));
    expect(empty).toMatchObject({
      stoploss: { price: '0', order_id: '', order_type: '' },
      takeprofit: { price: '0', order_id: '', order_type: '' },
    });
  });

  test('INR rows show margins cut to two places, or whole: both answers', async () => {
    // (1000/3 + 10 × 100 × (1 − 1/3) × 0.00059) × 90 = 30,035.4.
    const whole = await holdingInr({ switches: { inrMarginText: 'whole' } });
    const [row] = await rows(whole, '?trade_currency=INR');
    expect(row).toMatchObject({ entry_hedge_rate: '90', initial_margin: '30035.4' });
    const added = { margin: '0.129' };
    const path = `${POSITIONS}/${row?.['id'] as string}/add-margin`;
    expect(await whole.data('POST', path, added)).toMatchObject({ initial_margin: '30035.529' });
    const cut = await holdingInr();
    const [same] = await rows(cut, '?trade_currency=INR');
    const cutPath = `${POSITIONS}/${same?.['id'] as string}/add-margin`;
    expect(await cut.data('POST', cutPath, added)).toMatchObject({ initial_margin: '30035.52' });
  });

  test('the list has no pages', async () => {
    const testSandbox = await holding();
    expect(await rows(testSandbox, '?limit=nonsense&offset=5')).toHaveLength(1);
    expect(await testSandbox.refusal('GET', `${POSITIONS}?trade_currency=usdt`)).toEqual([
      400,
      'Invalid trade currency',
    ]);
  });

  test('a cancelled stop stays until the row changes (quirk)', async () => {
    const stop = { is_stoploss: true, stoploss_price: '58000' };
    const stopOf = (row: Row | undefined) => row?.['stoploss'] as { order_id: string } | undefined;
    const fresh = await holding({}, stop);
    const id = stopOf((await rows(fresh))[0])?.order_id ?? '';
    await fresh.call('DELETE', `/fapi/v1/futures/orders/${id}`);
    expect((await rows(fresh))[0]).not.toHaveProperty('stoploss');

    const stale = await holding({ switches: { staleLegs: 'yes' } }, stop);
    const stopId = stopOf((await rows(stale))[0])?.order_id ?? '';
    expect((await stale.call('DELETE', `/fapi/v1/futures/orders/${stopId}`)).status).toBe(200);
    const [row] = await rows(stale);
    expect(stopOf(row)).toMatchObject({ price: '58000', order_id: stopId });
    stale.sandbox.advance(5_000);
    await stale.call('POST', `${POSITIONS}/${row?.['id'] as string}/add-margin`, { margin: 1 });
    expect((await rows(stale))[0]).not.toHaveProperty('stoploss');
  });
});

describe('position history', () => {
  test('each close has a row, with the keys and types of the live row', async () => {
    const testSandbox = await holding();
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '61000' });
    const exit = { order_type: 'SHORT', reduce_only: true };
    for (const [id, quantity] of [
      ['b', '0.004'],
      ['c', '0.006'],
    ] as const) {
      await testSandbox.call('POST', ORDER_PATH, marketOrder(id, { ...exit, quantity }));
      await testSandbox.time.advance(20);
    }
    const history = (await testSandbox.data('GET', `${POSITIONS}/history`)) as Row[];
    expect(history).toMatchObject([
      { status: 'CLOSED', quantity: '0.006', pnl: '6', leverage: '5', position_type: 'LONG' },
      {
        status: 'PARTIAL',
        quantity: '0.004',
        pnl: '4',
        closed_price: '61000',
        entry_price: '60000',
      },
    ]);
    expect(history.map(shapeOf)).toEqual(
      Array.from({ length: 2 }, () => ({
        created_at: 'time',
        updated_at: 'time',
        entry_price: 'decimal',
        closed_price: 'decimal',
        quantity: 'decimal',
        leverage: 'decimal',
        pnl: 'decimal',
        entry_hedge_rate: 'decimal',
        exit_hedge_rate: 'decimal',
        position_type: 'text',
        status: 'text',
        id: 'uuid',
        position_id: 'uuid',
        order_id: 'uuid',
        asset_uuid: 'uuid',
        symbol: 'text',
        trade_currency: 'text',
      })),
    );
    expect(history[0]?.['position_id']).toBe(history[1]?.['position_id']);
    expect(await testSandbox.data('GET', `${POSITIONS}/history?limit=1`)).toEqual([history[0]]);
    expect(await testSandbox.data('GET', `${POSITIONS}/history?trade_currency=INR`)).toEqual([]);
    expect(await testSandbox.refusal('GET', `${POSITIONS}/history?limit=x`)).toEqual([
      400,
      'Params error',
    ]);
    expect(await testSandbox.data('GET', POSITIONS)).toBeNull();
  });

  test('INR rows show the rates of entry and exit', async () => {
    const testSandbox = await holdingInr();
    testSandbox.sandbox.exchange.setHedgeRate((92 * 1e8) as never);
    const [row] = await rows(testSandbox, '?trade_currency=INR');
    await testSandbox.call('POST', `${POSITIONS}/${row?.['id'] as string}/close`);
    await testSandbox.time.advance(20);
    expect(await testSandbox.data('GET', `${POSITIONS}/history?trade_currency=INR`)).toMatchObject([
      { entry_hedge_rate: '90', exit_hedge_rate: '92', trade_currency: 'INR', status: 'CLOSED' },
    ]);
  });
});

describe('the liquidation price of a position', () => {
  test('the price is a bare string, as on the position’s row', async () => {
    const testSandbox = await holding();
    const [row] = await rows(testSandbox);
    const path = `${POSITIONS}/${row?.['id'] as string}/liq-price`;
    const { text } = await testSandbox.call('GET', path);
    expect(text).toBe(`{"success":true,"data":"${row?.['liquidation_price'] as string}"}`);
    for (const query of ['?ext_margin=', '?ext_margin=0', '?ext_margin=0.0&trade_currency=INR']) {
      expect(await testSandbox.data('GET', `${path}${query}`)).toBe(row?.['liquidation_price']);
    }
  });

  test('the price is unrounded with a margin change', async () => {
    const testSandbox = await holding();
    const [row] = await rows(testSandbox);
    const path = `${POSITIONS}/${row?.['id'] as string}/liq-price`;
    // (600 − 120 − 1) / (0.01 × 0.99) (supplement: part 12).
    expect(await testSandbox.data('GET', `${path}?ext_margin=1`)).toBe('48383.8383838383838384');
    expect(await testSandbox.data('GET', `${path}?ext_margin=1000000000`)).toBe('0');
    expect(await testSandbox.refusal('GET', `${path}?ext_margin=much`)).toEqual([
      400,
      'Params error',
    ]);
    expect(await rows(testSandbox)).toEqual([row]);
  });

  test('an unknown or closed position is refused', async () => {
    const testSandbox = await holding();
    const [row] = await rows(testSandbox);
    const path = (id: string): string => `${POSITIONS}/${id}/liq-price`;
    expect(await testSandbox.refusal('GET', path(UNKNOWN_ID))).toEqual([404, 'Position not found']);
    await testSandbox.call('POST', `${POSITIONS}/${row?.['id'] as string}/close`);
    await testSandbox.time.advance(20);
    expect(await testSandbox.refusal('GET', path(row?.['id'] as string))).toEqual([
      400,
      'position is not open',
    ]);
  });
});
