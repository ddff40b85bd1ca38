import { describe, expect, it } from 'vitest';
import { OperationRig, rowOf } from '../../test/harness/operation-rig.js';
import { d } from '../../test/harness/risk-case.js';
import { no, unknown, unsent, yes } from '../../test/harness/protocol-rig.js';
import type { WalletReport } from '../core/account.js';
import type { Amount } from '../core/fixed.js';
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
