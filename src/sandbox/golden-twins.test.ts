import { describe, expect, test } from 'vitest';
import { GOLDEN } from '../../test/fixtures/golden-answers.js';
import {
  limitOrder,
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  readyToTrade,
  type TestSandbox,
} from '../../test/harness/test-sandbox.js';
import type { SandboxOptions } from './sandbox.js';

const FUTURES = '/fapi/v1/futures';
const POSITIONS = `${FUTURES}/positions`;
const ORDERS = `${FUTURES}/orders`;

/** Fields that a release took away (interface, Versioning). */
const REMOVED = ['contract_multiplier', 'price_scale', 'desired_amount', 'unrealised_pnl'];

interface Twin {
  readonly of: keyof typeof GOLDEN;
  /** What this sandbox answers in the same place. */
  readonly ask: () => Promise<{ readonly status: number; readonly text: string }>;
  /** Members that the interface added since the sample was taken. */
  readonly added?: readonly string[];
  /** The fields whose values are the same too, whatever was traded. */
  readonly same?: readonly string[];
}

/** JSON types, deep; a list is the type of its rows. */
function typeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.map(typeOf);
  if (typeof value !== 'object') return typeof value;
  const members = Object.entries(value).map(([key, one]) => [key, typeOf(one)] as const);
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** 0.01 BTC long with a stop and a target. */
async function holding(options: SandboxOptions = {}): Promise<TestSandbox & { id: string }> {
  const desk = await readyToTrade(options);
  const stop = { is_stoploss: true, stoploss_price: '58000' };
  const target = { is_takeprofit: true, takeprofit_price: '62000' };
  await desk.call('POST', ORDER_PATH, marketOrder('a', { ...stop, ...target }));
  await desk.time.advance(20);
  const [row] = (await desk.data('GET', POSITIONS)) as { id: string }[];
  return { ...desk, id: row?.id ?? '' };
}

const onPosition =
  (action: string, body?: unknown, method = 'POST', options?: SandboxOptions) =>
  async (): ReturnType<TestSandbox['call']> => {
    const desk = await holding(options);
    return desk.call(method, `${POSITIONS}/${desk.id}/${action}`, body);
  };

const order = { leverage: 5, quantity: 0.01, order_price: 50_000, order_type: 'LONG' };
const v1 = { ...order, trigger_type: 'LIMIT' };
const transfer = { from_wallet_type: 'SPOT', to_wallet_type: 'FUTURES', amount: '25' };

