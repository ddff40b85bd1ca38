import { describe, expect, it } from 'vitest';
import { d, VENUE_TIME } from '../../../test/support/builders/risk-case.js';
import { AssertionError } from '../../core/assert.js';
import type { JournalRecord, JournalRecordOf } from '../journal/journal-record.js';
import { decodeJournalRecord, encodeJournalRecord } from '../journal/journal-record.js';
import type { OperationPlan, OperationStep } from '../operation/operation.js';
import { recoverOperations } from './operation-recovery.js';

const venueTime = VENUE_TIME;
const LOCK = { symbol: 'BTCUSDT', currency: 'USDT' } as const;
const PLANS = {
  amend: {
    kind: 'amend',
    clientOrderId: 'x',
    fromPrice: d('1'),
    fromQuantity: d('1'),
    price: d('2'),
    quantity: d('2'),
  },
  protect: { kind: 'protect', ...LOCK, slot: 'stopLoss', price: d('2') },
  margin: { kind: 'margin', ...LOCK, change: d<'USDT'>('-1') },
  leverage: { kind: 'leverage', ...LOCK, leverage: d('2') },
  transfer: { kind: 'transfer', currency: 'INR', direction: 'withdraw', amount: d<'INR'>('1') },
} as const satisfies Record<string, OperationPlan>;
const STEPS = {
  amend: { kind: 'amend', orderId: 'o' },
  set: { kind: 'set-leg', positionId: 'p', clientOrderId: 'leg-1', generation: 1 },
  edit: { kind: 'move-leg', positionId: 'p', orderId: 's', from: d('1') },
  cancel: { kind: 'cancel-leg', orderId: 's' },
  margin: {
    kind: 'change-margin',
    quantity: d('1'),
    positionId: 'p',
    initialMargin: d<'USDT'>('10'),
    balance: d<'USDT'>('5'),
    locked: d<'USDT'>('10'),
  },
  leverage: { kind: 'set-leverage' },
  transfer: {
    kind: 'transfer',
    known: ['r1'],
    balance: d<'INR'>('5'),
    withdrawable: d<'INR'>('5'),
  },
} as const satisfies Record<string, OperationStep>;

const begun = (plan: OperationPlan): JournalRecord => ({
  type: 'operation',
  venueTime,
  operationId: '1',
  plan,
});
const attempt = (step: OperationStep, number = 1): JournalRecord =>
  ({
    type: 'operation-attempt',
    venueTime,
    operationId: '1',
    attempt: number,
    step,
  }) as JournalRecord;
type Outcome = JournalRecordOf<'operation-outcome'>;
const outcome = (of: Partial<Outcome> & Pick<Outcome, 'outcome'>): JournalRecord => ({
  type: 'operation-outcome',
  venueTime,
  operationId: '1',
  attempt: 1,
  ...of,
});
const YES = outcome({ outcome: 'yes' });
const UNKNOWN = outcome({ outcome: 'unknown', sent: true, cause: '' });
const UNSENT = outcome({ outcome: 'unknown', sent: false, cause: '' });
const LOCKED = outcome({ outcome: 'no', code: 'locked', status: 423, text: '' });
const REFUSED = outcome({ outcome: 'no', code: 'params-error', status: 400, text: '' });
const LIMITED = outcome({ outcome: 'no', code: 'rate-limited', status: 429, text: '' });
const CONFLICT = outcome({ outcome: 'no', code: 'client-order-id-exists', status: 409, text: '' });
const ended = (end: JournalRecordOf<'operation-ended'>['end']): JournalRecord => ({
  type: 'operation-ended',
  venueTime,
  operationId: '1',
  end,
  evidence: '',
});

