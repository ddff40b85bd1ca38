import { describe, expect, it } from 'vitest';
import { d, VENUE_TIME } from '../../../test/support/builders/risk-case.js';
import { ACCOUNT, ProtocolRig } from '../../../test/support/rigs/protocol-rig.js';
import { AssertionError } from '../../core/assert.js';
import type { JournalRecord, JournalRecordOf } from '../journal/journal-record.js';
import { recoverOrders } from './recovered-orders.js';

const rig = new ProtocolRig();
const submitted = rig.order({ quantity: '1', price: '60000' });
rig.protocol.submit(submitted);
const INTENT = rig.records[0] as JournalRecordOf<'intent'>;
const { clientOrderId } = submitted;
const venueTime = VENUE_TIME;

const attempt = (number: number): JournalRecord => ({
  type: 'attempt',
  venueTime,
  clientOrderId,
  attempt: number,
  generation: 1,
});
type OutcomeRecord = JournalRecordOf<'outcome'>;
const outcome = (
  fields: Partial<OutcomeRecord> & Pick<OutcomeRecord, 'outcome'>,
): JournalRecord => ({
  type: 'outcome',
  venueTime,
  clientOrderId,
  attempt: 1,
  ...fields,
});
const YES = outcome({ outcome: 'yes', orderId: 'v1', positionId: 'p1' });
const UNKNOWN = outcome({ outcome: 'unknown', sent: true, cause: 'no answer' });
const UNSENT = outcome({ outcome: 'unknown', sent: false, cause: 'refused' });
const no = (code: NonNullable<OutcomeRecord['code']>): JournalRecord =>
  outcome({ outcome: 'no', code, status: 400 });
const update = (
  status: JournalRecordOf<'update'>['status'],
  filled: string,
  final = false,
): JournalRecord => ({
  type: 'update',
  venueTime,
  clientOrderId,
  orderId: 'v1',
  status,
  filledQuantity: d(filled),
  ...(filled !== '0' && { averagePrice: d<'price'>('59990') }),
  final,
});
const NOTE: JournalRecord = { type: 'note', venueTime, level: 'warn', text: '', clientOrderId };
const dropped: JournalRecord = { type: 'dropped', venueTime, clientOrderId, reason: '' };
const burned: JournalRecord = { type: 'burned', venueTime, clientOrderId, evidence: '' };

interface Case {
  readonly journal: string;
  readonly records: readonly JournalRecord[];
  readonly left: Readonly<Record<string, unknown>>;
}

