import { describe, expect, it } from 'vitest';
import { legOf, rowOf } from '../../../test/harness/operation-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import { textFromFixed } from '../../core/fixed.js';
import { judgeLeg, type LegEvidence, type LegJudgement } from './leg-judgement.js';

const said = (judgement: LegJudgement): string => {
  switch (judgement.kind) {
    case 'move':
      return judgement.move;
    case 'live':
      return `live: ${judgement.evidence}`;
    case 'edit':
      return `edit ${judgement.orderId} from ${textFromFixed(judgement.from)}`;
    case 'fence':
      return `fence ${judgement.orderId}`;
    default:
      return judgement.kind;
  }
};

/** A stop at 59,000 is wanted for 1 BTC long; nothing of it is known yet. */
const judged = (of: Partial<LegEvidence>): string =>
  said(
    judgeLeg({
      state: 'looking',
      slot: 'stopLoss',
      wanted: d('59000'),
      row: rowOf(),
      order: undefined,
      clientOrderId: 'ours',
      isDirty: () => false,
      overdue: false,
      burned: undefined,
      refused: false,
      ...of,
    }),
  );

const LIVE = legOf('s1', '59000');
const FILLED = legOf('s1', '59000', { status: 'filled', clientOrderId: 'ours' });
const CANCELED = legOf('s1', '59000', { status: 'canceled', clientOrderId: 'ours' });
const OTHERS = legOf('s1', '59000', { status: 'canceled', clientOrderId: 'theirs' });
const NAMELESS = legOf('s1', '59000', { status: 'canceled' });
type Row = readonly [what: string, evidence: Partial<LegEvidence>, judgement: string];

describe('a stop that positions do not show', () => {
  const looking: Partial<LegEvidence> = { state: 'looking' };
  const verifying: Partial<LegEvidence> = { state: 'verifying' };
  const acknowledged: Partial<LegEvidence> = { state: 'acknowledged' };
  it.each<Row>([
    ['and never sent', looking, 'set'],
    ['and a lookup without an answer', { ...looking, order: 'unclear' }, 'wait'],
    ['sent, and not there by our id', { ...verifying, order: 'not-found' }, 'not-found'],
    ['sent, and not looked for', verifying, 'not-found'],
    ['sent, and a lookup without an answer', { ...verifying, order: 'unclear' }, 'wait'],
    ['refused since', { ...verifying, order: 'not-found', refused: true }, 'give-up'],
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
    ['and that has fired', { ...verifying, order: FILLED }, 'wait'],
    ['and that has fired since its yes', { ...acknowledged, order: FILLED, overdue: true }, 'wait'],
    ['sent, and canceled', { ...verifying, order: CANCELED }, 'id-used'],
    ['acknowledged, and canceled', { ...acknowledged, order: CANCELED }, 'lost'],
    ['sent, and live by our id', { ...verifying, order: LIVE }, 'found'],
    ['acknowledged, and live by our id', { ...acknowledged, order: LIVE }, 'wait'],
    [
      'acknowledged long ago, and live by our id: no second one beside it',
      { ...acknowledged, order: LIVE, overdue: true },
      'fence s1',
    ],
  ])('%s: %j → %s', (_what, evidence, judgement) => {
    expect(judged(evidence)).toBe(judgement);
  });
});

