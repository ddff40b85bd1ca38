import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../core/assert.js';
import { d } from '../../../test/harness/risk-case.js';
import { pairsOf } from '../../../test/harness/state-table.js';
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
    const operation = new Operation<'margin'>({ id: '1', plan });
    operation.state = state;
    const step = (): void => {
      operation.move(move);
    };
    if (next === undefined) expect(step).toThrow(AssertionError);
    else step();
    expect(operation.state).toBe(next ?? state);
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
    const reached = new Set<MarginState>();
    const walk = (state: MarginState): void => {
      for (const move of MOVES) {
        const next = MARGIN.next(state, move);
        if (next === undefined || reached.has(next)) continue;
        reached.add(next);
        walk(next);
      }
    };
    walk('sent');
    expect(reached).not.toContain('sent');
    expect(reached).not.toContain('measuring');
  });
});
