import { describe, expect, it } from 'vitest';
import { protectiveOrderOf, rowOf } from '../../../test/support/rigs/operation-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import { textFromFixed } from '../../core/fixed/fixed.js';
import {
  decideProtectiveOrder,
  type ProtectiveOrderEvidence,
  type ProtectiveOrderDecision,
} from './decide-protective-order.js';

const textOf = (decision: ProtectiveOrderDecision): string => {
  switch (decision.kind) {
    case 'move':
      return decision.move;
    case 'live':
      return `live: ${decision.evidence}`;
    case 'edit':
      return `edit ${decision.orderId} from ${textFromFixed(decision.from)}`;
    case 'fence':
      return `fence ${decision.orderId}`;
    default:
      return decision.kind;
  }
};

/** A stop at 59,000 is requested for 1 BTC long; nothing is known of it yet. */
const decided = (of: Partial<ProtectiveOrderEvidence>): string =>
  textOf(
    decideProtectiveOrder({
      state: 'looking',
      slot: 'stopLoss',
      targetPrice: d('59000'),
      row: rowOf(),
      order: undefined,
      clientOrderId: 'ours',
      hasUnconfirmedEdit: () => false,
      overdue: false,
      burned: undefined,
      refused: false,
      ...of,
    }),
  );

const LIVE = protectiveOrderOf('s1', '59000');
const FILLED = protectiveOrderOf('s1', '59000', { status: 'filled', clientOrderId: 'ours' });
const CANCELED = protectiveOrderOf('s1', '59000', { status: 'canceled', clientOrderId: 'ours' });
const OTHERS = protectiveOrderOf('s1', '59000', { status: 'canceled', clientOrderId: 'theirs' });
const NAMELESS = protectiveOrderOf('s1', '59000', { status: 'canceled' });
type Row = readonly [what: string, evidence: Partial<ProtectiveOrderEvidence>, decision: string];

describe('stop that positions do not show', () => {
  const looking: Partial<ProtectiveOrderEvidence> = { state: 'looking' };
  const verifying: Partial<ProtectiveOrderEvidence> = { state: 'verifying' };
  const acknowledged: Partial<ProtectiveOrderEvidence> = { state: 'acknowledged' };
  it.each<Row>([
    ['never sent', looking, 'set'],
    ['with an unclear lookup', { ...looking, order: 'unclear' }, 'wait'],
    ['sent, and not found by our id', { ...verifying, order: 'not-found' }, 'not-found'],
    ['sent, and not looked up', verifying, 'not-found'],
    ['sent, with an unclear lookup', { ...verifying, order: 'unclear' }, 'wait'],
    ['refused meanwhile', { ...verifying, order: 'not-found', refused: true }, 'give-up'],
    ['after a 409', { ...verifying, order: 'not-found', burned: false }, 'wait'],
    ['long after a 409', { ...verifying, order: 'not-found', burned: true }, 'id-used'],
    [
      'long after a 409, and refused since',
      { ...verifying, order: 'not-found', burned: true, refused: true },
      'id-used',
    ],
    ['acknowledged just now', { ...acknowledged, order: 'not-found' }, 'wait'],
    ['acknowledged long ago', { ...acknowledged, order: 'not-found', overdue: true }, 'lost'],
    [
      'acknowledged long ago, with a 409 before',
      { ...acknowledged, order: 'not-found', overdue: true, burned: false },
      'lost',
    ],
    ['that has triggered', { ...verifying, order: FILLED }, 'wait'],
    [
      'that has triggered since it was acknowledged',
      { ...acknowledged, order: FILLED, overdue: true },
      'wait',
    ],
    ['sent, and canceled', { ...verifying, order: CANCELED }, 'id-used'],
    ['acknowledged, and canceled', { ...acknowledged, order: CANCELED }, 'lost'],
    ['sent, and live by our id', { ...verifying, order: LIVE }, 'found'],
    ['acknowledged, and live by our id', { ...acknowledged, order: LIVE }, 'wait'],
    [
      'acknowledged long ago, and live by our id: no second one beside it',
      { ...acknowledged, order: LIVE, overdue: true },
      'fence s1',
    ],
  ])('a stop %s, %j, leads to %s', (_what, evidence, decision) => {
    expect(decided(evidence)).toBe(decision);
  });
});

