import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import { fixed, textFromFixed } from '../../core/fixed/fixed.js';
import { clientOrderIdOf } from '../../core/ids.js';
import { decisionKey, type OrderIntent } from '../../core/intent.js';
import { JournalRecordError } from './journal-record-error.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  intentOfRecord,
  payloadHashOf,
  type JournalRecord,
  type JournalRecordOf,
} from './journal-record.js';

const AT = 1_746_403_260_000;
const CAUSE = { kind: 'candle', symbol: 'BTCUSDT', interval: '1m', openTime: AT - 60_000 } as const;
const ID = clientOrderIdOf(
  {
    account: 'demo',
    strategyId: 'cross',
    symbol: 'BTCUSDT',
    currency: 'USDT',
    cause: CAUSE,
    ordinal: 0,
    leg: 0,
  },
  1,
);

const INTENT: JournalRecordOf<'intent'> = {
  type: 'intent',
  venueTime: AT,
  clientOrderId: ID,
  generation: 1,
  strategyId: 'cross',
  cause: CAUSE,
  ordinal: 0,
  decisionKey: decisionKey(CAUSE, 0),
  leg: 0,
  terms: {
    symbol: 'BTCUSDT',
    currency: 'USDT',
    side: 'buy',
    type: 'limit',
    quantity: d('0.004'),
    price: d('60000.1'),
    reduceOnly: false,
    stopLoss: d('58800'),
  },
  referencePrice: d('60000'),
  decidedAt: AT,
  validUntil: AT + 3_000,
  payloadHash: 'f'.repeat(64),
  reserved: d('240.0004'),
};

const RECORDS: readonly JournalRecord[] = [
  { type: 'header', venueTime: AT, account: 'demo', venue: 'http://127.0.0.1:8787', instance: 'i' },
  { type: 'header', venueTime: AT, account: 'demo', venue: 'http://127.0.0.1:8787' },
  INTENT,
  {
    type: 'verdict',
    venueTime: AT,
    clientOrderId: ID,
    strategyId: 'cross',
    decisionKey: 'k',
    leg: 1,
    phase: 'decide',
    ok: false,
    control: 'R05',
    key: 'max_ref_price_age_ms',
    text: 'price of BTCUSDT is 4000 ms old, limit 3000 ms',
    values: { age_ms: '4000', limit_ms: '3000' },
  },
  { type: 'attempt', venueTime: AT, clientOrderId: ID, attempt: 1, generation: 1 },
  {
    type: 'outcome',
    venueTime: AT,
    clientOrderId: ID,
    attempt: 1,
    outcome: 'yes',
    orderId: 'o-1',
    positionId: 'p-1',
  },
  {
    type: 'outcome',
    venueTime: AT,
    clientOrderId: ID,
    attempt: 2,
    outcome: 'no',
    code: 'client-order-id-exists',
    status: 409,
    text: 'client order id already exists',
  },
  {
    type: 'outcome',
    venueTime: AT,
    clientOrderId: ID,
    attempt: 3,
    outcome: 'unknown',
    sent: true,
    cause: 'no answer within 10000 ms: "…"\n',
  },
  {
    type: 'update',
    venueTime: AT,
    clientOrderId: ID,
    orderId: 'o-1',
    status: 'partially-filled',
    filledQuantity: d('0.001'),
    averagePrice: d('59999.99999999'),
    final: true,
    reason: 'canceled by user',
  },
  { type: 'dropped', venueTime: AT, clientOrderId: ID, reason: 'too late' },
  { type: 'burned', venueTime: AT, clientOrderId: ID, evidence: '5 reads, history, positions' },
  { type: 'mode', venueTime: AT, symbol: 'BTCUSDT', from: 'TRADING', to: 'HALTED', cause: 'x' },
  { type: 'command', venueTime: AT, commandId: 'c1', command: { kind: 'stop', policy: 'flatten' } },
  {
    type: 'command',
    venueTime: AT,
    commandId: 'c2',
    command: { kind: 'kill', level: 'pause', reason: 'file' },
  },
  {
    type: 'leverage',
    venueTime: AT,
    symbol: 'BTCUSDT',
    currency: 'INR',
    leverage: d('2.5'),
    source: 'read',
  },
  {
    type: 'past',
    venueTime: AT,
    clientOrderId: ID,
    generation: 2,
    strategyId: 'cross',
    cause: CAUSE,
    ordinal: 0,
    leg: 1,
    terms: INTENT.terms,
    referencePrice: d('60000'),
    decidedAt: AT,
    validUntil: AT + 3_000,
    state: 'canceled',
    attempts: 2,
    unknownSeen: true,
    conflictSeen: false,
    wanted: true,
    orderId: 'o-1',
    positionId: 'p-1',
    filledQuantity: d('0.001'),
    averagePrice: d('59999.99999999'),
  },
  {
    type: 'position',
    venueTime: AT,
    symbol: 'BTCUSDT',
    currency: 'USDT',
    quantity: d('-0.004'),
    cause: 'the venue says so',
  },
  { type: 'rescue', venueTime: AT, cause: 'ENOSPC' },
  { type: 'note', venueTime: AT, level: 'warn', text: 'पोर्ट', clientOrderId: ID },
];