const TWINS: readonly Twin[] = [
  {
    of: 'pong',
    ask: () => openTestSandbox().call('GET', `${FUTURES}/ping`),
    same: ['code', 'text'],
  },
  { of: 'unauthorized', ask: () => openTestSandbox().call('GET', ORDERS, undefined, {}) },
  {
    of: 'assetListItem',
    ask: () =>
      openTestSandbox({ switches: { tradingFeeField: 'absent' } }).call(
        'GET',
        `${FUTURES}?limit=1`,
      ),
  },
  { of: 'assetDetail', ask: () => openTestSandbox().call('GET', `${FUTURES}/BTCUSDT?is_symbol`) },
  {
    of: 'openOrders',
    added: ['client_order_id', 'position_id'],
    ask: async () => {
      const desk = await readyToTrade();
      const target = { is_takeprofit: true, takeprofit_price: '62000' };
      await desk.call('POST', ORDER_PATH, limitOrder('', '50000', target));
      const rows = (await desk.data('GET', ORDERS)) as { order_type: string }[];
      const sorted = rows.toSorted((a, b) => (a.order_type < b.order_type ? -1 : 1));
      return { status: 200, text: JSON.stringify({ success: true, data: sorted }) };
    },
  },
  { of: 'noOpenOrders', ask: () => openTestSandbox().call('GET', ORDERS) },
  {
    of: 'orderShortForm',
    ask: async () => {
      const desk = await readyToTrade({ switches: { orderByIdForm: 'short' } });
      const placed = await desk.data('POST', ORDER_PATH, marketOrder('a'));
      return desk.call('GET', `${ORDERS}/${(placed as { order_id: string }).order_id}`);
    },
  },
  {
    of: 'cancelled',
    same: ['message', 'status'],
    ask: async () => {
      const desk = await readyToTrade();
      await desk.call('POST', ORDER_PATH, limitOrder('a', '50000'));
      return desk.call('DELETE', `${ORDERS}?client_order_id=a`);
    },
  },
  {
    of: 'cancelledEmpty',
    same: ['message', 'order_id', 'status'],
    ask: async () => {
      const desk = await holding();
      const [row] = (await desk.data('GET', ORDERS)) as { id: string }[];
      return desk.call('DELETE', `${ORDERS}/${row?.id}`);
    },
  },
  {
    of: 'amended',
    same: ['message'],
    ask: async () => {
      const desk = await readyToTrade();
      const placed = await desk.data('POST', ORDER_PATH, limitOrder('a', '50000'));
      const id = (placed as { order_id: string }).order_id;
      return desk.call('PATCH', `${ORDERS}/${id}`, { order_price: '51000', quantity: '0.01' });
    },
  },
  {
    of: 'placedV1',
    added: ['client_order_id', 'position_id'],
    same: ['status', 'message', 'leverage'],
    ask: async () => (await readyToTrade()).call('POST', `${FUTURES}/BTCUSDT/order?is_symbol`, v1),
  },
  {
    of: 'leverage',
    same: ['margin_type', 'leverage', 'collateral_currency_id'],
    ask: async () => (await readyToTrade()).call('GET', `${FUTURES}/BTCUSDT/leverage?is_symbol`),
  },
  {
    of: 'positions',
    added: ['position_id'],
    ask: async () => (await holding()).call('GET', POSITIONS),
  },
  { of: 'noPositions', ask: () => openTestSandbox().call('GET', POSITIONS) },
  {
    of: 'positionHistory',
    ask: async () => {
      const desk = await holding();
      await desk.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '40000' });
      return desk.call('GET', `${POSITIONS}/history`);
    },
  },
  { of: 'closed', added: ['order_id'], same: ['status', 'message'], ask: onPosition('close') },
  {
    of: 'reversed',
    added: ['client_order_id', 'position_id'],
    same: ['status', 'message', 'leverage'],
    ask: onPosition('reverse'),
  },
  { of: 'liquidationPrice', ask: onPosition('liq-price', undefined, 'GET') },
  { of: 'liquidationPriceSupposed', ask: onPosition('liq-price?ext_margin=1', undefined, 'GET') },
  {
    of: 'riskOrderPlaced',
    same: ['status', 'message'],
    ask: onPosition('riskorder', { is_stoploss: true, stoploss_price: 57_000 }),
  },
  { of: 'marginAdded', same: ['message'], ask: onPosition('add-margin', { margin: 1 }) },
  {
    of: 'partlyClosed',
    ask: onPosition('close/partial', { order_type: 'MARKET', quantity: '0.004' }),
  },
  {
    of: 'partlyClosedObject',
    ask: onPosition('close/partial', { order_type: 'MARKET', quantity: '0.004' }, 'POST', {
      switches: { partialCloseReply: 'object' },
    }),
  },
  {
    of: 'futuresWalletInr',
    ask: () => openTestSandbox().call('GET', `${FUTURES}/funds?trade_currency=INR`),
  },
  {
    of: 'usdtTransferred',
    same: ['msg'],
    ask: () => openTestSandbox().call('POST', '/fapi/v1/wallet/futures/transfer', transfer),
  },
  {
    of: 'inrTransferred',
    ask: () => openTestSandbox().call('POST', `${FUTURES}/transfers/inr`, transfer),
  },
  {
    of: 'sameWallets',
    ask: () =>
      openTestSandbox().call('POST', '/fapi/v1/wallet/futures/transfer', {
        ...transfer,
        to_wallet_type: 'SPOT',
      }),
  },
  {
    of: 'transactions',
    ask: async () => {
      const desk = openTestSandbox();
      await desk.call('POST', `${FUTURES}/transfers/inr`, transfer);
      await desk.call('POST', `${FUTURES}/transfers/inr`, transfer);
      return desk.call('GET', `${FUTURES}/transactions?trade_currency=INR`);
    },
  },
  { of: 'spotWallet', ask: () => openTestSandbox().call('GET', '/fapi/v1/wallet/funds') },
  {
    of: 'executionReport',
    added: ['asset_uuid', 'future_position_uuid'],
    ask: async () => {
      const desk = await readyToTrade();
      const placed = await desk.data('POST', ORDER_PATH, marketOrder('ab-1'));
      await desk.time.advance(20);
      const id = (placed as { order_id: string }).order_id;
      return desk.call('GET', `${ORDERS}/${id}/execution-report`);
    },
  },
];

/** Without what came later, in every row. */
function without(value: unknown, added: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((row) => without(row, added));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key]) => !added.includes(key));
  return Object.fromEntries(members.map(([key, one]) => [key, without(one, added)]));
}

const dataOf = (text: string): Record<string, unknown> => {
  const json = JSON.parse(text) as Record<string, unknown>;
  return (json['data'] ?? json) as Record<string, unknown>;
};

describe('an answer has the members and JSON types of its golden sample', () => {
  test.each(TWINS)('$of', async ({ of, ask, added = [], same = [] }) => {
    const sample = GOLDEN[of];
    const answer = await ask();
    expect(answer.status).toBe(sample.status);
    const golden: unknown = JSON.parse(sample.body);
    const told: unknown = JSON.parse(answer.text);
    expect(typeOf(without(told, added))).toEqual(typeOf(golden));
    for (const field of same)
      expect(dataOf(answer.text)[field]).toEqual(dataOf(sample.body)[field]);
    for (const field of added) expect(answer.text).toContain(`"${field}"`);
    for (const field of REMOVED) expect(answer.text).not.toContain(`"${field}"`);
    if (sample.status >= 400) expect(told).toEqual(golden);
  });

  test('fee rows of a fill, its rebate and funding', async () => {
    const desk = openTestSandbox({ assumptions: { rebates: 'forty-percent' } });
    await desk.call('POST', '/sandbox/price', { symbol: 'SOLUSDT', price: '100' });
    const inr = { trade_currency: 'INR' };
    await desk.call('POST', `${FUTURES}/SOLUSDT/leverage?is_symbol`, { leverage: 3, ...inr });
    const path = '/fapi/v2/futures/order?symbol=SOLUSDT';
    await desk.call('POST', path, marketOrder('a', { quantity: 10, ...inr }));
    await desk.time.advance(20);
    desk.sandbox.advance(8 * 3_600_000);
    const rows = (await desk.data('GET', `${FUTURES}/fee/history?trade_currency=INR`)) as Row[];
    const golden = dataOf(GOLDEN.fees.body) as unknown as Row[];
    for (const sample of golden) {
      const twin = rows.find((row) => row['fee_type'] === sample['fee_type']);
      expect(typeOf(twin)).toEqual(typeOf(sample));
    }
  });
});

type Row = Record<string, unknown>;