describe('a stop that positions show', () => {
  const shown = (price: string, of: Partial<LegEvidence> = {}): Partial<LegEvidence> => ({
    row: rowOf({ stopLoss: [price, 's1'] }),
    order: legOf('s1', price),
    ...of,
  });
  const part = (quantity: string) => legOf('s1', '59000', { quantity });
  const IS_LIVE = 'live: order s1 is live and positions show it';
  const TIGHTER = 'live: a tighter stop stands already: order s1 is live and positions show it';
  const short = (price: string) => ({
    row: rowOf({ side: 'short', stopLoss: [price, 's1'] }),
    order: legOf('s1', price),
  });

  it.each<Row>([
    ['as wanted', shown('59000'), IS_LIVE],
    ['as wanted, after an unclear answer', shown('59000', { state: 'verifying' }), IS_LIVE],
    ['as wanted, after a yes', shown('59000', { state: 'acknowledged' }), IS_LIVE],
    ['by a lookup without an answer', shown('59000', { order: 'unclear' }), 'wait'],
    ['whose order is unknown', shown('59000', { order: 'not-found' }), 'wait'],
    ['whose order was not looked for', shown('59000', { order: undefined }), 'wait'],
    ['for all of it by its quantity', shown('59000', { order: part('1') }), IS_LIVE],
    ['for more than it', shown('59000', { order: part('1.001') }), IS_LIVE],
    ['for a part of it (D7)', shown('59000', { order: part('0.999') }), 'fence s1'],
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
    ['tighter, after an unclear answer', shown('59500', { state: 'verifying' }), TIGHTER],
    ['tighter for a short', short('58999.9'), TIGHTER],
    ['looser for a short', short('59000.1'), 'edit s1 from 59000.1'],
    ['looser', shown('58999.9'), 'edit s1 from 58999.9'],
    ['looser, with an edit that may land', shown('58000', { isDirty: () => true }), 'fence s1'],
    ['looser, after an unclear answer', shown('58000', { state: 'verifying' }), 'not-found'],
    ['looser, just after a yes', shown('58000', { state: 'acknowledged' }), 'wait'],
    ['looser, long after a yes', shown('58000', { state: 'acknowledged', overdue: true }), 'lost'],
    [
      'tighter by its order alone: one of the two reads is old',
      shown('58000', { order: legOf('s1', '59500') }),
      'edit s1 from 59500',
    ],
    [
      'tighter by the row alone',
      shown('59500', { order: legOf('s1', '58000') }),
      'edit s1 from 58000',
    ],
    [
      'as wanted by the row alone',
      shown('59000', { order: legOf('s1', '58000'), state: 'acknowledged' }),
      'wait',
    ],
    [
      'as wanted by its order alone',
      shown('58000', { order: legOf('s1', '59000'), state: 'acknowledged' }),
      'wait',
    ],
    [
      'at the row’s price, where the order tells none',
      shown('59000', { order: withoutPrice() }),
      IS_LIVE,
    ],
  ])('%s: → %3$s', (_what, evidence, judgement) => {
    expect(judged(evidence)).toBe(judgement);
  });

  it('as a target that is nearer is edited: only a stop is kept for being tighter', () => {
    const evidence: Partial<LegEvidence> = {
      slot: 'takeProfit',
      wanted: d('62000'),
      row: rowOf({ takeProfit: ['63000', 't1'] }),
      order: legOf('t1', '63000', { slot: 'takeProfit' }),
    };
    expect(judged(evidence)).toBe('edit t1 from 63000');
  });

  it.each<Row>([
    ['has fired', { order: FILLED }, 'wait'],
    ['has fired, after an unclear answer', { order: FILLED, state: 'verifying' }, 'wait'],
    ['has fired, long after a yes', fired(), 'wait'],
    ['was canceled', { order: CANCELED }, 'set'],
    ['was canceled, and is ours', { order: CANCELED, state: 'verifying' }, 'id-used'],
    ['was canceled, and is another', { order: OTHERS, state: 'verifying' }, 'not-found'],
    ['was canceled after our yes', { order: CANCELED, state: 'acknowledged' }, 'lost'],
    ['was canceled before our yes', { order: OTHERS, state: 'acknowledged' }, 'wait'],
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
  ])('though its order %s: → %3$s', (_what, evidence, judgement) => {
    expect(judged({ ...shown('59000'), ...evidence })).toBe(judgement);
  });

  function withoutPrice() {
    const { price: _, ...order } = LIVE;
    return order;
  }
  function fired(): Partial<LegEvidence> {
    return { order: FILLED, state: 'acknowledged', overdue: true };
  }
});
