import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../core/assert.js';
import { fixedFromText } from '../../core/fixed/fixed.js';
import { TransportError, type HttpRequest, type HttpResponse } from '../../core/ports.js';
import type { RequestOf, VenueRequest } from '../../core/request.js';
import {
  constantRandom,
  memoryLogger,
  ManualTime,
} from '../../../test/support/fakes/manual-ports.js';
import { createFuturesApiVenue } from './futures-api-venue.js';
import { Secret } from './http/secret.js';

const CANARY = 'canary-8c1f';

type Answer = Partial<HttpResponse> | Error;

function setUp(answers: Answer | (() => Answer) = { body: '' }) {
  const sent: HttpRequest[] = [];
  const time = new ManualTime();
  const dates: unknown[] = [];
  const venue = createFuturesApiVenue({
    baseUrl: 'https://api.example.com',
    wsUrl: 'wss://api.example.com',
    secret: new Secret(CANARY),
    clock: time,
    scheduler: time,
    random: constantRandom(0),
    logger: memoryLogger(),
    onServerDate: (date) => dates.push(date),
    net: {
      request(request) {
        sent.push(request);
        const answer = typeof answers === 'function' ? answers() : answers;
        if (answer instanceof Error) return Promise.reject(answer);
        return Promise.resolve({ status: 200, headers: {}, body: '', ...answer });
      },
      connect: () => expect.fail('no stream here'),
    },
  });
  return { venue, sent, time, dates };
}

const success = (data: unknown) => JSON.stringify({ success: true, data });
const failure = (text: string, code: number | null = null) =>
  JSON.stringify({ success: false, errors: [{ code, text }] });

const PLACE: RequestOf<'place'> = {
  kind: 'place',
  clientOrderId: 'ab-1',
  terms: {
    symbol: 'BTCUSDT',
    currency: 'USDT',
    side: 'buy',
    type: 'market',
    quantity: fixedFromText('0.001'),
    reduceOnly: false,
  },
};
const FIND: VenueRequest = { kind: 'find-order', order: { clientOrderId: 'ab-1' } };
const CANCEL: VenueRequest = { kind: 'cancel', order: { orderId: 'o-1' } };
const POSITIONS: VenueRequest = { kind: 'read-positions', currency: 'INR' };

const outcomeOf = async (request: VenueRequest, answer: Answer) => {
  const { to, outcome } = await setUp(answer).venue.send(request);
  expect(to).toBe(request.kind);
  return outcome;
};

describe('a yes outcome', () => {
  it.each([200, 201, 202])(
    'a success envelope with %i and the required fields is a yes',
    async (status) => {
      const body = success({ order_id: 'o-1', status: 'CREATED', client_order_id: 'ab-1' });
      expect(await outcomeOf(PLACE, { status, body })).toEqual({
        kind: 'yes',
        value: { orderId: 'o-1' },
      });
    },
  );

  it.each([
    [{ message: 'Order cancelled successfully', order_id: 'o-1', status: 'CANCELLED' }],
    [{ message: '', order_id: '', status: '' }],
    [null],
    [true],
  ])('a cancel ignores the data %j', async (data) => {
    expect(await outcomeOf(CANCEL, { body: success(data) })).toEqual({ kind: 'yes', value: null });
  });

  it('null positions are an empty list', async () => {
    expect(await outcomeOf(POSITIONS, { body: success(null) })).toEqual({ kind: 'yes', value: [] });
  });
});

describe('a no outcome', () => {
  it.each<[VenueRequest, number, string, string]>([
    [PLACE, 400, 'insufficient balance', 'insufficient-balance'],
    [PLACE, 409, 'client order id already exists', 'client-order-id-exists'],
    [PLACE, 423, 'action not allowed: another user action in progress', 'locked'],
    [PLACE, 429, 'API rate limit exceeded', 'rate-limited'],
    [FIND, 404, 'order not found', 'order-not-found'],
    [POSITIONS, 400, 'Invalid trade currency', 'invalid-currency'],
  ])('a known text is a no to $kind: %i %s', async (request, status, text, code) => {
    expect(await outcomeOf(request, { status, body: failure(text) })).toEqual({
      kind: 'no',
      code,
      text,
      status,
    });
  });

  it('a twice encoded error, as seen on 429, is a no', async () => {
    const inner = JSON.stringify({ errors: [{ code: 5002, text: 'API rate limit exceeded' }] });
    const body = JSON.stringify({ success: false, message: inner });
    expect(await outcomeOf(PLACE, { status: 429, body })).toMatchObject({ code: 'rate-limited' });
  });
});

