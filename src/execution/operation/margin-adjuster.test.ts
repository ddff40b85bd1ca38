import { describe, expect, it } from 'vitest';
import { OperationRig, rowOf } from '../../../test/support/rigs/operation-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import { no, unknown, unsent, yes } from '../../../test/support/rigs/protocol-rig.js';
import { eventLog } from '../../../test/support/builders/event-log.js';
import type { WalletReport } from '../../core/account.js';
import type { Amount } from '../../core/fixed/fixed.js';
import type { MarginAdjustmentRequest } from './margin-adjuster.js';

const usdt = (text: string): Amount => d<'USDT'>(text);
const REQUEST: MarginAdjustmentRequest = {
  symbol: 'BTCUSDT',
  currency: 'USDT',
  change: usdt('100'),
};
const ALLOW = { reduce: false, afterUnproved: false };
const wallet = (balance: string, locked: string): WalletReport => ({
  currency: 'USDT',
  balance: usdt(balance),
  locked: usdt(locked),
});

const show = (rig: OperationRig, margin: string, of: WalletReport): void => {
  rig.passUntil('read-positions');
  rig.answer('read-positions', yes([rowOf({ margin })]));
  rig.grantPermit();
  rig.answer('read-wallet', yes(of));
  rig.grantPermit();
};
const BEFORE = wallet('1000', '30000');
const AFTER = wallet('900', '30100');

/** A change of +100 that was sent. */
function sent(request = REQUEST, allow = ALLOW): OperationRig {
  const rig = new OperationRig();
  expect(rig.margin.change(request, allow)).not.toEqual(expect.any(String));
  show(rig, '30000', BEFORE);
  return rig;
}

describe('added margin', () => {
  it('a change is measured, journaled with the measurement, and only then sent', () => {
    const rig = sent();
    expect(rig.effects.slice(-3)).toEqual([
      'slot change-margin',
      'journal operation-attempt',
      'send change-margin',
    ]);
    expect(rig.records.at(-1)).toMatchObject({
      step: { initialMargin: usdt('30000'), balance: usdt('1000'), locked: usdt('30000') },
    });
    expect(rig.pendingRequest('change-margin')).toMatchObject({
      positionId: 'p1',
      change: usdt('100'),
    });
  });

  it('an acknowledgement is proof', () => {
    const rig = sent();
    rig.answer('change-margin', yes({ initialMargin: usdt('30100') }));
    expect(rig.lastEnd).toBe('done');
  });

  it.each([
    { outcome: no('insufficient-funds'), end: 'refused' },
    { outcome: no('rate-limited', 429), end: 'refused' },
    { outcome: no('locked', 423), end: 'refused' },
    { outcome: unsent, end: 'dropped' },
  ])('a refusal ends it $end, and it is never sent again (P27)', ({ outcome, end }) => {
    const rig = sent();
    rig.answer('change-margin', outcome);
    rig.pass(300_000);
    expect(rig.lastEnd).toBe(end);
    expect(rig.sends('change-margin')).toBe(1);
  });

  it('a lost reply is replaced by the exact difference in position and wallet (F1)', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    show(rig, '30000', BEFORE);
    expect(rig.lastEnd).toBeUndefined();
    show(rig, '30100', AFTER);
    expect(rig.lastEnd).toBe('done');
    expect(rig.sends('change-margin')).toBe(1);
  });

  it('a change that the wallet does not confirm is unproved', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    while (rig.lastEnd === undefined) show(rig, '30100', wallet('1000', '30000'));
    expect(rig.operationEnds).toEqual([
      { end: 'unproved', evidence: 'the margin shows the change, the wallet does not confirm it' },
    ]);
  });

  it('a change that another cause moved too is left to the operator (F2)', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    show(rig, '29999', BEFORE);
    expect(rig.lastEnd).toBe('unproved');
  });

  it('a change of a position that changed meanwhile is left to the operator (F2)', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    rig.passUntil('read-positions');
    rig.answer('read-positions', yes([rowOf({ margin: '30100', quantity: '1.5' })]));
    rig.grantPermit();
    rig.answer('read-wallet', yes(AFTER));
    expect(rig.lastEnd).toBe('unproved');
  });

  it('a change that never shows is unproved after two minutes, is not sent again, and refuses the next', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    const since = rig.stamp.monotonic;
    while (rig.lastEnd === undefined) show(rig, '30000', BEFORE);
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(120_000);
    expect(rig.lastEnd).toBe('unproved');
    expect(rig.margin.change(REQUEST, ALLOW)).toMatch(/no proved outcome/);
    expect(rig.sends('change-margin')).toBe(1);
    expect(rig.margin.change(REQUEST, { ...ALLOW, afterUnproved: true })).toMatchObject({});
  });

  it('a change waits while an order of ours could move the margin', () => {
    const rig = new OperationRig();
    rig.placedOrder({ quantity: '1', price: '59000' });
    rig.margin.change(REQUEST, ALLOW);
    show(rig, '30000', BEFORE);
    rig.answer('place', yes({ orderId: 'v1' }));
    rig.grantPermit();
    expect(rig.lastEnd).toBe('dropped');
    expect(rig.sends('change-margin')).toBe(0);
  });

  it('a change reserves its lock until it is proved: entries wait, protective orders pass', () => {
    const rig = sent();
    const other = {};
    rig.answer('change-margin', unknown());
    expect(rig.symbolLocks.tryStartRequest('BTCUSDT/USDT', other, true)).toBe(false);
    expect(rig.symbolLocks.tryStartRequest('BTCUSDT/USDT', other, false)).toBe(true);
    rig.symbolLocks.finishRequest('BTCUSDT/USDT');
    show(rig, '30100', AFTER);
    expect(rig.symbolLocks.tryStartRequest('BTCUSDT/USDT', other, true)).toBe(true);
  });
});

