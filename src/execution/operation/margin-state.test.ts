import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import {
  expectTransition,
  transitionCases,
  reachableStates,
} from '../../../test/support/builders/state-machine-cases.js';
import { Operation } from './operation.js';
import { MARGIN_MACHINE, type MarginEvent, type MarginState } from './margin-state.js';

const MOVES: readonly MarginEvent[] = [
  'attempt',
  'yes',
  'no',
  'not-sent',
  'unknown',
  'shows-change',
  'undecidable',
  'drop',
];

/** The whole protocol, written a second time. */
const TABLE: Readonly<Record<string, MarginState>> = {
  'measuring attempt': 'sent',
  'measuring drop': 'dropped',
  'sent yes': 'done',
  'sent no': 'refused',
  'sent not-sent': 'dropped',
  'sent unknown': 'verifying',
  'verifying shows-change': 'done',
  'verifying undecidable': 'unproved',
};

const plan = {
  kind: 'margin',
  symbol: 'BTCUSDT',
  currency: 'USDT',
  change: d<'USDT'>('1'),
} as const;

describe('state of a change of margin', () => {
  it.each(transitionCases(MARGIN_MACHINE, MOVES, TABLE))(
    'state %s with event "%s" leads to %s',
    (state, move, next) => {
      expectTransition(new Operation<'margin'>({ id: '1', plan }), state, move, next);
    },
  );

  it('a change of margin ends done, refused, unproved or dropped', () => {
    expect(MARGIN_MACHINE.states.filter((state) => MARGIN_MACHINE.isEnd(state))).toEqual([
      'done',
      'refused',
      'unproved',
      'dropped',
    ]);
  });

  it('a change of margin is sent once: no transition leads from sent back to it (P27)', () => {
    const reached = reachableStates('sent', MARGIN_MACHINE, MOVES);
    expect(reached).not.toContain('sent');
    expect(reached).not.toContain('measuring');
  });
});
