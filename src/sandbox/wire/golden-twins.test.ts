import { describe, expect, test } from 'vitest';
import { GOLDEN } from '../../../test/fixtures/golden-responses.js';
import {
  limitOrder,
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
  openFundedSandbox,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';
import type { SandboxOptions } from '../sandbox.js';

const FUTURES = '/fapi/v1/futures';
const POSITIONS = `${FUTURES}/positions`;
const ORDERS = `${FUTURES}/orders`;

/** Fields that a release removed (interface: Versioning). */
const REMOVED = ['contract_multiplier', 'price_scale', 'desired_amount', 'unrealised_pnl'];

interface Twin {
  readonly of: keyof typeof GOLDEN;
  /** The sandbox’s answer in the same place. */
  readonly request: () => Promise<{ readonly status: number; readonly text: string }>;
  /** Members that the interface added after the sample. */
  readonly added?: readonly string[];
  /** Fields whose values are equal too, for any trade. */
  readonly same?: readonly string[];
}

/** JSON types, deep; a list has the type of its rows. */
function typeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.map(typeOf);
  if (typeof value !== 'object') return typeof value;
  const members = Object.entries(value).map(([key, one]) => [key, typeOf(one)] as const);
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** 0.01 BTC long with a stop and a target. */
async function holding(options: SandboxOptions = {}): Promise<TestSandbox & { id: string }> {
  const testSandbox = await openFundedSandbox(options);
  const stop = { is_stoploss: true, stoploss_price: '58000' };
  const target = { is_takeprofit: true, takeprofit_price: '62000' };
  await testSandbox.call('POST', ORDER_PATH, marketOrder('a', { ...stop, ...target }));
  await testSandbox.time.advance(20);
  const [row] = (await testSandbox.data('GET', POSITIONS)) as { id: string }[];
  return { ...testSandbox, id: row?.id ?? '' };
}

const onPosition =
  (action: string, body?: unknown, method = 'POST', options?: SandboxOptions) =>
  async (): ReturnType<TestSandbox['call']> => {
    const testSandbox = await holding(options);
    return testSandbox.call(method, `${POSITIONS}/${testSandbox.id}/${action}`, body);
  };

const order = { leverage: 5, quantity: 0.01, order_price: 50_000, order_type: 'LONG' };
const v1 = { ...order, trigger_type: 'LIMIT' };
const transfer = { from_wallet_type: 'SPOT', to_wallet_type: 'FUTURES', amount: '25' };

const TWINS: readonly Twin[] = [
  {
    of: 'pong',
    request: () => openTestSandbox().call('GET', `${FUTURES}/ping`),
    same: ['code', 'text'],
  },
  { of: 'unauthorized', request: () => openTestSandbox().call('GET', ORDERS, undefined, {}) },
  {
    of: 'assetListItem',
    request: () =>
      openTestSandbox({ switches: { tradingFeeField: 'absent' } }).call(
        'GET',
        `${FUTURES}?limit=1`,
      ),
  },
  {
    of: 'assetDetail',
    request: () => openTestSandbox().call('GET', `${FUTURES}/BTCUSDT?is_symbol`),
  },
  {
    of: 'openOrders',
    added: ['client_order_id', 'position_id'],
    request: async () => {
      const testSandbox = await openFundedSandbox();
      const target = { is_takeprofit: true, takeprofit_price: '62000' };
      await testSandbox.call('POST', ORDER_PATH, limitOrder('', '50000', target));
      const rows = (await testSandbox.data('GET', ORDERS)) as { order_type: string }[];
      const sorted = rows.toSorted((a, b) => (a.order_type < b.order_type ? -1 : 1));
      return { status: 200, text: JSON.stringify({ success: true, data: sorted }) };
    },
  },
  { of: 'noOpenOrders', request: () => openTestSandbox().call('GET', ORDERS) },
  {
    of: 'orderShortForm',
    request: async () => {
      const testSandbox = await openFundedSandbox({ switches: { orderByIdForm: 'short' } });
      const placed = await testSandbox.data('POST', ORDER_PATH, marketOrder('a'));
      return testSandbox.call('GET', `${ORDERS}/${(placed as { order_id: string }).order_id}`);
    },
  },
  {
    of: 'cancelled',
    same: ['message', 'status'],
    request: async () => {
      const testSandbox = await openFundedSandbox();
      await testSandbox.call('POST', ORDER_PATH, limitOrder('a', '50000'));
      return testSandbox.call('DELETE', `${ORDERS}?client_order_id=a`);
    },
  },
  {
    of: 'cancelledEmpty',
    same: ['message', 'order_id', 'status'],
    request: async () => {
      const testSandbox = await holding();
      const [row] = (await testSandbox.data('GET', ORDERS)) as { id: string }[];
      return testSandbox.call('DELETE', `${ORDERS}/${row?.id}`);
    },
  },
  {
    of: 'amended',
    same: ['message'],
    request: async () => {
      const testSandbox = await openFundedSandbox();
      const placed = await testSandbox.data('POST', ORDER_PATH, limitOrder('a', '50000'));
      const id = (placed as { order_id: string }).order_id;
      return testSandbox.call('PATCH', `${ORDERS}/${id}`, {
        order_price: '51000',
        quantity: '0.01',
      });
    },
  },
  {
    of: 'placedV1',
    added: ['client_order_id', 'position_id'],
    same: ['status', 'message', 'leverage'],
    request: async () =>
      (await openFundedSandbox()).call('POST', `${FUTURES}/BTCUSDT/order?is_symbol`, v1),
  },
  {
    of: 'leverage',
    same: ['margin_type', 'leverage', 'collateral_currency_id'],
    request: async () =>
      (await openFundedSandbox()).call('GET', `${FUTURES}/BTCUSDT/leverage?is_symbol`),
  },
  {
    of: 'positions',
    added: ['position_id'],
    request: async () => (await holding()).call('GET', POSITIONS),
  },
  { of: 'noPositions', request: () => openTestSandbox().call('GET', POSITIONS) },
  {
    of: 'positionHistory',
    request: async () => {
      const testSandbox = await holding();
      await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '40000' });
      return testSandbox.call('GET', `${POSITIONS}/history`);
    },
  },
  { of: 'closed', added: ['order_id'], same: ['status', 'message'], request: onPosition('close') },
  {
    of: 'reversed',
    added: ['client_order_id', 'position_id'],
    same: ['status', 'message', 'leverage'],
    request: onPosition('reverse'),
  },
  { of: 'liquidationPrice', request: onPosition('liq-price', undefined, 'GET') },
  {
    of: 'liquidationPriceSupposed',
    request: onPosition('liq-price?ext_margin=1', undefined, 'GET'),
  },
  {
    of: 'riskOrderPlaced',
    same: ['status', 'message'],
    request: onPosition('riskorder', { is_stoploss: true, stoploss_price: 57_000 }),
  },
  { of: 'marginAdded', same: ['message'], request: onPosition('add-margin', { margin: 1 }) },
  {
    of: 'partlyClosed',
    request: onPosition('close/partial', { order_type: 'MARKET', quantity: '0.004' }),
  },
  {
    of: 'partlyClosedObject',
    request: onPosition('close/partial', { order_type: 'MARKET', quantity: '0.004' }, 'POST', {
      switches: { partialCloseReply: 'object' },
    }),
  },
  {
    of: 'futuresWalletInr',
    request: () => openTestSandbox().call('GET', `${FUTURES}/funds?trade_currency=INR`),
  },
  {
    of: 'usdtTransferred',
    same: ['msg'],
    request: () => openTestSandbox().call('POST', '/fapi/v1/wallet/futures/transfer', transfer),
  },
  {
    of: 'inrTransferred',
    request: () => openTestSandbox().call('POST', `${FUTURES}/transfers/inr`, transfer),
  },
  {
    of: 'sameWallets',
    request: () =>
      openTestSandbox().call('POST', '/fapi/v1/wallet/futures/transfer', {
        ...transfer,
        to_wallet_type: 'SPOT',
      }),
  },
  {
    of: 'transactions',
    request: async () => {
      const testSandbox = openTestSandbox();
      await testSandbox.call('POST', `${FUTURES}/transfers/inr`, transfer);
      await testSandbox.call('POST', `${FUTURES}/transfers/inr`, transfer);
      return testSandbox.call('GET', `${FUTURES}/transactions?trade_currency=INR`);
    },
  },
  { of: 'spotWallet', request: () => openTestSandbox().call('GET', '/fapi/v1/wallet/funds') },
  {
    of: 'executionReport',
    added: ['asset_uuid', 'future_position_uuid'],
    request: async () => {
      const testSandbox = await openFundedSandbox();
      const placed = await testSandbox.data('POST', ORDER_PATH, marketOrder('ab-1'));
      await testSandbox.time.advance(20);
      const id = (placed as { order_id: string }).order_id;
      return testSandbox.call('GET', `${ORDERS}/${id}/execution-report`);
    },
  },
];

