import { describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  reportOf,
  unknown,
  unsent,
  no,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import {
  intentOf,
  d,
  VENUE_TIME,
  type IntentCase,
} from '../../../test/support/builders/risk-case.js';
import type { Values } from '../../risk/control.js';
import type { Approved, Refusal, Verdict } from '../../risk/verdict.js';
import type { OrderIntent } from '../../core/intent.js';
import type { EffectSink } from '../effects.js';
import { Journal } from './journal.js';
import { encodeJournalRecord, type JournalRecord } from './journal-record.js';
import { Operation } from '../operation/operation.js';
import { OperationJournal } from './operation-journal.js';
import { OwnOrder } from '../order/own-order.js';

const stamp = { venueTime: VENUE_TIME, monotonic: 1 };
const orderOf = (of: IntentCase = {}, of2: Partial<OrderIntent> = {}): OwnOrder =>
  new OwnOrder({
    key: 0,
    account: ACCOUNT,
    generation: 2,
    intent: { recovered: { ...intentOf(of), ...of2 } },
  });
const ORDER = orderOf({ quantity: '2', price: '59000' });
const ID = ORDER.clientOrderId;

function sinkOf(records: JournalRecord[], journaling = true): EffectSink {
  const nothing = (): undefined => undefined;
  const journal = (record: JournalRecord): unknown => records.push(record);
  return {
    journaling,
    journal,
    requestPermit: nothing,
    send: nothing,
    timer: nothing,
    notify: nothing,
  };
}

/** The records that these calls write, as lines of the file without version and time. */
function written(write: (journal: Journal) => void): readonly unknown[] {
  const records: JournalRecord[] = [];
  write(new Journal(sinkOf(records), stamp));
  return records.map(lineOf);
}
function lineOf(record: JournalRecord): unknown {
  expect(record.venueTime).toBe(VENUE_TIME);
  const line = new TextDecoder().decode(encodeJournalRecord(record));
  const { v, venueTime, ...rest } = JSON.parse(line) as Record<string, unknown>;
  expect([v, venueTime].every((each) => typeof each === 'number')).toBe(true);
  return rest;
}

const values: Values = { limit: '3' };
const REFUSAL: Refusal = {
  ok: false,
  control: 'R05',
  key: 'max_ref_price_age_ms',
  clock: 'monotonic',
  stopStrategy: false,
  explain: () => 'too old',
  values: () => values,
};
const approval = (wouldRefuse?: Refusal): Verdict => ({
  ok: true,
  approved: ORDER.intent as Approved<OrderIntent>,
  checks: ['R05'],
  wouldRefuse,
  explain: () => 'all 1 controls passed',
  warning: () => undefined,
  values: () => values,
});
const JUDGED = {
  type: 'verdict',
  strategyId: 'cross',
  decisionKey: expect.any(String) as string,
  leg: 0,
  phase: 'decide',
};

describe('journal of an order', () => {
  it.each([
    { what: 'its limit price', order: ORDER, reserved: '118000' },
    {
      what: 'the reference price of a market order',
      order: orderOf({ quantity: '2' }),
      reserved: '120000',
    },
  ])('the intent is journaled with the amount reserved at $what', ({ order, reserved }) => {
    const [line] = written((journal) => {
      journal.intent(order);
    });
    expect(line).toMatchObject({
      type: 'intent',
      clientOrderId: order.clientOrderId,
      generation: 2,
      strategyId: 'cross',
      cause: { kind: 'candle', symbol: 'BTCUSDT', interval: '1m' },
      ordinal: 0,
      leg: 0,
      terms: { symbol: 'BTCUSDT', quantity: '2' },
      referencePrice: '60000',
      decidedAt: VENUE_TIME,
      validUntil: VENUE_TIME + 3_000,
      payloadHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      reserved,
    });
  });

  it.each<{ what: string; verdict: Verdict; id?: string; expected: object }>([
    {
      what: 'an approval',
      verdict: approval(),
      id: ID,
      expected: { clientOrderId: ID, ok: true, text: 'all 1 controls passed', values },
    },
    {
      what: 'an approval that another preset would not give',
      verdict: approval(REFUSAL),
      id: ID,
      expected: {
        clientOrderId: ID,
        ok: true,
        control: 'R05',
        key: 'max_ref_price_age_ms',
        text: 'all 1 controls passed',
        values,
      },
    },
    {
      what: 'a refusal',
      verdict: REFUSAL,
      expected: { ok: false, control: 'R05', key: 'max_ref_price_age_ms', text: 'too old', values },
    },
  ])('the verdict is journaled: $what', ({ verdict, id, expected }) => {
    expect(
      written((journal) => {
        journal.verdict(ORDER.intent, verdict, id);
      }),
    ).toEqual([{ ...JUDGED, ...expected }]);
  });

  it("the strategy's explanation is journaled beside the verdict", () => {
    const { intent } = orderOf({}, { explanation: 'fast over slow' });
    expect(
      written((journal) => {
        journal.verdict(intent, REFUSAL);
        journal.refusal(intent, 'ledger', 'one order a symbol');
      }),
    ).toMatchObject([
      { values: { limit: '3', explanation: 'fast over slow' } },
      { values: { explanation: 'fast over slow' } },
    ]);
  });

  it('a refusal outside the risk gate is journaled', () => {
    expect(
      written((journal) => {
        journal.refusal(ORDER.intent, 'ledger', 'one order a symbol');
      }),
    ).toEqual([
      { ...JUDGED, ok: false, control: 'ledger', text: 'one order a symbol', values: {} },
    ]);
  });

  it.each([
    { outcome: yes({ orderId: 'v1' }), expected: { outcome: 'yes', orderId: 'v1' } },
    {
      outcome: yes({ orderId: 'v1', positionId: 'p1' }),
      expected: { outcome: 'yes', orderId: 'v1', positionId: 'p1' },
    },
    {
      outcome: no('locked', 423),
      expected: { outcome: 'no', code: 'locked', status: 423, text: 'locked' },
    },
    { outcome: unknown(), expected: { outcome: 'unknown', sent: true, cause: 'no answer' } },
    {
      outcome: unknown(502),
      expected: { outcome: 'unknown', sent: true, cause: 'no answer', status: 502 },
    },
    { outcome: unsent, expected: { outcome: 'unknown', sent: false, cause: 'refused to connect' } },
  ])('each attempt and its outcome are journaled: $expected', ({ outcome, expected }) => {
    const order = orderOf();
    order.attempts = 3;
    const { clientOrderId } = order;
    expect(
      written((journal) => {
        journal.attempt(order);
        journal.outcome(order, outcome);
      }),
    ).toEqual([
      { type: 'attempt', clientOrderId, attempt: 3, generation: 2 },
      { type: 'outcome', clientOrderId, attempt: 3, ...expected },
    ]);
  });

  it('the facts of reads are journaled', () => {
    const order = orderOf();
    const report = reportOf(order.terms, { status: 'partially-filled' });
    const { clientOrderId } = order;
    const seen = { type: 'update', clientOrderId, orderId: 'v1', status: 'partially-filled' };
    expect(
      written((journal) => {
        journal.update(order, report);
      }),
    ).toEqual([{ ...seen, filledQuantity: '0', final: false }]);
    order.filledQuantity = d('0.0005');
    order.averagePrice = d('59990');
    expect(
      written((journal) => {
        journal.update(order, report);
      }),
    ).toEqual([{ ...seen, filledQuantity: '0.0005', averagePrice: '59990', final: false }]);
  });

  it.each([
    { end: 'dropped', reason: 'too late', expected: { type: 'dropped', reason: 'too late' } },
    { end: 'dropped', reason: undefined, expected: { type: 'dropped', reason: '' } },
    { end: 'burned', reason: 'five misses', expected: { type: 'burned', evidence: 'five misses' } },
    { end: 'burned', reason: undefined, expected: { type: 'burned', evidence: '' } },
    {
      end: 'rejected',
      reason: 'no funds',
      expected: { type: 'dropped', reason: 'rejected: no funds' },
    },
    { end: 'rejected', reason: undefined, expected: { type: 'dropped', reason: 'rejected: ' } },
    {
      end: 'canceled',
      reason: 'by the system',
      expected: {
        type: 'update',
        status: 'canceled',
        filledQuantity: '0',
        final: true,
        reason: 'by the system',
      },
    },
    {
      end: 'filled',
      reason: undefined,
      expected: { type: 'update', status: 'filled', filledQuantity: '0', final: true },
    },
  ] as const)('the end is journaled: $end because $reason', ({ end, reason, expected }) => {
    const order = orderOf();
    const { clientOrderId } = order;
    expect(
      written((journal) => {
        journal.ended(order, end, reason);
      }),
    ).toEqual([{ clientOrderId, ...expected }]);
  });

  it("the end is journaled with the venue's id and the average price", () => {
    const order = Object.assign(orderOf(), {
      orderId: 'v1',
      filledQuantity: d('0.001'),
      averagePrice: d('59990'),
    });
    expect(
      written((journal) => {
        journal.ended(order, 'filled', undefined);
      }),
    ).toMatchObject([
      { orderId: 'v1', filledQuantity: '0.001', averagePrice: '59990', final: true },
    ]);
  });

  it('a note is journaled as a warning by default', () => {
    expect(
      written((journal) => {
        journal.note(ORDER, 'odd');
        journal.note(ORDER, 'fine', 'info');
        journal.accountNote('error', 'of no order');
      }),
    ).toEqual([
      { type: 'note', level: 'warn', text: 'odd', clientOrderId: ID },
      { type: 'note', level: 'info', text: 'fine', clientOrderId: ID },
      { type: 'note', level: 'error', text: 'of no order' },
    ]);
  });
});

describe('journal of the account', () => {
  it('each change of mode is journaled with the mode before', () => {
    expect(
      written((journal) => {
        journal.mode('TRADING', 'reconciled');
        journal.mode('HALTED', 'second writer');
        journal.symbolMode('BTCUSDT', { from: 'TRADING', to: 'HALTED' }, 'grew', {
          control: 'R22',
          class: 'latching',
          restriction: 'HALTED',
        });
      }),
    ).toEqual([
      { type: 'mode', from: 'STARTING', to: 'TRADING', cause: 'reconciled' },
      { type: 'mode', from: 'TRADING', to: 'HALTED', cause: 'second writer' },
      {
        type: 'mode',
        symbol: 'BTCUSDT',
        from: 'TRADING',
        to: 'HALTED',
        cause: 'grew',
        control: 'R22',
        class: 'latching',
        restriction: 'HALTED',
      },
    ]);
  });

  it('commands and position changes are journaled', () => {
    const held = { symbol: 'BTCUSDT', currency: 'USDT', quantity: d<'quantity'>('-2') } as const;
    expect(
      written((journal) => {
        journal.command('c1', { kind: 'cancel', clientOrderId: 'x' });
        journal.position({ ...held, foreign: d('0') }, 'a close row');
        journal.position({ ...held, foreign: d('-1') }, 'confirmed by polls');
      }),
    ).toEqual([
      { type: 'command', commandId: 'c1', command: { kind: 'cancel', clientOrderId: 'x' } },
      {
        type: 'position',
        symbol: 'BTCUSDT',
        currency: 'USDT',
        quantity: '-2',
        cause: 'a close row',
      },
      {
        type: 'position',
        symbol: 'BTCUSDT',
        currency: 'USDT',
        quantity: '-2',
        foreign: '-1',
        cause: 'confirmed by polls',
      },
    ]);
  });
});

describe('journal of an operation', () => {
  const operation = (): Operation =>
    new Operation<'transfer'>({
      id: 't-1',
      plan: { kind: 'transfer', currency: 'USDT', direction: 'deposit', amount: d('5') },
      cause: { kind: 'operator', commandId: 'c1' },
    }) as unknown as Operation;

  it('the cause, each attempt and each outcome with its status are journaled', () => {
    const records: JournalRecord[] = [];
    const journal = new OperationJournal(sinkOf(records), stamp);
    const it = operation();
    journal.started(it);
    it.attempts = 2;
    const known = ['r1'];
    journal.attempt(it, { kind: 'transfer', known, balance: d('1'), withdrawable: d('2') });
    known.push('later');
    journal.outcome(it, unknown(502));
    journal.outcome(it, no('rate-limited', 429));
    it.state = 'unproved';
    it.evidence = 'two rows';
    journal.ended(it);
    expect(records.map(lineOf)).toEqual([
      {
        type: 'operation',
        operationId: 't-1',
        cause: { kind: 'operator', commandId: 'c1' },
        plan: { kind: 'transfer', currency: 'USDT', direction: 'deposit', amount: '5' },
      },
      {
        type: 'operation-attempt',
        operationId: 't-1',
        attempt: 2,
        step: { kind: 'transfer', known: ['r1'], balance: '1', withdrawable: '2' },
      },
      {
        type: 'operation-outcome',
        operationId: 't-1',
        attempt: 2,
        outcome: 'unknown',
        status: 502,
        sent: true,
        cause: 'no answer',
      },
      {
        type: 'operation-outcome',
        operationId: 't-1',
        attempt: 2,
        outcome: 'no',
        code: 'rate-limited',
        status: 429,
        text: 'rate-limited',
      },
      { type: 'operation-ended', operationId: 't-1', end: 'unproved', evidence: 'two rows' },
    ]);
  });
});

describe('run without a journal', () => {
  it('no record is made', () => {
    const records: JournalRecord[] = [];
    const sink = sinkOf(records, false);
    const journal = new Journal(sink, stamp);
    const report = reportOf(ORDER.terms);
    journal.intent(ORDER);
    journal.verdict(ORDER.intent, REFUSAL);
    journal.refusal(ORDER.intent, 'ledger', '');
    journal.attempt(ORDER);
    journal.outcome(ORDER, yes({ orderId: 'v1' }));
    journal.update(ORDER, report);
    journal.ended(ORDER, 'filled', undefined);
    journal.mode('TRADING', '');
    journal.command('c', { kind: 'cancel', clientOrderId: 'x' });
    journal.position({ symbol: '', currency: 'USDT', quantity: d('0'), foreign: d('0') }, '');
    journal.symbolMode('', { from: 'TRADING', to: 'HALTED' }, '', {
      control: 'R22',
      class: 'latching',
      restriction: 'HALTED',
    });
    journal.accountNote('info', '');
    journal.note(ORDER, '');
    const operations = new OperationJournal(sink, stamp);
    const operation = new Operation<'amend'>({
      id: '1',
      plan: {
        kind: 'amend',
        clientOrderId: 'x',
        fromPrice: d('1'),
        fromQuantity: d('1'),
        price: d('1'),
        quantity: d('1'),
      },
    }) as unknown as Operation;
    operations.started(operation);
    operations.attempt(operation, { kind: 'amend', orderId: 'v1' });
    operations.outcome(operation, yes(null));
    operations.ended(operation);
    expect(records).toEqual([]);
  });
});
