import { recordText } from '../../src/core/record-json.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CURRENCIES, type Currency } from '../../src/core/currency.js';
import { ASSUMPTIONS } from '../../src/exchange/assumptions.js';
import type { SimulatedExchange } from '../../src/exchange/simulated-exchange.js';
import { QUIRKS } from '../../src/sandbox/behavior/quirks.js';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import { WIRE_ASSUMPTIONS } from '../../src/sandbox/behavior/wire-assumptions.js';
import {
  limitOrder,
  marketOrder,
  openTestSandbox,
  ORDER_PATH,
} from '../support/rigs/test-sandbox.js';
import type { TestSandbox } from '../support/rigs/test-sandbox.js';
import { FUTURES, step, type Request, type Step } from './fuzz-requests.js';
import { add, subtract, type Amount } from '../../src/core/fixed/fixed.js';

/** Approximate number of requests. Set it with `SLUICE_RUNS`. */
const REQUESTS = Number(process.env['SLUICE_RUNS'] ?? 3_000);
/** Average number of requests to one sandbox. */
const PER_SANDBOX = 54;

const BIG = `{"quantity":"${'9'.repeat(2_000_000)}"}`;

/** Statuses of the interface. 500 is the documented response to the cancel of a malformed id. */
const STATUSES = new Set([200, 202, 400, 401, 404, 409, 423]);
const MALFORMED_CANCEL = /^DELETE \/fapi\/v1\/futures\/orders\/[^/]+$/;

/** The state that a rejected request must not change. */
function stateOf(exchange: SimulatedExchange): string {
  const perCurrency = CURRENCIES.map((currency) => [
    exchange.futuresWallet(currency),
    exchange.spotBalance(currency),
    exchange.totals(currency),
    exchange.positions(currency),
    exchange.positionHistory(currency),
    exchange.transfers(currency),
    ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'].map((symbol) => exchange.leverage(symbol, currency)),
  ]);
  return recordText([exchange.allOrders(), perCurrency]);
}

/** Spot, free and locked money of a currency, 1e-8. */
const owned = (exchange: SimulatedExchange, currency: Currency): Amount => {
  const { balance, locked } = exchange.futuresWallet(currency);
  return add(add(exchange.spotBalance(currency), balance), locked);
};

type Owned = Readonly<Record<Currency, Amount>>;

/** Per currency: no money appears or vanishes, and no wallet is below 0. */
function expectConserved(exchange: SimulatedExchange, start: Owned): void {
  for (const currency of CURRENCIES) {
    const { realisedPnl, fees, funding, transfers } = exchange.totals(currency);
    const change = subtract(owned(exchange, currency), start[currency]);
    expect(change).toBe(add(subtract(subtract(realisedPnl, fees), funding), transfers));
    expect(exchange.futuresWallet(currency).locked).toBeGreaterThanOrEqual(0);
    expect(exchange.spotBalance(currency)).toBeGreaterThanOrEqual(0);
  }
}

/** A success or failure envelope, or the one documented form without an envelope. */
function expectDocumented(path: string, status: number, text: string): void {
  const json: unknown = JSON.parse(text);
  if (path === `${FUTURES}/ping` && status === 200) {
    expect(json).toEqual({ code: 200, text: 'pong' });
  } else if (status < 300) {
    expect(json).toMatchObject({ success: true });
    expect(json).toHaveProperty('data');
  } else {
    const { success, errors } = json as { success: boolean; errors: Record<string, unknown>[] };
    expect([success, errors.length]).toEqual([false, 1]);
    expect(Object.keys(errors[0] ?? {}).toSorted()).toEqual(['code', 'text']);
    expect(typeof errors[0]?.['text']).toBe('string');
    expect(['number', 'object']).toContain(typeof errors[0]?.['code']);
  }
}

async function send(testSandbox: TestSandbox, sent: Request): Promise<void> {
  const { exchange } = testSandbox.sandbox;
  const orders = exchange.allOrders();
  const order = orders[sent.pick % Math.max(1, orders.length)];
  const path = sent.target.path
    .replace('{order}', sent.pick % 7 === 0 ? 'nonsense' : (order?.orderId ?? 'none'))
    .replace('{position}', sent.pick % 7 === 1 ? 'nonsense' : (order?.positionId ?? 'none'));
  const { method } = sent.target;
  const { query, headers: sentHeaders } = sent;
  const before = stateOf(exchange);
  const request = { method, path, query, headers: sentHeaders, body: sent.body };
  const reply = await testSandbox.sandbox.handle(request);
  if (reply === 'reset') throw new Error('every request gets a response');
  const errorText = `${method} ${path}?${query} ${sent.body.slice(0, 200)} -> ${reply.status} ${reply.body.slice(0, 200)}`;
  const isMalformedCancel = reply.status === 500 && MALFORMED_CANCEL.test(`${method} ${path}`);
  if (!isMalformedCancel) expect(STATUSES, errorText).toContain(reply.status);
  expectDocumented(path, reply.status, reply.body);
  if (reply.status >= 400 || method === 'GET') expect(stateOf(exchange), errorText).toBe(before);
}