describe('change of margin that is refused before anything is read', () => {
  it.each([
    {
      what: 'removing margin, unless it is allowed (F3)',
      request: { change: usdt('-1') },
      expected: /off/,
    },
    { what: 'of 0', request: { change: usdt('0') }, expected: /not 0/ },
    {
      what: 'in INR below the printed places',
      request: { currency: 'INR' as const, change: usdt('0.001') },
      expected: /0\.01/,
    },
  ])('a change is refused: $what', ({ request, expected }) => {
    const rig = new OperationRig();
    expect(rig.margin.change({ ...REQUEST, ...request }, ALLOW)).toMatch(expected);
    expect(rig.effects).toEqual([]);
  });

  it('removing margin is permitted where the caller allows it', () => {
    const rig = sent({ ...REQUEST, change: usdt('-100') }, { ...ALLOW, reduce: true });
    rig.answer('change-margin', unknown());
    show(rig, '29900', wallet('1100', '29900'));
    expect(rig.lastEnd).toBe('done');
  });
});

describe('crash with a change of margin in progress', () => {
  it.each([
    { when: 'INTENT', upTo: 'operation', end: 'dropped' },
    { when: 'ATTEMPT', upTo: 'operation-attempt', end: 'done' },
    { when: 'OUTCOME', upTo: 'operation-outcome', end: 'done' },
  ])('after $when the change is never sent again', ({ upTo, end }) => {
    const before = sent();
    before.answer('change-margin', unknown());
    const cut = before.records.findIndex(({ type }) => type === upTo) + 1;
    const rig = OperationRig.revived(before.records.slice(0, cut), before.stamp);
    rig.margin.resume();
    if (end === 'done') {
      expect(rig.symbolLocks.isReserved('BTCUSDT/USDT')).toBe(true);
      show(rig, '30100', AFTER);
    }
    expect(rig.lastEnd).toBe(end);
    expect(rig.sends('change-margin')).toBe(0);
  });

  it('the next run knows a change that was never proved', () => {
    const before = sent();
    before.answer('change-margin', unknown());
    show(before, '29999', BEFORE);
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.margin.resume();
    expect(rig.margin.change(REQUEST, ALLOW)).toMatch(/no proved outcome/);
  });
});

