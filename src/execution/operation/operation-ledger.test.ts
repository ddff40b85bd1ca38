import { describe, expect, it } from 'vitest';
import { d, VENUE_TIME } from '../../../test/harness/risk-case.js';
import type { Cause } from '../../core/intent.js';
import { Operation, type PlanOf } from './operation.js';
import { OperationLedger } from './operation-ledger.js';

const LANE = { symbol: 'BTCUSDT', currency: 'USDT' } as const;
const MARGIN: PlanOf<'margin'> = { kind: 'margin', ...LANE, change: d<'USDT'>('1') };
const LEVERAGE: PlanOf<'leverage'> = { kind: 'leverage', ...LANE, leverage: d('2') };
const operator = (commandId: string): Cause => ({ kind: 'operator', commandId });

describe('the ledger of operations', () => {
  it('names each by the venue’s time and its place, those of earlier lives counted', () => {
    const stamp = { venueTime: VENUE_TIME, monotonic: 0 };
    const ledger = new OperationLedger(stamp);
    ledger.takeOver([new Operation({ id: 'before', plan: MARGIN, recovered: true })]);
    expect(ledger.create<'margin'>(MARGIN).id).toBe(`${VENUE_TIME}-2`);
    stamp.venueTime += 1;
    expect(ledger.create<'leverage'>(LEVERAGE).id).toBe(`${VENUE_TIME + 1}-3`);
    expect(ledger.all.map(({ id, recovered }) => [id, recovered])).toEqual([
      ['before', true],
      [`${VENUE_TIME}-2`, false],
      [`${VENUE_TIME + 1}-3`, false],
    ]);
  });

  it('tells of each kind what is open and what is unproved, oldest first', () => {
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

  it('finds what an operator’s word caused', () => {
    const ledger = new OperationLedger({ venueTime: 1, monotonic: 0 });
    ledger.create<'margin'>(MARGIN);
    ledger.create<'margin'>(MARGIN, { kind: 'timer', venueTime: 1, key: 'c1' });
    const first = ledger.create<'margin'>(MARGIN, operator('c1'));
    ledger.create<'margin'>(MARGIN, operator('c2'));
    expect(ledger.byCommand('c1')).toBe(first);
    expect(ledger.byCommand('c3')).toBeUndefined();
  });
});
