import { describe, expect, it } from 'vitest';
import { OperationRig, rowOf } from '../../../test/harness/operation-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import { no, unknown, unsent, yes } from '../../../test/harness/protocol-rig.js';
import { storyOf } from '../../../test/harness/story.js';
import type { WalletReport } from '../../core/account.js';
import type { Amount } from '../../core/fixed.js';
import type { MarginWish } from './changing-margin.js';

const usdt = (text: string): Amount => d<'USDT'>(text);
const WISH: MarginWish = { symbol: 'BTCUSDT', currency: 'USDT', change: usdt('100') };
const ALLOW = { reduce: false, afterUnproved: false };
const wallet = (balance: string, locked: string): WalletReport => ({
  currency: 'USDT',
  balance: usdt(balance),
  locked: usdt(locked),
});

const show = (rig: OperationRig, margin: string, of: WalletReport): void => {
  rig.passUntil('read-positions');
  rig.answer('read-positions', yes([rowOf({ margin })]));
  rig.grant();
  rig.answer('read-wallet', yes(of));
  rig.grant();
};
const BEFORE = wallet('1000', '30000');
const AFTER = wallet('900', '30100');

/** A change of +100 that was sent. */
function sent(wish = WISH, allow = ALLOW): OperationRig {
  const rig = new OperationRig();
  expect(rig.margin.change(wish, allow)).not.toEqual(expect.any(String));
  show(rig, '30000', BEFORE);
  return rig;
}

describe('more margin', () => {
  it('is measured, journaled with what was measured, and only then sent', () => {
    const rig = sent();
    expect(rig.effects.slice(-3)).toEqual([
      'slot change-margin',
      'journal operation-attempt',
      'send change-margin',
    ]);
    expect(rig.records.at(-1)).toMatchObject({
      step: { initialMargin: usdt('30000'), balance: usdt('1000'), locked: usdt('30000') },
    });
    expect(rig.waiting('change-margin')).toMatchObject({ positionId: 'p1', change: usdt('100') });
  });

  it('is done by the venue’s word', () => {
    const rig = sent();
    rig.answer('change-margin', yes({ initialMargin: usdt('30100') }));
    expect(rig.lastEnd).toBe('done');
  });

  it.each([
    { outcome: no('insufficient-funds'), end: 'refused' },
    { outcome: no('rate-limited', 429), end: 'refused' },
    { outcome: no('locked', 423), end: 'refused' },
    { outcome: unsent, end: 'dropped' },
  ])('is $end by a proved no, and never sent again (P27)', ({ outcome, end }) => {
    const rig = sent();
    rig.answer('change-margin', outcome);
    rig.pass(300_000);
    expect(rig.lastEnd).toBe(end);
    expect(rig.sends('change-margin')).toBe(1);
  });

  it('whose answer is lost is proved by the exact difference in position and wallet (F1)', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    show(rig, '30000', BEFORE);
    expect(rig.lastEnd).toBeUndefined();
    show(rig, '30100', AFTER);
    expect(rig.lastEnd).toBe('done');
    expect(rig.sends('change-margin')).toBe(1);
  });

  it('that the wallet does not confirm is not proved', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    while (rig.lastEnd === undefined) show(rig, '30100', wallet('1000', '30000'));
    expect(rig.operationEnds).toEqual([
      { end: 'unproved', evidence: 'the margin shows the change, the wallet does not confirm it' },
    ]);
  });

  it('that something else moved too is a person’s to decide (F2)', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    show(rig, '29999', BEFORE);
    expect(rig.lastEnd).toBe('unproved');
  });

  it('of a position that changed meanwhile is a person’s to decide (F2)', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    rig.passUntil('read-positions');
    rig.answer('read-positions', yes([rowOf({ margin: '30100', quantity: '1.5' })]));
    rig.grant();
    rig.answer('read-wallet', yes(AFTER));
    expect(rig.lastEnd).toBe('unproved');
  });

  it('that never shows is unproved after two minutes, never sent again, and keeps the next back', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    const since = rig.stamp.monotonic;
    while (rig.lastEnd === undefined) show(rig, '30000', BEFORE);
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(120_000);
    expect(rig.lastEnd).toBe('unproved');
    expect(rig.margin.change(WISH, ALLOW)).toMatch(/no proved outcome/);
    expect(rig.sends('change-margin')).toBe(1);
    expect(rig.margin.change(WISH, { ...ALLOW, afterUnproved: true })).toMatchObject({});
  });

  it('waits while an order of ours could move the margin', () => {
    const rig = new OperationRig();
    rig.placed({ quantity: '1', price: '59000' });
    rig.margin.change(WISH, ALLOW);
    show(rig, '30000', BEFORE);
    rig.answer('place', yes({ orderId: 'v1' }));
    rig.grant();
    expect(rig.lastEnd).toBe('dropped');
    expect(rig.sends('change-margin')).toBe(0);
  });

  it('holds its lane until it is proved: what opens waits, what protects does not', () => {
    const rig = sent();
    const other = {};
    rig.answer('change-margin', unknown());
    expect(rig.lanes.enter('BTCUSDT/USDT', other, true)).toBe(false);
    expect(rig.lanes.enter('BTCUSDT/USDT', other, false)).toBe(true);
    rig.lanes.leave('BTCUSDT/USDT');
    show(rig, '30100', AFTER);
    expect(rig.lanes.enter('BTCUSDT/USDT', other, true)).toBe(true);
  });
});