const CASES: readonly Case[] = [
  {
    journal: 'INTENT: it was certainly never sent',
    records: [],
    left: { state: 'waiting', attempts: 0, unknownSeen: false, active: true },
  },
  {
    journal: 'ATTEMPT without OUTCOME: it may have left',
    records: [attempt(1)],
    left: { state: 'sent', attempts: 1 },
  },
  {
    journal: 'a refusal of the attempt after one that was never answered: no proof of anything',
    records: [attempt(1), attempt(2), no('insufficient-balance')],
    left: { state: 'verifying', unknownSeen: true, active: false },
  },
  {
    journal: 'an unclear outcome',
    records: [attempt(1), UNKNOWN, NOTE],
    left: { state: 'verifying', unknownSeen: true, active: true },
  },
  {
    journal: 'proof that nothing left',
    records: [attempt(1), UNSENT],
    left: { state: 'waiting', attempts: 1, unknownSeen: false },
  },
  {
    journal: 'proof that the second attempt did not leave, after an unclear first',
    records: [attempt(1), UNKNOWN, attempt(2), UNSENT],
    left: { state: 'verifying', attempts: 2, unknownSeen: true, active: true },
  },
  {
    journal: 'a second ATTEMPT without OUTCOME after an unclear first',
    records: [attempt(1), UNKNOWN, attempt(2)],
    left: { state: 'sent', attempts: 2, unknownSeen: true },
  },
  {
    journal: 'a lock',
    records: [attempt(1), no('locked')],
    left: { state: 'waiting', attempts: 1, unknownSeen: false },
  },
  {
    journal: 'a rate limit',
    records: [attempt(1), no('rate-limited')],
    left: { state: 'waiting', unknownSeen: false },
  },
  {
    journal: 'a no whose end was not journaled any more',
    records: [attempt(1), no('insufficient-balance')],
    left: { state: 'rejected' },
  },
  {
    journal: 'a no after an unclear attempt',
    records: [attempt(1), UNKNOWN, attempt(2), no('insufficient-balance')],
    left: { state: 'verifying', unknownSeen: true, active: false },
  },
  {
    journal: 'a lock after an unclear attempt',
    records: [attempt(1), UNKNOWN, attempt(2), no('locked')],
    left: { state: 'verifying', unknownSeen: true, active: true },
  },
  {
    journal: 'a 409',
    records: [attempt(1), no('client-order-id-exists')],
    left: { state: 'verifying', conflictSeen: true, unknownSeen: true },
  },
  {
    journal: 'a yes',
    records: [attempt(1), YES],
    left: { state: 'accepted', orderId: 'v1', positionId: 'p1', filledQuantity: d('0') },
  },
  {
    journal: 'a fill, read again without another one: the time of the fill',
    records: [
      attempt(1),
      YES,
      { ...update('partially-filled', '0.4'), venueTime: venueTime + 1_000 },
      { ...update('partially-filled', '0.4'), venueTime: venueTime + 2_000 },
    ],
    left: { state: 'accepted', filledQuantity: d('0.4'), lastFilledAt: venueTime + 1_000 },
  },
  {
    journal: 'an order that was found after an unclear attempt',
    records: [attempt(1), UNKNOWN, update('created', '0')],
    left: { state: 'accepted', orderId: 'v1', filledQuantity: d('0') },
  },
  {
    journal: 'a partial fill',
    records: [attempt(1), YES, update('partially-filled', '0.4')],
    left: { state: 'accepted', filledQuantity: d('0.4'), averagePrice: d('59990') },
  },
  {
    journal: 'all of its fills, but not its end',
    records: [attempt(1), YES, update('filled', '1')],
    left: { state: 'accepted', filledQuantity: d('1') },
  },
  {
    journal: 'its fill and end',
    records: [attempt(1), YES, update('filled', '1'), update('filled', '1', true)],
    left: { state: 'filled', filledQuantity: d('1') },
  },
  {
    journal: 'a cancellation after a partial fill',
    records: [attempt(1), YES, update('partially-filled', '0.4'), update('canceled', '0.4', true)],
    left: { state: 'canceled', filledQuantity: d('0.4'), averagePrice: d('59990') },
  },
  { journal: 'that it was dropped', records: [dropped], left: { state: 'dropped' } },
  {
    journal: 'that it was rejected',
    records: [attempt(1), no('locked'), dropped],
    left: { state: 'rejected' },
  },
  {
    journal: 'that its id was burned',
    records: [attempt(1), no('client-order-id-exists'), burned],
    left: { state: 'burned' },
  },
];

describe('order of which the journal has the intent and', () => {
  it.each(CASES)('$journal', ({ records, left }) => {
    const [recovered, ...more] = recoverOrders([INTENT, ...records], ACCOUNT);
    expect(more).toEqual([]);
    const order = recovered?.create(7);
    expect(order).toMatchObject({ key: 7, clientOrderId, generation: 1, ...left });
    expect(order?.terms).toEqual(submitted.terms);
    expect(order?.intent.validUntil).toBe(submitted.intent.validUntil);
  });
});

describe('recovered orders', () => {
  it('orders come back in the order of their intents, each with its own records', () => {
    const other = { ...INTENT, clientOrderId: 'other', ordinal: 1 };
    const orders = recoverOrders([INTENT, other, attempt(1), YES], ACCOUNT).map((each) =>
      each.create(0),
    );
    expect(orders.map((order) => [order.clientOrderId, order.state])).toEqual([
      [clientOrderId, 'accepted'],
      ['other', 'waiting'],
    ]);
  });

  it.each([attempt(1), YES, update('created', '0')])(
    'a record without its intent is refused',
    (record) => {
      expect(() => recoverOrders([record], ACCOUNT)).toThrow(AssertionError);
    },
  );
});
