import { describe, expect, test } from 'vitest';
import { parseFaults } from './fault-rules.js';
import { createFaults } from './faults.js';

const PLACE = { on: 'POST /fapi/v2/futures/order' };
const planOf = (rules: readonly unknown[], seed = 1) => {
  const faults = createFaults(seed, parseFaults(rules));
  return (method = 'POST', path = '/fapi/v2/futures/order') => faults.plan(method, path);
};

describe('a fault list', () => {
  test.each([
    ['is not a list', {}, 'the fault list is not a JSON array'],
    ['has entries that are not objects', [3], 'faults[0] is not an object'],
    [
      'names an unknown fault',
      [{ ...PLACE, fault: 'resp_lots' }],
      'faults[0].fault "resp_lots" is unknown; faults are req_lost, resp_lost',
    ],
    [
      'has an unknown key',
      [{ ...PLACE, fault: 'resp_lost', delay: 3 }],
      'faults[0] has an unknown key "delay"; keys are on, fault, probability, count, delay_ms',
    ],
    [
      'has a probability above 1',
      [{ ...PLACE, fault: 'resp_lost', probability: 20 }],
      'faults[0].probability 20 is not a number, 0 to 1',
    ],
    [
      'has a delay without a length',
      [{ ...PLACE, fault: 'req_delay' }],
      'faults[0].delay_ms must be above 0',
    ],
    ['lacks the target', [{ fault: 'resp_lost' }], 'faults[0].on undefined is not "METHOD /path"'],
    ['applies 0 times', [{ ...PLACE, fault: '423(0)' }], 'faults[0].fault "423(0)" is unknown'],
    [
      'applies a request fault to a stream',
      [{ on: 'WS', fault: 'resp_lost' }],
      'faults[0].on must be "METHOD /path" for resp_lost',
    ],
    [
      'names a time without the clock',
      [{ ...PLACE, fault: 'liq@+90s' }],
      'faults[0]: "on":"CLOCK" and a time belong together, as in "liq@+90s"',
    ],
    [
      'names the clock without a time',
      [{ on: 'CLOCK', fault: 'delist' }],
      'faults[0]: "on":"CLOCK" and a time belong together, as in "delist@+90s"',
    ],
    [
      'has an invalid time',
      [{ on: 'CLOCK', fault: 'delist@soon' }],
      'faults[0].fault has the time "soon"; write 2025-05-05T10:00:00Z, or +90s',
    ],
    [
      'has an invalid argument',
      [{ ...PLACE, fault: 'manual_op(dance)' }],
      'faults[0].fault "manual_op(dance)" is unknown',
    ],
    ['lacks its argument', [{ ...PLACE, fault: 'reject' }], 'fault "reject" is unknown'],
    [
      'has an invalid symbol',
      [{ ...PLACE, fault: 'liq', symbol: 'btc/usdt' }],
      'faults[0].symbol "btc/usdt" is not a symbol like "BTCUSDT"',
    ],
    ['drops a path', [{ ...PLACE, fault: 'ws_drop' }], 'faults[0].on must be "WS" for ws_drop'],
  ])('a fault list that %s is refused with a clear sentence', (_name, list, message) => {
    expect(() => parseFaults(list)).toThrow(message);
  });

  test.each(['crash@3', 'sigstop(5)', 'disk_full@100', 'torn', 'bit_flip', 'rollback'])(
    'a list with %s is refused with a reference to the simulation',
    (fault) => {
      const text = "is a fault of the bot's own process or disk, not of the venue: the simulation";
      expect(() => parseFaults([{ on: '*', fault }])).toThrow(text);
    },
  );

  test.each([
    ['GET /futures/positions', 'GET', '/fapi/v1/futures/positions', true],
    ['GET /futures/positions', 'GET', '/fapi/v1/futures/positions/history', false],
    ['* /futures/orders/*', 'DELETE', '/fapi/v1/futures/orders/abc', true],
    ['GET /futures/{id}/leverage', 'GET', '/fapi/v1/futures/BTCUSDT/leverage', true],
    ['POST /futures/*/leverage', 'GET', '/fapi/v1/futures/BTCUSDT/leverage', false],
    ['*', 'PATCH', '/anything', true],
  ])('a rule with %s matches %s %s: %s', (on, method, path, isConcerned) => {
    expect(planOf([{ on, fault: '500_before' }])(method, path).struck.length > 0).toBe(isConcerned);
  });
});

