import { describe, expect, it } from 'vitest';
import { d } from '../../../test/harness/risk-case.js';
import { expectStep, pairsOf, reachedFrom } from '../../../test/harness/state-table.js';
import { Operation } from './operation.js';
import { MARGIN, type MarginMove, type MarginState } from './margin-state.js';

const MOVES: readonly MarginMove[] = [
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

describe('a change of margin', () => {
  it.each(pairsOf(MARGIN, MOVES, TABLE))('that is %s meets "%s": %s', (state, move, next) => {
    expectStep(new Operation<'margin'>({ id: '1', plan }), state, move, next);
  });

  it('ends in done, refused, unproved, dropped', () => {
    expect(MARGIN.states.filter((state) => MARGIN.isEnd(state))).toEqual([
      'done',
      'refused',
      'unproved',
      'dropped',
    ]);
  });

  it('is sent once: no way leads from sent back to it (P27)', () => {
    const reached = reachedFrom('sent', MARGIN, MOVES);
    expect(reached).not.toContain('sent');
    expect(reached).not.toContain('measuring');
  });
});
