import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../core/assert.js';
import { d } from '../../../test/harness/risk-case.js';
import { ProtocolRig, reportOf } from '../../../test/harness/protocol-rig.js';
import {
  isEnd,
  isUnproved,
  nextState,
  progressOf,
  type OrderMove,
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
const MOVES: readonly OrderMove[] = [
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

describe('an order', () => {
  it.each(PAIRS)('that is %s meets "%s" as the table says, or not at all', (state, move) => {
    const next = TABLE[`${state} ${move}`];
    expect(nextState(state, move)).toBe(next);
    const order = new ProtocolRig().order();
    order.state = state;
    if (next === undefined) {
      expect(() => {
        order.move(move);
      }).toThrow(AssertionError);
      expect(order.state).toBe(state);
    } else {
      order.move(move);
      expect(order.state).toBe(next);
    }
  });

  it('that has ended meets nothing any more, and only an ended one does', () => {
    for (const state of STATES) {
      const meets = MOVES.some((move) => nextState(state, move) !== undefined);
      expect(meets, state).toBe(!isEnd(state));
    }
  });

  it('is unproved by its state while it is verified or quarantined', () => {
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
    'that is $state, with an unclear attempt before: $unknownSeen, is unproved: $unproved',
    ({ state, unknownSeen, unproved }) => {
      const order = new ProtocolRig().order();
      order.state = state;
      order.unknownSeen = unknownSeen;
      expect(order.unproved).toBe(unproved);
    },
  );
});

describe('the progress that a report tells', () => {
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
  ] as const)('of $status with $filled of 2: full $full, gone $gone', (row) => {
    const progress = progressOf(reportOf(terms, { status: row.status, filled: row.filled }));
    expect(progress).toEqual({ filled: d(row.filled), full: row.full, gone: row.gone });
  });
});
