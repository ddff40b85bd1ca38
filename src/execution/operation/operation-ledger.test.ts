import { describe, expect, it } from 'vitest';
import { d, VENUE_TIME } from '../../../test/support/builders/risk-case.js';
import type { DecisionCause } from '../../core/intent.js';
import { Operation, type PlanOf } from './operation.js';
import { KEPT_OPERATIONS, OperationLedger } from './operation-ledger.js';

const LOCK = { symbol: 'BTCUSDT', currency: 'USDT' } as const;
const MARGIN: PlanOf<'margin'> = { kind: 'margin', ...LOCK, change: d<'USDT'>('1') };
const LEVERAGE: PlanOf<'leverage'> = { kind: 'leverage', ...LOCK, leverage: d('2') };
const operator = (commandId: string): DecisionCause => ({ kind: 'operator', commandId });

describe('operation ledger', () => {
  it("the id of an operation is the venue's time and its sequence number, previous runs included", () => {
    const stamp = { venueTime: VENUE_TIME, monotonic: 0 };
    const ledger = new OperationLedger(stamp);
    ledger.restore([new Operation({ id: 'before', plan: MARGIN, recovered: true })]);
    expect(ledger.create<'margin'>(MARGIN).id).toBe(`${VENUE_TIME}-2`);
    stamp.venueTime += 1;
    expect(ledger.create<'leverage'>(LEVERAGE).id).toBe(`${VENUE_TIME + 1}-3`);
    expect(ledger.all.map(({ id, recovered }) => [id, recovered])).toEqual([
      ['before', true],
      [`${VENUE_TIME}-2`, false],
      [`${VENUE_TIME + 1}-3`, false],
    ]);
  });

  it('the ledger lists open and unproved operations of each kind, oldest first', () => {
    const ledger = new OperationLedger({ venueTime: 1, monotonic: 0 });
    const states = ['measuring', 'sent', 'verifying', 'unproved', 'done', 'refused'] as const;
    for (const state of states) ledger.create<'margin'>(MARGIN).state = state;
    ledger.create<'leverage'>(LEVERAGE);
    const of = (found: readonly { state: string }[]) => found.map(({ state }) => state);
    expect(of(ledger.open('margin'))).toEqual(['measuring', 'sent', 'verifying']);
    expect(of(ledger.unproved('margin'))).toEqual(['sent', 'verifying', 'unproved']);
    expect(of(ledger.open('transfer'))).toEqual([]);
    expect(of(ledger.open('leverage'))).toEqual(['reading']);
  });

  it("the ledger finds the operation that an operator's command caused", () => {
    const ledger = new OperationLedger({ venueTime: 1, monotonic: 0 });
    ledger.create<'margin'>(MARGIN);
    ledger.create<'margin'>(MARGIN, { kind: 'timer', venueTime: 1, key: 'c1' });
    const first = ledger.create<'margin'>(MARGIN, operator('c1'));
    ledger.create<'margin'>(MARGIN, operator('c2'));
    expect(ledger.byCommand('c1')).toBe(first);
    expect(ledger.byCommand('c3')).toBeUndefined();
  });

  it.each([1_000, 3_000])('of %i ended operations the newest stay', (count) => {
    const ledger = new OperationLedger({ venueTime: 1, monotonic: 0 });
    const open = ledger.create<'leverage'>(LEVERAGE);
    const unproved = ledger.create<'margin'>(MARGIN);
    unproved.state = 'unproved';
    const manual = ledger.create<'margin'>(MARGIN, operator('c1'));
    manual.state = 'done';
    for (let index = 0; index < count; index += 1) ledger.create<'margin'>(MARGIN).state = 'done';
    expect(ledger.all.length).toBeLessThanOrEqual(2 * KEPT_OPERATIONS + 3);
    expect(ledger.all.slice(0, 3)).toEqual([open, unproved, manual]);
    expect(ledger.all.at(-1)?.id).toBe(`1-${count + 3}`);
    expect(ledger.byCommand('c1')).toBe(manual);
  });
});
