import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import {
  expectTransition,
  transitionCases,
} from '../../../test/support/builders/state-machine-cases.js';
import { Operation } from './operation.js';
import { LEVERAGE_MACHINE, type LeverageEvent, type LeverageState } from './leverage-state.js';

const MOVES: readonly LeverageEvent[] = [
  'attempt',
  'yes',
  'no',
  'no-for-now',
  'unknown',
  'shows-value',
  'does-not-stay',
  'drop',
];

/** The whole protocol, written a second time. */
const TABLE: Readonly<Record<string, LeverageState>> = {
  'reading attempt': 'sent',
  'reading shows-value': 'set',
  'reading does-not-stay': 'contested',
  'reading drop': 'dropped',
  'sent yes': 'reading',
  'sent no': 'refused',
  'sent no-for-now': 'reading',
  'sent unknown': 'reading',
};

const plan = {
  kind: 'leverage',
  symbol: 'BTCUSDT',
  currency: 'USDT',
  leverage: d<'ratio'>('2'),
} as const;

describe('state of a leverage', () => {
  it.each(transitionCases(LEVERAGE_MACHINE, MOVES, TABLE))(
    'state %s with event "%s" leads to %s',
    (state, move, next) => {
      expectTransition(new Operation<'leverage'>({ id: '1', plan }), state, move, next);
    },
  );

  it('a leverage ends set, refused, contested or dropped', () => {
    expect(LEVERAGE_MACHINE.states.filter((state) => LEVERAGE_MACHINE.isEnd(state))).toEqual([
      'set',
      'refused',
      'contested',
      'dropped',
    ]);
  });
});