describe('journal of a change of margin', () => {
  const ASKED =
    '0 operation {"plan":{"kind":"margin","symbol":"BTCUSDT","currency":"USDT","change":';
  const STEP =
    '{"kind":"change-margin","quantity":"1","positionId":"p1","initialMargin":"30000",' +
    '"balance":"1000","locked":"30000"}';

  it.each([
    { change: '100', priority: 'protect', after: '30100' },
    // Removing margin brings liquidation nearer, so that it has no priority.
    { change: '-100', priority: 'place', after: '29900' },
  ])('the journal has a change of $change', ({ change, priority, after }) => {
    const rig = new OperationRig();
    const log = eventLog(rig);
    rig.margin.change({ ...REQUEST, change: usdt(change) }, { ...ALLOW, reduce: true });
    show(rig, '30000', BEFORE);
    rig.answer('change-margin', yes({ initialMargin: usdt(after) }));
    expect(log).toEqual([
      `${ASKED}"${change}"}}`,
      '0 send read-positions as verify',
      '0 send read-wallet as verify',
      `0 operation-attempt {"attempt":1,"step":${STEP}}`,
      `0 send change-margin p1 by ${change} as ${priority}`,
      '0 operation-outcome {"attempt":1,"outcome":"yes"}',
      `0 operation-ended {"end":"done","evidence":"the venue says so: initial margin ${after}"}`,
    ]);
  });

  it('a change beside another one that is being measured is dropped at once', () => {
    const rig = new OperationRig();
    rig.margin.change(REQUEST, ALLOW);
    rig.grantPermit();
    const [journaled, asked] = [rig.records.length, rig.priorities.length];
    const second = rig.margin.change(REQUEST, ALLOW);
    expect(second).toMatchObject({ state: 'dropped' });
    expect(rig.records.slice(journaled)).toMatchObject([
      { type: 'operation', plan: { kind: 'margin', ...REQUEST } },
      { type: 'operation-ended', end: 'dropped' },
    ]);
    expect(rig.operationEnds).toEqual([
      { end: 'dropped', evidence: expect.stringContaining('another change of BTCUSDT') as string },
    ]);
    expect(rig.priorities, 'no permit is requested').toHaveLength(asked);
    show(rig, '30000', BEFORE);
    expect(rig.sends('change-margin'), 'the first').toBe(1);
  });

  it.each([
    {
      what: 'that nothing shows',
      read: (rig: OperationRig) => {
        show(rig, '30000', BEFORE);
      },
      evidence: 'the margin is what it was; the request may still land',
    },
    {
      what: 'while the account cannot be read',
      read: (rig: OperationRig) => {
        rig.passUntil('read-positions');
        rig.answer('read-positions', unknown());
      },
      evidence: 'the account cannot be read',
    },
    {
      what: 'while the wallet cannot be read',
      read: (rig: OperationRig) => {
        rig.passUntil('read-positions');
        rig.answer('read-positions', yes([rowOf({ margin: '30100' })]));
        rig.grantPermit();
        rig.answer('read-wallet', unknown());
      },
      evidence: 'the account cannot be read',
    },
    {
      what: 'that the balance does not confirm',
      read: (rig: OperationRig) => {
        show(rig, '30100', wallet('1000', '30100'));
      },
      evidence: 'the margin shows the change, the wallet does not confirm it',
    },
    {
      what: 'that the locked margin does not confirm',
      read: (rig: OperationRig) => {
        show(rig, '30100', wallet('900', '30000'));
      },
      evidence: 'the margin shows the change, the wallet does not confirm it',
    },
  ])('a change $what is unproved after two minutes', ({ read, evidence }) => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    const since = rig.stamp.monotonic;
    while (rig.lastEnd === undefined) read(rig);
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
  ])('a change that shows $what is unproved at once', ({ rows, evidence }) => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    rig.passUntil('read-positions');
    rig.answer('read-positions', yes(rows));
    rig.grantPermit();
    rig.answer('read-wallet', yes(AFTER));
    expect(rig.operationEnds).toEqual([{ end: 'unproved', evidence }]);
  });

  it('the journal has a change that is proved by the difference', () => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    rig.passUntil('read-positions');
    rig.answer(
      'read-positions',
      yes([{ ...rowOf(), symbol: 'ETHUSDT' }, rowOf({ margin: '30100' })]),
    );
    rig.grantPermit();
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
  ])('a change is not sent when $what', ({ rows, evidence }) => {
    const rig = new OperationRig();
    rig.margin.change(REQUEST, ALLOW);
    rig.grantPermit();
    rig.answer('read-positions', rows);
    rig.grantPermit();
    if (rows.kind === 'yes') rig.answer('read-wallet', yes(BEFORE));
    else expect(rig.pendingRequest('read-wallet'), 'nothing to compare with').toBeUndefined();
    rig.grantPermit();
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence }]);
    expect(rig.sends('change-margin')).toBe(0);
    expect(rig.symbolLocks.isReserved('BTCUSDT/USDT')).toBe(false);
  });

  it('a change is not sent while an order of ours is in flight', () => {
    const rig = new OperationRig();
    rig.placedOrder({ quantity: '1', price: '59000' });
    rig.margin.change(REQUEST, ALLOW);
    show(rig, '30000', BEFORE);
    const evidence = '1 order(s) of ours on BTCUSDT could move its margin';
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence }]);
  });

  it('the journal has a change that the previous run never sent', () => {
    const rig = OperationRig.revived(sent().records.slice(0, 1), sent().stamp);
    rig.margin.resume();
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence: 'it was never sent' }]);
  });
});

