import { describe, expect, it } from 'vitest';
import { d } from '../../../test/harness/risk-case.js';
import { expectStep, pairsOf, reachedFrom } from '../../../test/harness/state-table.js';
import { Operation } from './operation.js';
import { TRANSFER, type TransferMove, type TransferState } from './transfer-state.js';

const MOVES: readonly TransferMove[] = [
  'attempt',
  'yes',
  'no',
  'not-sent',
  'unknown',
  'shows-row',
  'undecidable',
  'drop',
];

/** The whole protocol, written a second time. */
const TABLE: Readonly<Record<string, TransferState>> = {
  'measuring attempt': 'sent',
  'measuring drop': 'dropped',
  'sent yes': 'verifying',
  'sent no': 'refused',
  'sent not-sent': 'dropped',
  'sent unknown': 'verifying',
  'verifying shows-row': 'done',
  'verifying undecidable': 'unproved',
};

const plan = {
  kind: 'transfer',
  currency: 'USDT',
  direction: 'deposit',
  amount: d<'USDT'>('1'),
} as const;

describe('a transfer', () => {
  it.each(pairsOf(TRANSFER, MOVES, TABLE))('that is %s meets "%s": %s', (state, move, next) => {
    expectStep(new Operation<'transfer'>({ id: '1', plan }), state, move, next);
  });

  it('ends in done, refused, unproved, dropped', () => {
    expect(TRANSFER.states.filter((state) => TRANSFER.isEnd(state))).toEqual([
      'done',
      'refused',
      'unproved',
      'dropped',
    ]);
  });

  it('is sent once: no way leads from sent back to it (P27)', () => {
    const reached = reachedFrom('sent', TRANSFER, MOVES);
    expect(reached).not.toContain('sent');
    expect(reached).not.toContain('measuring');
  });
});
