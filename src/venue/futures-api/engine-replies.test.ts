import { recordText } from '../../core/record-json.js';
import { describe, expect, it } from 'vitest';
import { fixedFromText } from '../../core/fixed/fixed.js';
import type { VenueRequest } from '../../core/request.js';
import {
  apiAnsweredBy,
  failure,
  success,
  type FakeReply,
} from '../../../test/support/rigs/api-rig.js';
import { GOLDEN } from '../../../test/fixtures/golden-responses.js';
import { TradingClient } from './trading-client.js';

const PLACE: VenueRequest = {
  kind: 'place',
  clientOrderId: 'ab-1',
  terms: {
    symbol: 'SOMIUSDT',
    currency: 'INR',
    side: 'buy',
    type: 'market',
    quantity: fixedFromText('43.8'),
    reduceOnly: false,
  },
};
const POSITIONS: VenueRequest = { kind: 'read-positions', currency: 'INR' };

const outcomeOf = async (request: VenueRequest, answer: FakeReply) => {
  const { api } = apiAnsweredBy(answer);
  return (await new TradingClient({ api, limits: { listRows: 500 } }).send(request)).outcome;
};

describe('a reply to the engine', () => {
  const ORDER = {
    orderId: '019-o1',
    symbol: 'ETHUSDT',
    currency: 'USDT',
    role: 'trade',
    side: 'buy',
    type: 'limit',
    status: 'created',
    quantity: fixedFromText('0.05'),
    filledQuantity: 0,
    price: fixedFromText('4456'),
    leverage: fixedFromText('80.9'),
    positionId: '019-p1',
    updatedAt: Date.UTC(2026, 6, 2, 10, 15, 1),
  };
  const POSITION = {
    positionId: '019-p2',
    symbol: 'APTUSDT',
    currency: 'USDT',
    side: 'long',
    quantity: fixedFromText('68.86'),
    entryPrice: fixedFromText('0.6075'),
    leverage: fixedFromText('3'),
    liquidationPrice: fixedFromText('0.4091'),
    initialMargin: fixedFromText('13.96060466'),
    maintenanceMargin: fixedFromText('0.43471001'),
    stopLoss: { price: fixedFromText('0.59'), orderId: '019-s1' },
    takeProfit: { price: fixedFromText('0.65'), orderId: '019-t1' },
    openedAt: Date.UTC(2026, 6, 2, 9),
  };
  const CLOSE = {
    rowId: '019-r1',
    positionId: '019-p3',
    orderId: '019-o9',
    symbol: 'XRPUSDT',
    currency: 'USDT',
    side: 'long',
    kind: 'liquidated',
    quantity: fixedFromText('10'),
    entryPrice: fixedFromText('1.2171'),
    closePrice: fixedFromText('1.204900000000000012'),
    pnl: fixedFromText('-0.122'),
    openedAt: Date.UTC(2026, 6, 1),
    closedAt: Date.UTC(2026, 6, 1, 3),
  };
  const PLACED = {
    orderId: '019-o3',
    price: fixedFromText('0.11442'),
    quantity: fixedFromText('43.8'),
  };
  const { updatedAt, ...order } = ORDER;
  const HISTORY_ROW = { ...order, createdAt: 1_782_987_300_000, updatedAt };
  const found: VenueRequest = { kind: 'find-order', order: { orderId: '019-o1' } };
  const { body: openOrders } = GOLDEN.openOrders;
  const [first] = (JSON.parse(openOrders) as { data: unknown[] }).data;

  // Replies are recorded: a further field or another key order would break the replay of old records.
  it.each<[VenueRequest, string, unknown]>([
    [PLACE, GOLDEN.placedV1.body, PLACED],
    [found, success(first), ORDER],
    [{ kind: 'read-order-history', currency: 'USDT', limit: 20 }, success([first]), [HISTORY_ROW]],
    [{ kind: 'read-open-orders', currency: 'USDT' }, success([first]), [ORDER]],
    [{ kind: 'read-positions', currency: 'USDT' }, GOLDEN.positions.body, [POSITION]],
    [{ kind: 'read-closes', currency: 'USDT', limit: 20 }, GOLDEN.positionHistory.body, [CLOSE]],
    [
      { kind: 'read-wallet', currency: 'INR' },
      GOLDEN.futuresWalletInr.body,
      { currency: 'INR', balance: fixedFromText('18.1993'), locked: fixedFromText('96.4497') },
    ],
    [
      { kind: 'change-margin', positionId: 'p', change: fixedFromText<'INR'>('1') },
      success({ message: 'OK', initial_margin: '96.44', liquidation_price: '0.09281' }),
      { initialMargin: fixedFromText('96.44'), liquidationPrice: fixedFromText('0.09281') },
    ],
    [
      {
        kind: 'transfer',
        currency: 'INR',
        direction: 'deposit',
        amount: fixedFromText<'INR'>('1'),
      },
      success({ id: '019-w1' }),
      null,
    ],
    [
      { kind: 'read-leverage', symbol: 'SOMIUSDT', currency: 'INR' },
      GOLDEN.leverage.body,
      fixedFromText('5'),
    ],
  ])('the reply to $kind is the same text for the same answer', async (request, body, value) => {
    const outcome = await outcomeOf(request, { status: 200, body });
    expect(recordText(outcome)).toBe(recordText({ kind: 'yes', value }));
  });

  const from = updatedAt;
  const history = { kind: 'read-order-history', currency: 'USDT', limit: 20 } as const;
  it.each<[string, VenueRequest, unknown[]]>([
    ['changed since', { ...history, from }, [HISTORY_ROW]],
    ['not changed since', { ...history, from: from + 1 }, []],
    ['for another reader', { ...history, from: from + 1, changedSince: from }, [HISTORY_ROW]],
    ['twice over', { ...history, from: HISTORY_ROW.createdAt, changedSince: from }, [HISTORY_ROW]],
  ])('the history has an order made before the requested time: %s', async (_, request, value) => {
    const outcome = await outcomeOf(request, { status: 200, body: success([first]) });
    expect(outcome).toEqual({ kind: 'yes', value });
  });

  it('the history has an order that ended below newer ones if the cache is bypassed', async () => {
    const all = Array.from({ length: 60 }, (_, at) => ({
      ...(first as object),
      id: `o-${at}`,
      status: 'FILLED',
      created_at: new Date(updatedAt + at * 1_000).toISOString(),
    })).reverse();
    let rows = all.filter(({ id }) => id !== 'o-7');
    const { api, time } = apiAnsweredBy(({ url }) => {
      const until = Number(new URL(url).searchParams.get('offset') ?? Number.POSITIVE_INFINITY);
      const older = rows.filter(({ created_at: madeAt }) => Date.parse(madeAt) <= until);
      return { body: success(older.slice(0, 20)) };
    });
    const trading = new TradingClient({ api, limits: { listRows: 500 } });
    const read = async (): Promise<unknown> => {
      const reply = trading.send({ ...history, from, bypassCache: true });
      await time.advance(60_000);
      return (await reply).outcome;
    };
    const rowsOf = (count: number) => ({ kind: 'yes', value: { length: count } });
    expect(await read()).toMatchObject(rowsOf(59));
    rows = all;
    expect(await read()).toMatchObject(rowsOf(60));
  });

  it('a 403 is never a rejection, with any text', async () => {
    const body = failure('Forbidden', 403);
    expect(await outcomeOf(POSITIONS, { status: 403, body })).toEqual({
      kind: 'unknown',
      cause: 'HTTP 403: Forbidden',
      sent: true,
      status: 403,
    });
  });
});