describe('stop that positions show', () => {
  const shown = (
    price: string,
    of: Partial<ProtectiveOrderEvidence> = {},
  ): Partial<ProtectiveOrderEvidence> => ({
    row: rowOf({ stopLoss: [price, 's1'] }),
    order: protectiveOrderOf('s1', price),
    ...of,
  });
  const part = (quantity: string) => protectiveOrderOf('s1', '59000', { quantity });
  const IS_LIVE = 'live: order s1 is live and positions show it';
  const TIGHTER = 'live: a tighter stop is already there: order s1 is live and positions show it';
  const short = (price: string) => ({
    row: rowOf({ side: 'short', stopLoss: [price, 's1'] }),
    order: protectiveOrderOf('s1', price),
  });

  it.each<Row>([
    ['as requested', shown('59000'), IS_LIVE],
    ['as requested, after an unclear reply', shown('59000', { state: 'verifying' }), IS_LIVE],
    ['as requested, once acknowledged', shown('59000', { state: 'acknowledged' }), IS_LIVE],
    ['with an unclear lookup', shown('59000', { order: 'unclear' }), 'wait'],
    ['with an order that is not found', shown('59000', { order: 'not-found' }), 'wait'],
    ['with an order that was not looked up', shown('59000', { order: undefined }), 'wait'],
    ['for the whole position by its quantity', shown('59000', { order: part('1') }), IS_LIVE],
    ['for more than the position', shown('59000', { order: part('1.001') }), IS_LIVE],
    ['for a part of the position (D7)', shown('59000', { order: part('0.999') }), 'fence s1'],
    [
      'for a part of it, after a yes',
      shown('59000', { order: part('0.999'), state: 'acknowledged' }),
      'fence s1',
    ],
    [
      'for a part of it, after an unclear answer',
      shown('59000', { order: part('0.999'), state: 'verifying' }),
      'wait',
    ],
    ['tighter (D12)', shown('59000.1'), TIGHTER],
    ['tighter, after an unclear reply', shown('59500', { state: 'verifying' }), TIGHTER],
    ['tighter for a short', short('58999.9'), TIGHTER],
    ['looser for a short', short('59000.1'), 'edit s1 from 59000.1'],
    ['looser', shown('58999.9'), 'edit s1 from 58999.9'],
    [
      'looser, with an edit that may land',
      shown('58000', { hasUnconfirmedEdit: () => true }),
      'fence s1',
    ],
    ['looser, after an unclear reply', shown('58000', { state: 'verifying' }), 'not-found'],
    ['looser, just acknowledged', shown('58000', { state: 'acknowledged' }), 'wait'],
    [
      'looser, acknowledged long ago',
      shown('58000', { state: 'acknowledged', overdue: true }),
      'lost',
    ],
    [
      'tighter by its order alone: one of the two reads is old',
      shown('58000', { order: protectiveOrderOf('s1', '59500') }),
      'edit s1 from 59500',
    ],
    [
      'tighter by the row alone',
      shown('59500', { order: protectiveOrderOf('s1', '58000') }),
      'edit s1 from 58000',
    ],
    [
      'as requested by the row alone',
      shown('59000', { order: protectiveOrderOf('s1', '58000'), state: 'acknowledged' }),
      'wait',
    ],
    [
      'as requested by its order alone',
      shown('58000', { order: protectiveOrderOf('s1', '59000'), state: 'acknowledged' }),
      'wait',
    ],
    [
      'at the row’s price, with an order that has none',
      shown('59000', { order: withoutPrice() }),
      IS_LIVE,
    ],
  ])('a stop shown %s leads to %3$s', (_what, evidence, decision) => {
    expect(decided(evidence)).toBe(decision);
  });

  it('a nearer target is edited: only a stop stays for being tighter', () => {
    const evidence: Partial<ProtectiveOrderEvidence> = {
      slot: 'takeProfit',
      targetPrice: d('62000'),
      row: rowOf({ takeProfit: ['63000', 't1'] }),
      order: protectiveOrderOf('t1', '63000', { slot: 'takeProfit' }),
    };
    expect(decided(evidence)).toBe('edit t1 from 63000');
  });

  it.each<Row>([
    ['has triggered', { order: FILLED }, 'wait'],
    ['has triggered, after an unclear reply', { order: FILLED, state: 'verifying' }, 'wait'],
    ['has triggered, acknowledged long ago', fired(), 'wait'],
    ['was canceled', { order: CANCELED }, 'set'],
    ['was canceled, and is ours', { order: CANCELED, state: 'verifying' }, 'id-used'],
    ['was canceled, and is another', { order: OTHERS, state: 'verifying' }, 'not-found'],
    [
      'was canceled after we had the acknowledgement',
      { order: CANCELED, state: 'acknowledged' },
      'lost',
    ],
    [
      'was canceled before we had the acknowledgement',
      { order: OTHERS, state: 'acknowledged' },
      'wait',
    ],
    [
      'was canceled long before our yes',
      { order: OTHERS, state: 'acknowledged', overdue: true },
      'lost',
    ],
    [
      'was canceled and has no id of ours, and none was sent',
      { order: NAMELESS, state: 'verifying', clientOrderId: undefined },
      'not-found',
    ],
  ])('a shown stop whose order %s leads to %3$s', (_what, evidence, decision) => {
    expect(decided({ ...shown('59000'), ...evidence })).toBe(decision);
  });

  function withoutPrice() {
    const { price: _, ...order } = LIVE;
    return order;
  }
  function fired(): Partial<ProtectiveOrderEvidence> {
    return { order: FILLED, state: 'acknowledged', overdue: true };
  }
});