describe('a change of margin is refused before anything is read', () => {
  it.each([
    { what: 'giving back, unless it is allowed (F3)', wish: { change: usdt('-1') }, says: /off/ },
    { what: 'of nothing', wish: { change: usdt('0') }, says: /not 0/ },
    {
      what: 'in INR below what is printed',
      wish: { currency: 'INR' as const, change: usdt('0.001') },
      says: /0\.01/,
    },
  ])('$what', ({ wish, says }) => {
    const rig = new OperationRig();
    expect(rig.margin.change({ ...WISH, ...wish }, ALLOW)).toMatch(says);
    expect(rig.effects).toEqual([]);
  });

  it('but not giving back where that is allowed', () => {
    const rig = sent({ ...WISH, change: usdt('-100') }, { ...ALLOW, reduce: true });
    rig.answer('change-margin', unknown());
    show(rig, '29900', wallet('1100', '29900'));
    expect(rig.lastEnd).toBe('done');
  });
});

describe('a life that dies with a change of margin under way', () => {
  it.each([
    { when: 'INTENT', upTo: 'operation', end: 'dropped' },
    { when: 'ATTEMPT', upTo: 'operation-attempt', end: 'done' },
    { when: 'OUTCOME', upTo: 'operation-outcome', end: 'done' },
  ])('after $when never sends it again', ({ upTo, end }) => {
    const before = sent();
    before.answer('change-margin', unknown());
    const cut = before.records.findIndex(({ type }) => type === upTo) + 1;
    const rig = OperationRig.revived(before.records.slice(0, cut), before.stamp);
    rig.margin.resume();
    if (end === 'done') {
      expect(rig.lanes.isHeld('BTCUSDT/USDT')).toBe(true);
      show(rig, '30100', AFTER);
    }
    expect(rig.lastEnd).toBe(end);
    expect(rig.sends('change-margin')).toBe(0);
  });

  it('knows one that was never proved', () => {
    const before = sent();
    before.answer('change-margin', unknown());
    show(before, '29999', BEFORE);
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.margin.resume();
    expect(rig.margin.change(WISH, ALLOW)).toMatch(/no proved outcome/);
  });
});