describe('unproved change of margin', () => {
  const unproved = (): OperationRig => {
    const rig = sent();
    rig.answer('change-margin', unknown());
    show(rig, '29999', BEFORE);
    return rig;
  };

  it.each([
    { of: { symbol: 'ETHUSDT' }, what: 'another symbol' },
    { of: { currency: 'INR' as const }, what: 'the other currency' },
  ])('the unproved change does not refuse $what', ({ of }) => {
    expect(unproved().margin.change({ ...REQUEST, ...of }, ALLOW)).toMatchObject({
      kind: 'margin',
    });
  });

  it('a change waits while another change of the symbol is in flight', () => {
    const rig = new OperationRig();
    const other = {};
    rig.margin.change(REQUEST, ALLOW);
    rig.symbolLocks.tryStartRequest('BTCUSDT/USDT', other, false);
    show(rig, '30000', BEFORE);
    expect(rig.sends('change-margin')).toBe(0);
    rig.symbolLocks.finishRequest('BTCUSDT/USDT');
    rig.grantPermit();
    expect(rig.sends('change-margin')).toBe(1);
  });
});

describe('steps of a change of margin', () => {
  it.each([
    { currency: 'USDT' as const, change: '0.00000001', allowed: true },
    { currency: 'INR' as const, change: '0.01', allowed: true },
    { currency: 'INR' as const, change: '0.011', allowed: false },
    { currency: 'INR' as const, change: '-0.01', allowed: true },
  ])('a change of $change $currency is allowed: $allowed', ({ currency, change, allowed }) => {
    const rig = new OperationRig();
    const request = { symbol: 'BTCUSDT', currency, change: usdt(change) };
    const answer = rig.margin.change(request, { ...ALLOW, reduce: true });
    expect(typeof answer !== 'string').toBe(allowed);
  });
});