describe('an unknown outcome', () => {
  it.each<[string, VenueRequest, Partial<HttpResponse>]>([
    ['a text outside the table', PLACE, { status: 400, body: failure('try later') }],
    [
      'one text of two outside the table',
      PLACE,
      {
        status: 400,
        body: '{"success":false,"errors":[{"text":"insufficient balance"},{"text":"and more"}]}',
      },
    ],
    ['a text of another endpoint', PLACE, { status: 404, body: failure('order not found') }],
    ['a page with 404', FIND, { status: 404, body: '<html>not found</html>' }],
    ['a router’s 404', FIND, { status: 404, body: '{"code":404,"text":"order not found"}' }],
    ['an empty 404', FIND, { status: 404, body: '' }],
    ['an empty 429', PLACE, { status: 429, body: '' }],
    ['plain text with 429', PLACE, { status: 429, body: 'slow down' }],
    ['401', PLACE, { status: 401, body: failure('Invalid Authentication', 3100) }],
    ['403', PLACE, { status: 403, body: failure('insufficient balance') }],
    ['408', PLACE, { status: 408, body: '' }],
    ['500 with an envelope', PLACE, { status: 500, body: failure('something went wrong') }],
    ['500 with a known text', PLACE, { status: 500, body: failure('insufficient balance') }],
    ['502 with a page', PLACE, { status: 502, body: '<html>Bad Gateway</html>' }],
    ['a redirect', PLACE, { status: 307, body: '', headers: { location: 'https://a.example' } }],
    ['a failure envelope with 200', PLACE, { status: 200, body: failure('insufficient balance') }],
    ['a success envelope with 500', PLACE, { status: 500, body: success({ order_id: 'o-1' }) }],
    ['a truncated 202', PLACE, { status: 202, body: '{"success":true,"data":{"order' }],
    ['an empty 202', PLACE, { status: 202, body: '' }],
    ['a 202 without an order id', PLACE, { status: 202, body: success({ status: 'CREATED' }) }],
    [
      'a 202 about another order',
      PLACE,
      { status: 202, body: success({ order_id: 'o-1', client_order_id: 'ab-2' }) },
    ],
    ['a list where an order should be', FIND, { body: success([]) }],
    ['an object where a list should be', POSITIONS, { body: success({}) }],
  ])('an answer is unknown: %s', async (_, request, answer) => {
    expect(await outcomeOf(request, answer)).toMatchObject({
      kind: 'unknown',
      sent: true,
      status: answer.status ?? 200,
    });
  });

  it.each([true, false])(
    'a transport failure is unknown, with its evidence (sent: %s)',
    async (sent) => {
      const error = new TransportError('socket closed', { sent });
      expect(await outcomeOf(PLACE, error)).toEqual({
        kind: 'unknown',
        cause: 'socket closed',
        sent,
      });
    },
  );

  it('any other network failure is unknown and counts as sent', async () => {
    expect(await outcomeOf(PLACE, new RangeError('bug'))).toMatchObject({ sent: true });
  });

  it('a list of open orders with a failed later page is unknown', async () => {
    const row = (id: number) => ({
      id: `o-${id}`,
      order_type: 'LONG',
      trigger_type: 'LIMIT',
      status: 'CREATED',
      quantity: 1,
      filled_quantity: 0,
      price: 1,
    });
    const request: VenueRequest = { kind: 'read-open-orders', currency: 'USDT' };
    const rows = (count: number) => ({
      body: success(Array.from({ length: count }, (_, id) => row(id))),
    });
    expect((await outcomeOf(request, rows(19))).kind).toBe('yes');
    const pages: Answer[] = [rows(20), { status: 500, body: 'down' }];
    const { venue } = setUp(() => pages.shift() ?? expect.fail('no third call'));
    expect((await venue.send(request)).outcome.kind).toBe('unknown');
  });

  it('the cause never repeats the secret, even if the venue echoes it', async () => {
    const body = failure(`bad key ${CANARY}`);
    const outcome = await outcomeOf(PLACE, { status: 400, body });
    expect(JSON.stringify(outcome)).not.toContain(CANARY);
    expect(JSON.stringify(outcome)).toContain('[redacted]');
  });
});