const textOf = (record: JournalRecord): string =>
  new TextDecoder().decode(encodeJournalRecord(record));
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** The object with its keys in another order, at every depth. */
function reversed<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  ) as T;
}

describe('journal records', () => {
  it.each(RECORDS.map((record) => [record.type, record] as const))(
    'a record of type %s survives encoding and decoding',
    (_type, record) => {
      const bytes = encodeJournalRecord(record);
      const back = decodeJournalRecord(bytes);
      expect(back).toEqual(record);
      expect(encodeJournalRecord(back)).toEqual(bytes);
    },
  );

  it.each(RECORDS.map((record) => [record.type, record] as const))(
    'a record of type %s has the same bytes in any order of its keys',
    (_type, record) => {
      expect(textOf(reversed(record))).toBe(textOf(record));
    },
  );

  it.each([
    { kind: 'second', symbol: 'BTCUSDT', price: 'mark', openTime: AT - 1_000 },
    { kind: 'mark-candle', symbol: 'BTCUSDT', openTime: AT - 60_000 },
  ] as const)('a decision on a $kind keeps its cause', (cause) => {
    const record = { ...INTENT, cause, decisionKey: decisionKey(cause, 0) };
    expect(decodeJournalRecord(encodeJournalRecord(record))).toEqual(record);
  });

  it('a record is one line of JSON, version and type first, decimals as text', () => {
    expect(textOf(INTENT)).toBe(
      '{"v":2,"type":"intent","venueTime":1746403260000,' +
        `"clientOrderId":"${ID}","generation":1,"strategyId":"cross",` +
        '"cause":{"kind":"candle","symbol":"BTCUSDT","interval":"1m","openTime":1746403200000},' +
        '"ordinal":0,"decisionKey":"candle:BTCUSDT:1m:1746403200000#0","leg":0,' +
        '"terms":{"symbol":"BTCUSDT","currency":"USDT","side":"buy","type":"limit",' +
        '"quantity":"0.004","price":"60000.1","reduceOnly":false,"stopLoss":"58800"},' +
        '"referencePrice":"60000","decidedAt":1746403260000,"validUntil":1746403263000,' +
        `"payloadHash":"${'f'.repeat(64)}","reserved":"240.0004"}\n`,
    );
  });

  it('a record holds every decimal exactly', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const record: JournalRecord = {
          type: 'update',
          venueTime: AT,
          clientOrderId: ID,
          status: 'created',
          filledQuantity: fixed(value),
          final: false,
        };
        expect(textOf(record)).toContain(`"filledQuantity":"${textFromFixed(fixed(value))}"`);
        expect(decodeJournalRecord(encodeJournalRecord(record))).toEqual(record);
      }),
    );
  });

  it('a record restores the intent as it was approved', () => {
    const record = decodeJournalRecord(encodeJournalRecord(INTENT));
    expect(record.type === 'intent' && intentOfRecord(record)).toEqual({
      strategyId: 'cross',
      cause: CAUSE,
      ordinal: 0,
      leg: 0,
      terms: INTENT.terms,
      referencePrice: INTENT.referencePrice,
      decidedAt: AT,
      validUntil: AT + 3_000,
    } satisfies OrderIntent);
  });

  const raw = JSON.parse(textOf(INTENT)) as Record<string, unknown>;
  it.each([
    { name: 'no JSON', bytes: new TextEncoder().encode('{"v":1'), problem: /not a line of JSON/ },
    { name: 'no UTF-8', bytes: Uint8Array.of(0x22, 0xff, 0x22), problem: /not a line of JSON/ },
    { name: 'a text', bytes: bytesOf('x'), problem: /version undefined/ },
    {
      name: 'a later version',
      bytes: bytesOf({ ...raw, v: 3 }),
      problem: /version 3; .*reads 1 to 2/,
    },
    { name: 'an unknown type', bytes: bytesOf({ ...raw, type: 'unknown' }), problem: /type/ },
    { name: 'an unknown field', bytes: bytesOf({ ...raw, extra: 1 }), problem: /extra/ },
    { name: 'a missing field', bytes: bytesOf({ ...raw, leg: undefined }), problem: /leg/ },
    { name: 'a decimal as number', bytes: bytesOf({ ...raw, reserved: 240 }), problem: /reserved/ },
    {
      name: 'a decimal that is not the shortest',
      bytes: bytesOf({ ...raw, reserved: '240.00040' }),
      problem: /"240\.00040" is not a shortest decimal/,
    },
    {
      name: 'a decimal of too many places',
      bytes: bytesOf({ ...raw, reserved: '0.0000000000000000001' }),
      problem: /is not a shortest decimal/,
    },
    {
      name: 'a bad id',
      bytes: bytesOf({ ...raw, clientOrderId: 'a b' }),
      problem: /client order id/,
    },
    {
      name: 'a decision key of another cause',
      bytes: bytesOf({ ...raw, decisionKey: 'candle:BTCUSDT:1m:0#0' }),
      problem: /does not belong to its cause, candle:BTCUSDT:1m:1746403200000#0/,
    },
    {
      name: 'an unknown rejection code',
      bytes: bytesOf({
        v: 1,
        type: 'outcome',
        venueTime: AT,
        clientOrderId: ID,
        attempt: 1,
        outcome: 'no',
        code: 'toString',
      }),
      problem: /code/,
    },
  ])('a record is not read from $name', ({ bytes, problem }) => {
    expect(() => decodeJournalRecord(bytes)).toThrow(JournalRecordError);
    expect(() => decodeJournalRecord(bytes)).toThrow(problem);
  });

  it('a value that is no record cannot be encoded', () => {
    const wrong = { ...INTENT, generation: -1 };
    expect(() => encodeJournalRecord(wrong)).toThrow(/generation/);
  });
});

describe('payload hash', () => {
  it('the payload hash is equal for the same id and terms, and differs with any of them', () => {
    const hash = payloadHashOf(ID, INTENT.terms);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(payloadHashOf(ID, reversed(INTENT.terms))).toBe(hash);
    const others = [
      payloadHashOf(`${ID}x`, INTENT.terms),
      payloadHashOf(ID, { ...INTENT.terms, side: 'sell' }),
      payloadHashOf(ID, { ...INTENT.terms, price: d('60000.2') }),
      payloadHashOf(ID, { ...INTENT.terms, takeProfit: d('70000') }),
    ];
    expect(new Set([hash, ...others]).size).toBe(5);
  });
});
