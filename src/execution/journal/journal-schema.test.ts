import { describe, expect, it } from 'vitest';
import { JournalRecordError } from './journal-record-error.js';
import { decodeJournalRecord, encodeJournalRecord } from './journal-record.js';

type Json = Record<string, unknown>;
const AT = 1_746_403_260_000;
const ID = '7ubgiz-wnk56wtkpzqjjk6hhffyp7hgqc-a1';
const LOCK = { symbol: 'BTCUSDT', currency: 'USDT' };
const TERMS = {
  ...LOCK,
  side: 'sell',
  type: 'limit',
  quantity: '1',
  price: '60000',
  reduceOnly: true,
  stopLoss: '59000',
  takeProfit: '61000',
};
const CANDLE = { kind: 'candle', symbol: 'BTCUSDT', interval: '1m', openTime: AT };
const line = (type: string, fields: Json): Json => ({ v: 2, type, venueTime: AT, ...fields });
const command = (fields: Json): Json => line('command', { commandId: 'c', command: fields });
const planned = (plan: Json, cause: Json = CANDLE): Json =>
  line('operation', { operationId: 'o', cause, plan });
const attempted = (step: Json): Json =>
  line('operation-attempt', { operationId: 'o', attempt: 1, step });
const past = (state: string): Json =>
  line('past', {
    clientOrderId: ID,
    generation: 1,
    strategyId: 's',
    cause: CANDLE,
    ordinal: 0,
    leg: 0,
    terms: TERMS,
    referencePrice: '60000',
    decidedAt: AT,
    validUntil: AT,
    state,
    attempts: 1,
    unknownSeen: false,
    conflictSeen: false,
    wanted: true,
    filledQuantity: '0',
  });
const words = (make: (word: string) => Json, list: string): readonly Json[] =>
  list.split(' ').map(make);
const outcome = (type: string, fields: Json) => (word: string) =>
  line(type, { ...fields, attempt: 1, outcome: word });

/** A line of each type, and of each value that an enumeration has. */
const LINES: readonly Json[] = [
  line('header', { account: 'a', venue: 'v', instance: 'i' }),
  ...words(
    (word) =>
      line('verdict', {
        clientOrderId: ID,
        strategyId: 's',
        decisionKey: 'k',
        leg: 0,
        phase: word,
        ok: true,
        control: 'R05',
        key: 'k',
        text: 't',
        values: {},
      }),
    'decide send',
  ),
  line('state', { strategyId: 's', kept: { key: 'k', version: 0, value: '{}' } }),
  ...words(outcome('outcome', { clientOrderId: ID }), 'yes no unknown'),
  ...words(outcome('operation-outcome', { operationId: 'o' }), 'yes no unknown'),
  ...words(
    (status) => line('update', { clientOrderId: ID, status, filledQuantity: '0', final: false }),
    'created partially-filled filled canceled system-canceled unrecognised',
  ),
  ...words((policy) => command({ kind: 'stop', policy }), 'keep cancel-entries flatten'),
  ...words((level) => command({ kind: 'kill', level, reason: 'r' }), 'pause cancel flatten'),
  command({ kind: 'order', terms: TERMS, validUntil: AT }),
  command({ kind: 'order', terms: { ...TERMS, side: 'buy', type: 'market' }, validUntil: AT }),
  command({ kind: 'cancel', clientOrderId: ID }),
  command({ kind: 'resolve', clientOrderId: ID, as: 'never-landed' }),
  command({ kind: 'adopt', what: 'w' }),
  command({
    kind: 'amend',
    clientOrderId: ID,
    price: '1',
    quantity: '1',
    validUntil: AT,
    inPlace: true,
  }),
  ...words(
    (direction) =>
      command({ kind: 'transfer', currency: 'INR', direction, amount: '1', force: true }),
    'deposit withdraw',
  ),
  command({ kind: 'set-leverage', ...LOCK, leverage: '2' }),
  command({ kind: 'margin', ...LOCK, change: '-1', reduce: true, force: false }),
  command({ kind: 'protect', ...LOCK, stopLoss: '1', takeProfit: '2' }),
  ...words(
    (what) => command({ kind: 'operation', what, phase: 'begun', text: 't' }),
    'transfer leverage',
  ),
  ...words(
    (phase) => command({ kind: 'operation', what: 'transfer', phase, text: 't' }),
    'begun done refused unproved',
  ),
  ...words((source) => line('leverage', { ...LOCK, leverage: '2', source }), 'configured set read'),
  line('position', { ...LOCK, quantity: '1', foreign: '-1', cause: 'c' }),
  ...words(past, 'filled canceled rejected dropped burned'),
  planned({
    kind: 'amend',
    clientOrderId: ID,
    fromPrice: '1',
    fromQuantity: '1',
    price: '2',
    quantity: '2',
  }),
  ...words(
    (slot) => planned({ kind: 'protect', ...LOCK, slot, price: '1' }),
    'stopLoss takeProfit',
  ),
  planned({ kind: 'margin', ...LOCK, change: '1' }),
  planned({ kind: 'leverage', ...LOCK, leverage: '2' }),
  ...words(
    (direction) => planned({ kind: 'transfer', currency: 'USDT', direction, amount: '1' }),
    'deposit withdraw',
  ),
  ...[
    { kind: 'round', interval: '1m', closeTime: AT },
    { kind: 'second', symbol: 'BTCUSDT', price: 'last', openTime: AT },
    { kind: 'second', symbol: 'BTCUSDT', price: 'mark', openTime: AT },
    { kind: 'mark-candle', symbol: 'BTCUSDT', openTime: AT },
    { kind: 'fill', orderId: 'o', fillId: 'f' },
    { kind: 'timer', venueTime: AT, key: 'k' },
    { kind: 'operator', commandId: 'c' },
  ].map((cause) => planned({ kind: 'margin', ...LOCK, change: '1' }, cause)),
  attempted({ kind: 'amend', orderId: 'o' }),
  attempted({ kind: 'set-leg', positionId: 'p', clientOrderId: ID, generation: 1 }),
  attempted({ kind: 'move-leg', positionId: 'p', orderId: 'o', from: '1' }),
  attempted({ kind: 'cancel-leg', orderId: 'o' }),
  attempted({
    kind: 'change-margin',
    quantity: '1',
    positionId: 'p',
    initialMargin: '1',
    balance: '1',
    locked: '1',
  }),
  attempted({ kind: 'set-leverage' }),
  attempted({ kind: 'transfer', known: ['r'], balance: '1', withdrawable: '1' }),
  ...words(
    (end) => line('operation-ended', { operationId: 'o', end, evidence: 'e' }),
    'applied fenced live gone done set contested refused unproved dropped',
  ),
  line('rescue', { cause: 'ENOSPC' }),
  ...words((level) => line('note', { level, text: 't', clientOrderId: ID }), 'info warn error'),
];