describe('calls', () => {
  const V1 = 'https://api.example.com/fapi/v1/futures';
  const WALLET = 'https://api.example.com/fapi/v1/wallet';
  it.each<[VenueRequest, string, string, number]>([
    [PLACE, 'POST', 'https://api.example.com/fapi/v2/futures/order?symbol=BTCUSDT', 10_000],
    [CANCEL, 'DELETE', `${V1}/orders/o-1`, 10_000],
    [
      { kind: 'cancel', order: { clientOrderId: 'ab-1' } },
      'DELETE',
      `${V1}/orders?client_order_id=ab-1`,
      10_000,
    ],
    [FIND, 'GET', `${V1}/orders/detail?client_order_id=ab-1`, 5_000],
    [
      { kind: 'find-order', order: { orderId: 'o-1' } },
      'GET',
      `${V1}/orders/detail?order_id=o-1`,
      5_000,
    ],
    [
      { kind: 'read-leverage', symbol: 'BTCUSDT', currency: 'INR' },
      'GET',
      `${V1}/BTCUSDT/leverage?is_symbol=true&trade_currency=INR`,
      5_000,
    ],
    [
      { kind: 'set-leverage', symbol: 'BTCUSDT', currency: 'INR', leverage: fixedFromText('2') },
      'POST',
      `${V1}/BTCUSDT/leverage?is_symbol=true`,
      10_000,
    ],
    [
      { kind: 'read-open-orders', currency: 'USDT' },
      'GET',
      `${V1}/orders?trade_currency=USDT&limit=500`,
      5_000,
    ],
    [
      { kind: 'read-order-history', currency: 'INR', limit: 50 },
      'GET',
      `${V1}/orders/history?trade_currency=INR&limit=50`,
      5_000,
    ],
    [POSITIONS, 'GET', `${V1}/positions?trade_currency=INR&limit=500`, 5_000],
    [
      { kind: 'read-closes', currency: 'USDT', limit: 20 },
      'GET',
      `${V1}/positions/history?trade_currency=USDT&limit=20`,
      5_000,
    ],
    [{ kind: 'read-wallet', currency: 'INR' }, 'GET', `${V1}/funds?trade_currency=INR`, 5_000],
    [{ kind: 'read-instrument', symbol: 'BTCUSDT' }, 'GET', `${V1}/BTCUSDT?is_symbol=true`, 5_000],
    [{ kind: 'read-spot-wallet', currency: 'INR' }, 'GET', `${WALLET}/funds?currency=INR`, 5_000],
    [
      { kind: 'read-transfers', currency: 'INR', limit: 50 },
      'GET',
      `${V1}/transactions?trade_currency=INR&sort_by=created_at&sort_order=desc&limit=50`,
      5_000,
    ],
    [
      {
        kind: 'set-leg',
        positionId: 'p-1',
        slot: 'stopLoss',
        price: fixedFromText('1'),
        clientOrderId: 'ab-1',
      },
      'POST',
      `${V1}/positions/p-1/riskorder`,
      10_000,
    ],
    [
      { kind: 'change-margin', positionId: 'p-1', change: fixedFromText<'USDT'>('-5') },
      'POST',
      `${V1}/positions/p-1/add-margin`,
      10_000,
    ],
    [
      {
        kind: 'transfer',
        currency: 'USDT',
        direction: 'deposit',
        amount: fixedFromText<'USDT'>('5'),
      },
      'POST',
      `${WALLET}/futures/transfer`,
      10_000,
    ],
    [
      {
        kind: 'transfer',
        currency: 'INR',
        direction: 'withdraw',
        amount: fixedFromText<'INR'>('5'),
      },
      'POST',
      `${V1}/transfers/inr`,
      10_000,
    ],
  ])('$kind is one request: %s %s', async (request, method, url, timeoutMs) => {
    const { venue, sent } = setUp();
    await venue.send(request);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ method, url, timeoutMs });
    expect(sent[0]?.headers['x-authentication']).toBe(CANARY);
    expect(sent[0]?.headers['content-type']).toBe(
      method === 'POST' ? 'application/json' : undefined,
    );
    expect(sent[0]?.body === undefined).toBe(method !== 'POST');
  });

  it.each<[VenueRequest, string, object]>([
    [
      { kind: 'amend', orderId: 'o-1', price: fixedFromText('1.5'), quantity: fixedFromText('2') },
      `${V1}/orders/o-1`,
      { order_price: '1.5', quantity: '2' },
    ],
    [
      {
        kind: 'move-leg',
        positionId: 'p-1',
        slot: 'takeProfit',
        price: fixedFromText('2'),
        orderId: 'o-1',
      },
      `${V1}/positions/p-1/riskorder`,
      { is_takeprofit: true, takeprofit_order_id: 'o-1' },
    ],
  ])(
    'an edit has both values, and a protective order by its id: %j',
    async (request, url, body) => {
      const { venue, sent } = setUp();
      await venue.send(request);
      expect(sent).toHaveLength(1);
      expect(sent[0]).toMatchObject({ method: 'PATCH', url, timeoutMs: 10_000 });
      expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject(body);
    },
  );

  it('the same request sends the same bytes', async () => {
    const { venue, sent } = setUp();
    await venue.send(PLACE);
    await venue.send({ ...PLACE, terms: { ...PLACE.terms } });
    expect(sent[1]).toEqual(sent[0]);
  });

  it.each<VenueRequest>([
    { ...PLACE, clientOrderId: '' },
    { kind: 'cancel', order: { clientOrderId: '' } },
    { kind: 'cancel', order: { orderId: '' } },
    { kind: 'find-order', order: { clientOrderId: 'a b' } },
    {
      kind: 'set-leg',
      positionId: 'p-1',
      slot: 'stopLoss',
      price: fixedFromText('1'),
      clientOrderId: '',
    },
  ])('a request that must never be sent makes no call: %j', async (request) => {
    const { venue, sent } = setUp();
    await expect(venue.send(request)).rejects.toThrow(AssertionError);
    expect(sent).toHaveLength(0);
  });

  it('the Date header of the venue is reported', async () => {
    const { venue, dates } = setUp({ headers: { date: 'Mon, 05 May 2025 00:00:07 GMT' } });
    await venue.send(POSITIONS);
    expect(dates).toEqual([{ serverMs: Date.UTC(2025, 4, 5, 0, 0, 7), sentAt: 0, receivedAt: 0 }]);
  });
});

