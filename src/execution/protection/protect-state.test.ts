import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import {
  expectTransition,
  transitionCases,
} from '../../../test/support/builders/state-machine-cases.js';
import { Operation } from '../operation/operation.js';
import { PROTECT_MACHINE, type ProtectEvent, type ProtectState } from './protect-state.js';

const MOVES: readonly ProtectEvent[] = [
  'attempt',
  'yes',
  'no',
  'no-for-now',
  'unknown',
  'found',
  'shown',
  'not-found',
  'lost',
  'id-used',
  'fence',
  'fenced',
  'position-gone',
  'give-up',
  'drop',
];

/** The whole protocol, written a second time. */
const TABLE: Readonly<Record<string, ProtectState>> = {
  'looking attempt': 'sent',
  'looking fence': 'fencing',
  'looking shown': 'live',
  'looking position-gone': 'gone',
  'looking give-up': 'refused',
  'looking drop': 'dropped',
  'sent yes': 'acknowledged',
  'sent no': 'refused',
  'sent no-for-now': 'looking',
  'sent unknown': 'verifying',
  'verifying shown': 'live',
  'verifying found': 'acknowledged',
  'verifying not-found': 'looking',
  'verifying id-used': 'looking',
  'verifying position-gone': 'gone',
  'verifying give-up': 'refused',
  'acknowledged shown': 'live',
  'acknowledged lost': 'looking',
  'acknowledged fence': 'fencing',
  'acknowledged position-gone': 'gone',
  'fencing fenced': 'looking',
};

describe('state of a protective order', () => {
  it.each(transitionCases(PROTECT_MACHINE, MOVES, TABLE))(
    'state %s with event "%s" leads to %s',
    (state, move, next) => {
      const plan = {
        kind: 'protect',
        symbol: 'BTCUSDT',
        currency: 'USDT',
        slot: 'stopLoss',
        price: d<'price'>('59000'),
      } as const;
      expectTransition(new Operation<'protect'>({ id: '1', plan }), state, move, next);
    },
  );

  it('a protective order ends live, refused, gone or dropped', () => {
    expect(PROTECT_MACHINE.states.filter((state) => PROTECT_MACHINE.isEnd(state))).toEqual([
      'live',
      'refused',
      'gone',
      'dropped',
    ]);
  });
});
