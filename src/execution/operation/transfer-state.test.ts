import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import {
  expectTransition,
  transitionCases,
  reachableStates,
} from '../../../test/support/builders/state-machine-cases.js';
import { Operation } from './operation.js';
import { TRANSFER_MACHINE, type TransferEvent, type TransferState } from './transfer-state.js';

const MOVES: readonly TransferEvent[] = [
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

describe('state of a transfer', () => {
  it.each(transitionCases(TRANSFER_MACHINE, MOVES, TABLE))(
    'state %s with event "%s" leads to %s',
    (state, move, next) => {
      expectTransition(new Operation<'transfer'>({ id: '1', plan }), state, move, next);
    },
  );

  it('a transfer ends done, refused, unproved or dropped', () => {
    expect(TRANSFER_MACHINE.states.filter((state) => TRANSFER_MACHINE.isEnd(state))).toEqual([
      'done',
      'refused',
      'unproved',
      'dropped',
    ]);
  });

  it('a transfer is sent once: no transition leads from sent back to it (P27)', () => {
    const reached = reachableStates('sent', TRANSFER_MACHINE, MOVES);
    expect(reached).not.toContain('sent');
    expect(reached).not.toContain('measuring');
  });
});