describe('permits', () => {
  it('a 429 with any body pauses the tiers of its request', async () => {
    const { venue, time } = setUp({ status: 429, headers: { 'retry-after': '3' } });
    await venue.send(PLACE);
    let grantedAt = Infinity;
    void venue.acquirePermit(POSITIONS, 'kill').then(() => (grantedAt = time.monotonicMs()));
    await time.advance(10_000);
    expect(grantedAt).toBe(3_000);
  });

  it('a place counts towards both tiers that it may belong to', async () => {
    const { venue, time } = setUp();
    for (let i = 0; i < 10; i += 1) void venue.acquirePermit(PLACE, 'kill');
    await time.advance(0);
    const granted: string[] = [];
    void venue.acquirePermit(POSITIONS, 'kill').then(() => granted.push('default'));
    void venue.acquirePermit(CANCEL, 'kill').then(() => granted.push('core'));
    await time.advance(1_000);
    expect(granted).toEqual([]);
    await time.advance(300);
    expect(granted).toEqual(['default', 'core']);
  });

  it('the port and the whole interface share the permits', async () => {
    const { venue, sent, time } = setUp({ body: success(null) });
    const api = venue.api('kill');
    for (let i = 0; i < 6; i += 1) void venue.acquirePermit(POSITIONS, 'kill');
    for (let i = 0; i < 6; i += 1) void api.positions('USDT');
    await time.advance(0);
    expect(sent).toHaveLength(4);
    await time.advance(1_300);
    expect(sent).toHaveLength(6);
  });
});