type Answers = readonly { readonly field: string; readonly other: unknown }[];
const others = (answers: Answers): object =>
  Object.fromEntries(answers.map(({ field, other }) => [field, other]));

/** Every open question answered either way, and quirks among them; half the time all by default. */
const ways: fc.Arbitrary<SandboxOptions> = fc.oneof(
  fc.constant({}),
  fc.record({
    assumptions: fc.subarray([...ASSUMPTIONS]).map(others),
    switches: fc
      .tuple(fc.subarray([...WIRE_ASSUMPTIONS]), fc.subarray([...QUIRKS]))
      .map(([wire, quirks]) =>
        Object.assign(others(wire), ...quirks.map((quirk) => quirk.switches)),
      ),
  }),
);

/** Positions in both currencies, resting orders and a stop, so that every route has an object. */
async function openWorld(options: SandboxOptions = {}): Promise<TestSandbox> {
  const testSandbox = openTestSandbox(options);
  await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '60000' });
  for (const currency of CURRENCIES) {
    const more = { trade_currency: currency };
    const leverage = { leverage: 5, ...more };
    await testSandbox.call('POST', `${FUTURES}/BTCUSDT/leverage?is_symbol`, leverage);
    const stop = { is_stoploss: true, stoploss_price: '55000', ...more };
    await testSandbox.call('POST', ORDER_PATH, marketOrder(`open-${currency}`, stop));
    await testSandbox.call('POST', ORDER_PATH, limitOrder(`rest-${currency}`, '59000', more));
    await testSandbox.call('POST', ORDER_PATH, limitOrder(`low-${currency}`, '30000', more));
  }
  await testSandbox.time.advance(20);
  return testSandbox;
}

async function performAction(testSandbox: TestSandbox, taken: Step): Promise<void> {
  if (taken.kind === 'request') return send(testSandbox, taken);
  if (taken.kind === 'price') {
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: taken.price });
    return;
  }
  testSandbox.sandbox.advance(taken.ms);
  return testSandbox.time.advance(taken.ms);
}

const internalErrors = (testSandbox: TestSandbox): unknown =>
  (JSON.parse(testSandbox.sandbox.state()) as { internal_errors: unknown }).internal_errors;

describe('the sandbox under random requests', () => {
  test(
    'every response has a documented form, and a rejected request changes no state',
    async () => {
      const steps = fc.array(step, { minLength: 1, maxLength: 120, size: 'max' });
      await fc.assert(
        fc.asyncProperty(ways, steps, async (options, taken) => {
          const testSandbox = await openWorld(options);
          const { exchange } = openTestSandbox().sandbox;
          const start = { USDT: owned(exchange, 'USDT'), INR: owned(exchange, 'INR') };
          for (const one of taken) {
            await performAction(testSandbox, one);
            expectConserved(testSandbox.sandbox.exchange, start);
          }
          expect(internalErrors(testSandbox)).toEqual([]);
          testSandbox.sandbox.stop();
        }),
        { numRuns: Math.ceil(REQUESTS / PER_SANDBOX) },
      );
    },
    Math.max(30_000, REQUESTS * 20),
  );

  test('bodies of megabytes are read or rejected', async () => {
    const testSandbox = await openWorld();
    for (const [method, path] of [
      ['POST', ORDER_PATH],
      ['POST', `${FUTURES}/BTCUSDT/order?is_symbol`],
      ['POST', '/fapi/v1/wallet/futures/transfer'],
    ] as const) {
      for (const text of [BIG, `"${BIG}`, `{"client_order_id":"${'a'.repeat(2_000_000)}"}`]) {
        const before = stateOf(testSandbox.sandbox.exchange);
        const { status } = await testSandbox.call(method, path, text);
        expect(status).toBe(400);
        expect(stateOf(testSandbox.sandbox.exchange)).toBe(before);
      }
    }
    expect(internalErrors(testSandbox)).toEqual([]);
  });
});