describe('what a reader of the journal learns of a change of margin', () => {
  const ASKED =
    '0 operation {"plan":{"kind":"margin","symbol":"BTCUSDT","currency":"USDT","change":';
  const STEP =
    '{"kind":"change-margin","quantity":"1","positionId":"p1","initialMargin":"30000",' +
    '"balance":"1000","locked":"30000"}';

  it.each([
    { change: '100', priority: 'protect', after: '30100' },
    // It brings liquidation nearer: nothing to hurry for.
    { change: '-100', priority: 'place', after: '29900' },
  ])('of $change', ({ change, priority, after }) => {
    const rig = new OperationRig();
    const story = storyOf(rig);
    rig.margin.change({ ...WISH, change: usdt(change) }, { ...ALLOW, reduce: true });
    show(rig, '30000', BEFORE);
    rig.answer('change-margin', yes({ initialMargin: usdt(after) }));
    expect(story).toEqual([
      `${ASKED}"${change}"}}`,
      '0 send read-positions as verify',
      '0 send read-wallet as verify',
      `0 operation-attempt {"attempt":1,"step":${STEP}}`,
      `0 send change-margin p1 by ${change} as ${priority}`,
      '0 operation-outcome {"attempt":1,"outcome":"yes"}',
      `0 operation-ended {"end":"done","evidence":"the venue says so: initial margin ${after}"}`,
    ]);
  });

  it('while another one is measured: it is over at once', () => {
    const rig = new OperationRig();
    rig.margin.change(WISH, ALLOW);
    rig.grant();
    const story = storyOf(rig);
    const second = rig.margin.change(WISH, ALLOW);
    expect(second).toMatchObject({ state: 'dropped' });
    expect(story).toEqual([
      `${ASKED}"100"}}`,
      '0 operation-ended {"end":"dropped","evidence":"another change of BTCUSDT is not proved yet"}',
    ]);
    show(rig, '30000', BEFORE);
    expect(rig.sends('change-margin'), 'the first').toBe(1);
  });

  it.each([
    {
      what: 'that nothing shows',
      look: (rig: OperationRig) => {
        show(rig, '30000', BEFORE);
      },
      evidence: 'the margin is what it was; the request may still land',
    },
    {
      what: 'while the account cannot be read',
      look: (rig: OperationRig) => {
        rig.passUntil('read-positions');
        rig.answer('read-positions', unknown());
      },
      evidence: 'the account cannot be read',
    },
    {
      what: 'while the wallet cannot be read',
      look: (rig: OperationRig) => {
        rig.passUntil('read-positions');
        rig.answer('read-positions', yes([rowOf({ margin: '30100' })]));
        rig.grant();
        rig.answer('read-wallet', unknown());
      },
      evidence: 'the account cannot be read',
    },
    {
      what: 'that the balance does not confirm',
      look: (rig: OperationRig) => {
        show(rig, '30100', wallet('1000', '30100'));
      },
      evidence: 'the margin shows the change, the wallet does not confirm it',
    },
    {
      what: 'that the locked margin does not confirm',
      look: (rig: OperationRig) => {
        show(rig, '30100', wallet('900', '30000'));
      },
      evidence: 'the margin shows the change, the wallet does not confirm it',
    },
  ])('$what: unproved after two minutes', ({ look, evidence }) => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    const since = rig.stamp.monotonic;
    while (rig.lastEnd === undefined) look(rig);
    expect(rig.operationEnds).toEqual([{ end: 'unproved', evidence }]);
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(120_000);
    expect(rig.stamp.monotonic - since).toBeLessThan(130_000);
  });

  it.each([
    {
      what: 'by another amount',
      rows: [rowOf({ margin: '30050' })],
      evidence: 'the margin moved by 50, not by 100',
    },
    {
      what: 'of another quantity',
      rows: [rowOf({ margin: '30100', quantity: '2' })],
      evidence: 'the position is not the one that was measured',
    },
    {
      what: 'of another position of the symbol',
      rows: [{ ...rowOf({ margin: '30100' }), positionId: 'p2' }],
      evidence: 'the position is not the one that was measured',
    },
    {
      what: 'of a position that is gone',
      rows: [{ ...rowOf({ margin: '30100' }), symbol: 'ETHUSDT' }],
      evidence: 'the position is not the one that was measured',
    },
  ])('that shows $what: unproved at once', ({ rows, evidence }) => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    rig.passUntil('read-positions');
    rig.answer('read-positions', yes(rows));
    rig.grant();
    rig.answer('read-wallet', yes(AFTER));
    expect(rig.operationEnds).toEqual([{ end: 'unproved', evidence }]);
  });

  it('that is proved by difference', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    rig.passUntil('read-positions');
    rig.answer(
      'read-positions',
      yes([{ ...rowOf(), symbol: 'ETHUSDT' }, rowOf({ margin: '30100' })]),
    );
    rig.grant();
    rig.answer('read-wallet', yes(AFTER));
    const evidence = 'initial margin and wallet differ by exactly the change';
    expect(rig.operationEnds).toEqual([{ end: 'done', evidence }]);
  });

  it.each([
    { what: 'no position is there', rows: yes([]), evidence: 'there is no position' },
    {
      what: 'another symbol has one',
      rows: yes([{ ...rowOf(), symbol: 'ETHUSDT' }]),
      evidence: 'there is no position',
    },
    { what: 'positions cannot be read', rows: unknown(), evidence: 'the account cannot be read' },
  ])('that is not sent: $what', ({ rows, evidence }) => {
    const rig = new OperationRig();
    rig.margin.change(WISH, ALLOW);
    rig.grant();
    rig.answer('read-positions', rows);
    rig.grant();
    if (rows.kind === 'yes') rig.answer('read-wallet', yes(BEFORE));
    else expect(rig.waiting('read-wallet'), 'nothing to compare with').toBeUndefined();
    rig.grant();
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence }]);
    expect(rig.sends('change-margin')).toBe(0);
    expect(rig.lanes.isHeld('BTCUSDT/USDT')).toBe(false);
  });

  it('that is not sent: an order of ours is under way', () => {
    const rig = new OperationRig();
    rig.placed({ quantity: '1', price: '59000' });
    rig.margin.change(WISH, ALLOW);
    show(rig, '30000', BEFORE);
    const evidence = '1 order(s) of ours on BTCUSDT could move its margin';
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence }]);
  });

  it('that an earlier life never sent', () => {
    const rig = OperationRig.revived(sent().records.slice(0, 1), sent().stamp);
    rig.margin.resume();
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence: 'it was never sent' }]);
  });
});

