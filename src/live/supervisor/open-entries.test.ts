import { describe, expect, it } from 'vitest';
import { VENUE_TIME } from '../../../test/support/builders/risk-case.js';
import { ACCOUNT, ProtocolRig } from '../../../test/support/rigs/protocol-rig.js';
import type { JournalRecord, JournalRecordOf } from '../../execution/journal/journal-record.js';
import { openEntries } from './open-entries.js';

const rig = new ProtocolRig();
const submitted = rig.order({ quantity: '1', price: '60000' });
rig.protocol.submit(submitted);
const INTENT = rig.records[0] as JournalRecordOf<'intent'>;
const { clientOrderId } = submitted;
const venueTime = VENUE_TIME;
const ATTEMPT: JournalRecord = {
  type: 'attempt',
  venueTime,
  clientOrderId,
  attempt: 1,
  generation: 1,
};
const YES: JournalRecord = {
  type: 'outcome',
  venueTime,
  clientOrderId,
  attempt: 1,
  outcome: 'yes',
  orderId: 'v1',
};
const REFUSED: JournalRecord = {
  type: 'outcome',
  venueTime,
  clientOrderId,
  attempt: 1,
  outcome: 'no',
  code: 'insufficient-balance',
  status: 400,
};
const symbol = INTENT.terms.symbol;

describe('the entries that a supervisor cancels', () => {
  it('are the orders that left and have not ended', () => {
    expect(openEntries([INTENT, ATTEMPT, YES], ACCOUNT)).toEqual([
      { clientOrderId, symbol, ref: { orderId: 'v1' } },
    ]);
  });

  it('are found by the client order id while no answer has named the venue id', () => {
    expect(openEntries([INTENT, ATTEMPT], ACCOUNT)).toEqual([
      { clientOrderId, symbol, ref: { clientOrderId } },
    ]);
  });

  it('do not contain an order that never left or was refused', () => {
    expect(openEntries([INTENT], ACCOUNT)).toEqual([]);
    expect(openEntries([INTENT, ATTEMPT, REFUSED], ACCOUNT)).toEqual([]);
  });

  it('do not contain a reduce-only order', () => {
    const exit = { ...INTENT, terms: { ...INTENT.terms, reduceOnly: true } };
    expect(openEntries([exit, ATTEMPT, YES], ACCOUNT)).toEqual([]);
  });
});
