import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import {
  expectTransition,
  transitionCases,
} from '../../../test/support/builders/state-machine-cases.js';
import { Operation } from './operation.js';
import { AMEND_MACHINE, type AmendEvent, type AmendState } from './amend-state.js';

const MOVES: readonly AmendEvent[] = [
  'attempt',
  'yes',
  'no',
  'no-for-now',
  'unknown',
  'shows-new',
  'shows-old',
  'order-ended',
  'drop',
];

/** The whole protocol, written a second time. */
const TABLE: Readonly<Record<string, AmendState>> = {
  'waiting attempt': 'sent',
  'waiting drop': 'dropped',
  'waiting order-ended': 'dropped',
  'sent yes': 'acknowledged',
  'sent no': 'refused',
  'sent no-for-now': 'retrying',
  'sent unknown': 'verifying',
  'sent order-ended': 'fenced',
  'retrying attempt': 'sent',
  'retrying drop': 'refused',
  'retrying order-ended': 'refused',
  'verifying shows-new': 'applied',
  'verifying shows-old': 'fencing',
  'verifying order-ended': 'fenced',
  'acknowledged shows-new': 'applied',
  'acknowledged shows-old': 'fencing',
  'acknowledged order-ended': 'fenced',
  'fencing order-ended': 'fenced',
};

const plan = {
  kind: 'amend',
  clientOrderId: 'x',
  fromPrice: d<'price'>('1'),
  fromQuantity: d<'quantity'>('1'),
  price: d<'price'>('2'),
  quantity: d<'quantity'>('2'),
} as const;

describe('state of an amendment', () => {
  it.each(transitionCases(AMEND_MACHINE, MOVES, TABLE))(
    'state %s with event "%s" leads to %s',
    (state, move, next) => {
      expectTransition(new Operation<'amend'>({ id: '1', plan }), state, move, next);
    },
  );

  it('an amendment ends applied, fenced, refused or dropped', () => {
    expect(AMEND_MACHINE.states.filter((state) => AMEND_MACHINE.isEnd(state))).toEqual([
      'applied',
      'fenced',
      'refused',
      'dropped',
    ]);
  });

  it('an amendment that may have landed is never sent again (C2)', () => {
    for (const state of ['verifying', 'acknowledged', 'fencing'] as const)
      for (const move of MOVES)
        expect(['sent', 'retrying', 'waiting']).not.toContain(AMEND_MACHINE.next(state, move));
  });
});
