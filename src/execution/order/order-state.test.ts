import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../core/assert.js';
import { d } from '../../../test/support/builders/risk-case.js';
import { ProtocolRig, reportOf } from '../../../test/support/rigs/protocol-rig.js';
import {
  isEndState,
  isUnproved,
  nextState,
  progressOf,
  type OrderEvent,
  type OrderState,
} from './order-state.js';

const STATES: readonly OrderState[] = [
  'waiting',
  'sent',
  'retrying',
  'verifying',
  'quarantined',
  'accepted',
  'filled',
  'canceled',
  'rejected',
  'dropped',
  'burned',
];
const MOVES: readonly OrderEvent[] = [
  'attempt',
  'yes',
  'no',
  'no-for-now',
  'unknown',
  'found',
  'not-found-wanted',
  'not-found-unwanted',
  'proved-burned',
  'report-filled',
  'report-canceled',
  'drop',
];

/** The whole protocol, written a second time. */
const TABLE: Readonly<Record<string, OrderState>> = {
  'waiting attempt': 'sent',
  'waiting drop': 'dropped',
  'sent yes': 'accepted',
  'sent no': 'rejected',
  'sent no-for-now': 'retrying',
  'sent unknown': 'verifying',
  'retrying attempt': 'sent',
  'retrying drop': 'rejected',
  'retrying found': 'accepted',
  'retrying not-found-unwanted': 'quarantined',
  'verifying found': 'accepted',
  'verifying not-found-wanted': 'retrying',
  'verifying not-found-unwanted': 'quarantined',
  'verifying proved-burned': 'burned',
  'quarantined found': 'accepted',
  'quarantined proved-burned': 'burned',
  'accepted report-filled': 'filled',
  'accepted report-canceled': 'canceled',
};

const PAIRS = STATES.flatMap((state) => MOVES.map((move) => [state, move] as const));

describe('order state', () => {
  it.each(PAIRS)('state %s accepts "%s" by the table only', (state, move) => {
    const next = TABLE[`${state} ${move}`];
    expect(nextState(state, move)).toBe(next);
    const order = new ProtocolRig().order();
    order.state = state;
    if (next === undefined) {
      expect(() => {
        order.apply(move);
      }).toThrow(AssertionError);
      expect(order.state).toBe(state);
    } else {
      order.apply(move);
      expect(order.state).toBe(next);
    }
  });

  it('only an ended order accepts no event', () => {
    for (const state of STATES) {
      const meets = MOVES.some((move) => nextState(state, move) !== undefined);
      expect(meets, state).toBe(!isEndState(state));
    }
  });

  it('verifying and quarantined are unproved', () => {
    expect(STATES.filter(isUnproved)).toEqual(['verifying', 'quarantined']);
  });

  it.each([
    { state: 'sent', unknownSeen: false, unproved: false },
    { state: 'sent', unknownSeen: true, unproved: true },
    { state: 'retrying', unknownSeen: false, unproved: false },
    { state: 'retrying', unknownSeen: true, unproved: true },
    { state: 'accepted', unknownSeen: true, unproved: false },
    { state: 'filled', unknownSeen: true, unproved: false },
  ] as const)(
    'an order that is $state (unclear attempt: $unknownSeen) is unproved: $unproved',
    ({ state, unknownSeen, unproved }) => {
      const order = new ProtocolRig().order();
      order.state = state;
      order.unknownSeen = unknownSeen;
      expect(order.unproved).toBe(unproved);
    },
  );
});

describe('progress of a report', () => {
  const { terms } = new ProtocolRig().order({ quantity: '2' });
  it.each([
    { status: 'created', filled: '0', full: false, gone: false },
    { status: 'partially-filled', filled: '1.5', full: false, gone: false },
    { status: 'filled', filled: '2', full: true, gone: false },
    { status: 'partially-filled', filled: '2', full: true, gone: false },
    { status: 'filled', filled: '1', full: false, gone: true },
    { status: 'canceled', filled: '0', full: false, gone: true },
    { status: 'canceled', filled: '2', full: true, gone: false },
    { status: 'system-canceled', filled: '0.5', full: false, gone: true },
    { status: 'unrecognised', filled: '1', full: false, gone: false },
  ] as const)('a report of $status with $filled of 2 is full: $full, ended early: $gone', (row) => {
    const progress = progressOf(reportOf(terms, { status: row.status, filled: row.filled }));
    expect(progress).toEqual({
      filled: d(row.filled),
      fullyFilled: row.full,
      endedEarly: row.gone,
    });
  });
});