const { amend, protect, margin, leverage, transfer } = PLANS;
/** The state that each journal leads to; undefined: none. */
const CASES: readonly (readonly [
  OperationPlan,
  string,
  readonly JournalRecord[],
  string | undefined,
])[] = [
  [amend, 'INTENT', [], 'waiting'],
  [amend, 'ATTEMPT', [attempt(STEPS.amend)], 'verifying'],
  [amend, 'yes', [attempt(STEPS.amend), YES], 'acknowledged'],
  [amend, 'no for now', [attempt(STEPS.amend), LOCKED], 'retrying'],
  [amend, 'not sent', [attempt(STEPS.amend), UNSENT], 'retrying'],
  [amend, 'unknown', [attempt(STEPS.amend), UNKNOWN], 'verifying'],
  [amend, 'no', [attempt(STEPS.amend), REFUSED], undefined],
  [amend, 'its end', [attempt(STEPS.amend), YES, ended('applied')], undefined],
  [protect, 'INTENT', [], 'looking'],
  [protect, 'ATTEMPT', [attempt(STEPS.set)], 'verifying'],
  [protect, 'yes', [attempt(STEPS.set), YES], 'acknowledged'],
  [protect, 'unknown', [attempt(STEPS.set), UNKNOWN], 'verifying'],
  [protect, 'no for now', [attempt(STEPS.set), LOCKED], 'looking'],
  [protect, '409', [attempt(STEPS.set), CONFLICT], 'verifying'],
  [protect, 'a cancel', [attempt(STEPS.cancel)], 'looking'],
  [protect, 'a cancel that was answered', [attempt(STEPS.cancel), YES], 'looking'],
  [protect, 'a no after an unknown', [attempt(STEPS.set), UNKNOWN, REFUSED], 'verifying'],
  [margin, 'INTENT', [], 'measuring'],
  [margin, 'ATTEMPT', [attempt(STEPS.margin)], 'verifying'],
  [margin, 'unknown', [attempt(STEPS.margin), UNKNOWN], 'verifying'],
  [margin, 'yes', [attempt(STEPS.margin), YES], undefined],
  [margin, 'no', [attempt(STEPS.margin), LOCKED], undefined],
  [margin, 'not sent', [attempt(STEPS.margin), UNSENT], undefined],
  [margin, 'no proof', [attempt(STEPS.margin), UNKNOWN, ended('unproved')], 'unproved'],
  [transfer, 'INTENT', [], 'measuring'],
  [transfer, 'ATTEMPT', [attempt(STEPS.transfer)], 'verifying'],
  [transfer, 'yes', [attempt(STEPS.transfer), YES], 'verifying'],
  [transfer, 'no', [attempt(STEPS.transfer), REFUSED], undefined],
  [transfer, 'no proof', [attempt(STEPS.transfer), UNKNOWN, ended('unproved')], 'unproved'],
  [leverage, 'INTENT', [], 'reading'],
  [leverage, 'ATTEMPT', [attempt(STEPS.leverage)], 'reading'],
  [leverage, 'unknown', [attempt(STEPS.leverage), UNKNOWN], 'reading'],
  [leverage, 'no', [attempt(STEPS.leverage), REFUSED], undefined],
  [amend, 'a limit', [attempt(STEPS.amend), LIMITED], 'retrying'],
  [
    amend,
    'a second ATTEMPT',
    [attempt(STEPS.amend), LIMITED, attempt(STEPS.amend, 2)],
    'verifying',
  ],
  [amend, 'its fence', [attempt(STEPS.amend), UNKNOWN, ended('fenced')], undefined],
  [protect, 'a cancel without an answer', [attempt(STEPS.cancel), UNKNOWN], 'looking'],
  [protect, 'an edit', [attempt(STEPS.edit)], 'verifying'],
  [protect, 'not sent', [attempt(STEPS.set), UNSENT], 'looking'],
  [protect, 'not sent after an unknown', [attempt(STEPS.set), UNKNOWN, UNSENT], 'verifying'],
  [protect, 'its end', [attempt(STEPS.set), YES, ended('live')], undefined],
  [transfer, 'unknown', [attempt(STEPS.transfer), UNKNOWN], 'verifying'],
  [transfer, 'not sent', [attempt(STEPS.transfer), UNSENT], undefined],
  [transfer, 'its end', [attempt(STEPS.transfer), YES, ended('done')], undefined],
  [margin, 'its end', [attempt(STEPS.margin), UNKNOWN, ended('done')], undefined],
  [leverage, 'yes', [attempt(STEPS.leverage), YES], 'reading'],
  [leverage, 'a lock', [attempt(STEPS.leverage), LOCKED], 'reading'],
  [leverage, 'a limit', [attempt(STEPS.leverage), LIMITED], 'reading'],
  [leverage, 'its end', [attempt(STEPS.leverage), YES, ended('set')], undefined],
];

/** The records as a start reads them. */
const reread = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
  records.map((record) => decodeJournalRecord(encodeJournalRecord(record)));