describe('a change of margin without a proved outcome', () => {
  const unproved = (): OperationRig => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    show(rig, '29999', BEFORE);
    return rig;
  };

  it.each([
    { of: { symbol: 'ETHUSDT' }, what: 'another symbol' },
    { of: { currency: 'INR' as const }, what: 'the other currency' },
  ])('keeps none of $what back', ({ of }) => {
    expect(unproved().margin.change({ ...WISH, ...of }, ALLOW)).toMatchObject({ kind: 'margin' });
  });

  it('waits while a change of the symbol is on the wire', () => {
    const rig = new OperationRig();
    const other = {};
    rig.margin.change(WISH, ALLOW);
    rig.lanes.enter('BTCUSDT/USDT', other, false);
    show(rig, '30000', BEFORE);
    expect(rig.sends('change-margin')).toBe(0);
    rig.lanes.leave('BTCUSDT/USDT');
    rig.grant();
    expect(rig.sends('change-margin')).toBe(1);
  });
});

describe('steps of a change of margin', () => {
  it.each([
    { currency: 'USDT' as const, change: '0.00000001', allowed: true },
    { currency: 'INR' as const, change: '0.01', allowed: true },
    { currency: 'INR' as const, change: '0.011', allowed: false },
    { currency: 'INR' as const, change: '-0.01', allowed: true },
  ])('$change $currency: $allowed', ({ currency, change, allowed }) => {
    const rig = new OperationRig();
    const wish = { symbol: 'BTCUSDT', currency, change: usdt(change) };
    const answer = rig.margin.change(wish, { ...ALLOW, reduce: true });
    expect(typeof answer !== 'string').toBe(allowed);
  });
});