/** Removes later members from every row. */
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

describe('golden samples', () => {
  test.each(TWINS)(
    '$of has the members and JSON types of its golden sample',
    async ({ of, request, added = [], same = [] }) => {
      const sample = GOLDEN[of];
      const answer = await request();
      expect(answer.status).toBe(sample.status);
      const golden: unknown = JSON.parse(sample.body);
      const reply: unknown = JSON.parse(answer.text);
      expect(typeOf(without(reply, added))).toEqual(typeOf(golden));
      for (const field of same)
        expect(dataOf(answer.text)[field]).toEqual(dataOf(sample.body)[field]);
      for (const field of added) expect(answer.text).toContain(`"${field}"`);
      for (const field of REMOVED) expect(answer.text).not.toContain(`"${field}"`);
      if (sample.status >= 400) expect(reply).toEqual(golden);
    },
  );

  test('fee rows of a fill, its rebate and funding match the samples', async () => {
    const testSandbox = openTestSandbox({ assumptions: { rebates: 'forty-percent' } });
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'SOLUSDT', price: '100' });
    const inr = { trade_currency: 'INR' };
    await testSandbox.call('POST', `${FUTURES}/SOLUSDT/leverage?is_symbol`, {
      leverage: 3,
      ...inr,
    });
    const path = '/fapi/v2/futures/order?symbol=SOLUSDT';
    await testSandbox.call('POST', path, marketOrder('a', { quantity: 10, ...inr }));
    await testSandbox.time.advance(20);
    testSandbox.sandbox.advance(8 * 3_600_000);
    const rows = (await testSandbox.data(
      'GET',
      `${FUTURES}/fee/history?trade_currency=INR`,
    )) as Row[];
    const golden = dataOf(GOLDEN.fees.body) as unknown as Row[];
    for (const sample of golden) {
      const twin = rows.find((row) => row['fee_type'] === sample['fee_type']);
      expect(typeOf(twin)).toEqual(typeOf(sample));
    }
  });
});

type Row = Record<string, unknown>;