describe('journal that ends', () => {
  it.each(CASES)(
    'the journal of $kind after %s leads to its state',
    (plan, _after, records, state) => {
      const { operations } = recoverOperations(reread([begun(plan), ...records]));
      expect(operations.map((operation) => operation.state)).toEqual(
        state === undefined ? [] : [state],
      );
      if (state !== undefined) expect(operations[0]).toMatchObject({ plan, recovered: true });
    },
  );

  it('the recovery has ids of protective orders, a 409, and the terms of amended orders', () => {
    const protectiveOrders = recoverOperations(
      reread([begun(protect), attempt(STEPS.set), CONFLICT]),
    );
    expect([...protectiveOrders.protectiveOrderIds]).toEqual(['leg-1']);
    expect(protectiveOrders.operations[0]).toMatchObject({ conflictSeen: true, unknownSeen: true });
    const amended = recoverOperations(
      reread([begun(amend), attempt(STEPS.amend), ended('applied')]),
    );
    expect(amended.amended.get('x')).toEqual(amend);
  });

  it.each([
    { records: [attempt(STEPS.edit)], left: 1 },
    { records: [attempt(STEPS.edit), UNKNOWN], left: 1 },
    { records: [attempt(STEPS.edit), YES], left: 0 },
    { records: [attempt(STEPS.edit), UNKNOWN, ended('live')], left: 0 },
    {
      records: [attempt(STEPS.edit), UNKNOWN, attempt(STEPS.edit, 2), YES, ended('live')],
      left: 1,
    },
  ])('$left edits may still land', ({ records, left }) => {
    const { unconfirmedEdits } = recoverOperations(reread([begun(protect), ...records]));
    expect(unconfirmedEdits).toHaveLength(left);
  });

  it('the recovery has the last request, the number of attempts, and whether one was unclear', () => {
    const records = [attempt(STEPS.set), UNKNOWN, attempt(STEPS.edit, 2), attempt(STEPS.edit, 3)];
    const cause = { kind: 'operator', commandId: 'c1' } as const;
    const begin = { ...(begun(protect) as JournalRecordOf<'operation'>), cause };
    const { operations, protectiveOrderIds } = recoverOperations(reread([begin, ...records]));
    expect(operations).toMatchObject([
      { id: '1', cause, attempts: 3, edits: 2, step: STEPS.edit, unknownSeen: true },
    ]);
    expect([...protectiveOrderIds]).toEqual(['leg-1']);
  });

  it('an operation with a reply has nothing unclear', () => {
    const { operations } = recoverOperations(
      reread([begun(protect), attempt(STEPS.set), LOCKED, attempt(STEPS.set, 2), UNSENT]),
    );
    expect(operations).toMatchObject([{ unknownSeen: false, conflictSeen: false, edits: 0 }]);
  });

  it('an end without proof keeps its evidence', () => {
    const end = {
      ...(ended('unproved') as JournalRecordOf<'operation-ended'>),
      evidence: 'two rows',
    };
    const { operations } = recoverOperations(
      reread([begun(margin), attempt(STEPS.margin), UNKNOWN, end]),
    );
    expect(operations).toMatchObject([{ state: 'unproved', evidence: 'two rows' }]);
  });

  it('an unconfirmed edit names its order and price', () => {
    const { unconfirmedEdits } = recoverOperations(reread([begun(protect), attempt(STEPS.edit)]));
    expect(unconfirmedEdits).toMatchObject([{ orderId: 's', price: protect.price }]);
  });

  it('edits of several operations are kept apart', () => {
    const other = (record: JournalRecord): JournalRecord =>
      ({ ...record, operationId: '2' }) as JournalRecord;
    const { operations, unconfirmedEdits } = recoverOperations(
      reread([
        begun(protect),
        other(begun(protect)),
        attempt(STEPS.edit),
        other(attempt(STEPS.edit)),
        UNKNOWN,
        other(YES),
        other(ended('live')),
      ]),
    );
    expect(operations.map(({ id }) => id)).toEqual(['1']);
    expect(unconfirmedEdits).toMatchObject([{ operationId: '1' }]);
  });

  it('a fenced amendment leaves no amended terms', () => {
    const { amended } = recoverOperations(
      reread([begun(amend), attempt(STEPS.amend), UNKNOWN, ended('fenced')]),
    );
    expect([...amended]).toEqual([]);
  });

  it('a journal without the intent of an attempt is an error', () => {
    expect(() => recoverOperations([attempt(STEPS.amend)])).toThrow(AssertionError);
  });
});
