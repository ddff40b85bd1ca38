import { describe, expect, it } from 'vitest';
import { d } from '../../../test/harness/risk-case.js';
import { expectStep, pairsOf } from '../../../test/harness/state-table.js';
import { Operation } from './operation.js';
import { LEVERAGE, type LeverageMove, type LeverageState } from './leverage-state.js';

const MOVES: readonly LeverageMove[] = [
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

describe('a leverage', () => {
  it.each(pairsOf(LEVERAGE, MOVES, TABLE))('that is %s meets "%s": %s', (state, move, next) => {
    expectStep(new Operation<'leverage'>({ id: '1', plan }), state, move, next);
  });

  it('ends in set, refused, contested, dropped', () => {
    expect(LEVERAGE.states.filter((state) => LEVERAGE.isEnd(state))).toEqual([
      'set',
      'refused',
      'contested',
      'dropped',
    ]);
  });
});