describe('fault draws', () => {
  test('a fault applies to the next n requests only', () => {
    const plan = planOf([{ ...PLACE, fault: '423(2)' }]);
    const statuses = [1, 2, 3].map(() => plan().replyInstead?.status);
    expect(statuses).toEqual([423, 423, undefined]);
  });

  test('faults follow their probability, identically for the same seed', () => {
    const rules = [{ ...PLACE, fault: 'resp_lost', probability: 0.2 }];
    const strikes = (seed: number) => {
      const plan = planOf(rules, seed);
      return Array.from({ length: 1_000 }, () => plan().lost === 'reply');
    };
    const struck = strikes(1).filter(Boolean).length;
    expect(struck).toBeGreaterThan(150);
    expect(struck).toBeLessThan(250);
    expect(strikes(1)).toEqual(strikes(1));
    expect(strikes(2)).not.toEqual(strikes(1));
  });

  test('a fault stops after its count', () => {
    const plan = planOf([{ ...PLACE, fault: 'resp_lost', probability: 0.5, count: 5 }]);
    const struck = Array.from({ length: 100 }, () => plan().struck.length);
    expect(struck.reduce((sum, one) => sum + one, 0)).toBe(5);
  });

  test('several faults of one request add up', () => {
    const plan = planOf([
      { ...PLACE, fault: 'req_delay', delay_ms: 300 },
      { ...PLACE, fault: 'resp_lost', delay_ms: 200 },
      { ...PLACE, fault: 'dup_deliver' },
    ]);
    expect(plan()).toMatchObject({
      struck: ['req_delay', 'resp_lost', 'dup_deliver'],
      requestDelayMs: 300,
      replyDelayMs: 200,
      lost: 'reply',
      deliveries: 2,
    });
  });

  test.each([
    ['reject(insufficient balance)', 400, 'insufficient balance'],
    ['reject(client order id already exists)', 409, 'client order id already exists'],
    ['reject(something of tomorrow)', 400, 'something of tomorrow'],
    ['429', 429, 'API rate limit exceeded'],
    ['500_before', 500, 'something went wrong'],
  ])('%s answers with status %i', (fault, status, text) => {
    const reply = planOf([{ ...PLACE, fault }])().replyInstead;
    expect(reply?.status).toBe(status);
    expect(JSON.parse(reply?.body ?? '')).toMatchObject({ success: false, errors: [{ text }] });
  });

  test.each([
    ['WS', 'kline@1m@btcusdt', true],
    ['WS kline', 'kline@1m@btcusdt', true],
    ['WS kline@1m', 'kline@1m@btcusdt', true],
    ['WS kline@1m@btcusdt', 'kline@1m@btcusdt', true],
    ['WS kline@1', 'kline@1m@btcusdt', false],
    ['WS markKline', 'kline@1m@btcusdt', false],
    ['WS ticker@1s', 'ticker@1s', true],
  ])('a rule with %s matches pushes of %s: %s', (on, stream, isConcerned) => {
    const faults = createFaults(1, parseFaults([{ on, fault: 'ws_drop' }]));
    expect([faults.hasFeed, faults.push(stream).length > 0]).toEqual([true, isConcerned]);
  });

  test('clock faults are due once; relative times count from setting the list', () => {
    let nowMs = 1_000;
    const faults = createFaults(1, [], () => nowMs);
    nowMs = 5_000;
    faults.set(parseFaults([{ on: 'CLOCK', fault: 'delist@+2s' }]));
    expect([6_999, 7_000, 8_000].map((ms) => faults.due(ms).length)).toEqual([0, 1, 0]);
  });

  test('a gateway fault answers with an HTML page', () => {
    expect(planOf([{ ...PLACE, fault: 'html_404' }])().replyInstead?.status).toBe(404);
    expect(planOf([{ ...PLACE, fault: 'html_503' }])().replyInstead?.status).toBe(503);
    const plan = planOf([{ ...PLACE, fault: 'html_5xx' }])();
    expect(plan.replyInstead).toBeUndefined();
    expect(plan.replyAfterwards).toMatchObject({
      status: 502,
      headers: { 'content-type': 'text/html' },
    });
  });
});