const bytesOf = (value: Json): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value)}\n`);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const refuses = (value: Json): void => {
  expect(() => decodeJournalRecord(bytesOf(value)), JSON.stringify(value)).toThrow(
    JournalRecordError,
  );
};

/** For each object of a line, the line with an extra field in that object. */
function withOneMore(value: Json): readonly Json[] {
  return [
    { ...value, another: 1 },
    ...Object.entries(value).flatMap(([key, member]) =>
      typeof member !== 'object' || member === null || Array.isArray(member) || key === 'values'
        ? []
        : withOneMore(member as Json).map((each) => ({ ...value, [key]: each })),
    ),
  ];
}

/** For each enumerated text of a line, the line with another text. */
const WORDS = new Set(
  'kind type policy level direction phase status source state slot end outcome side price'.split(
    ' ',
  ),
);
function withAnotherWord(value: Json): readonly Json[] {
  return Object.entries(value).flatMap(([key, member]) => {
    if (typeof member === 'string' && WORDS.has(key)) return [{ ...value, [key]: 'another' }];
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return [];
    return withAnotherWord(member as Json).map((each) => ({ ...value, [key]: each }));
  });
}

describe('line of the journal', () => {
  it.each(LINES.map((each) => [JSON.stringify(each), each] as const))('%s', (_text, each) => {
    expect(textOf(encodeJournalRecord(decodeJournalRecord(bytesOf(each))))).toBe(
      textOf(bytesOf(each)),
    );
  });

  it('an unknown field is refused at any depth', () => {
    for (const each of LINES) for (const more of withOneMore(each)) refuses(more);
  });

  it('an unknown value of an enumeration is refused at any depth', () => {
    for (const each of LINES) for (const other of withAnotherWord(each)) refuses(other);
  });

  it.each([
    { what: 'a count below 0', fields: { attempt: -1 } },
    { what: 'half a count', fields: { attempt: 0.5 } },
    { what: 'a time that is no whole ms', fields: { venueTime: 0.5 } },
    { what: 'an attempt as text', fields: { attempt: '1' } },
  ])('a line with $what is refused', ({ fields }) => {
    const attempt = line('attempt', { clientOrderId: ID, attempt: 1, generation: 1 });
    expect(decodeJournalRecord(bytesOf(attempt))).toMatchObject({ attempt: 1 });
    refuses({ ...attempt, ...fields });
  });

  it('a protective order without a generation is refused', () => {
    refuses(attempted({ kind: 'set-leg', positionId: 'p', clientOrderId: ID, generation: 0 }));
  });
});
