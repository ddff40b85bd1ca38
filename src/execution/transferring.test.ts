import { describe, expect, it } from 'vitest';
import { OperationRig } from '../../test/harness/operation-rig.js';
import { d } from '../../test/harness/risk-case.js';
import { no, unknown, unsent, yes } from '../../test/harness/protocol-rig.js';
import type { TransferRow } from '../core/account.js';
import type { Amount } from '../core/fixed.js';
import type { TransferWish } from './transferring.js';

const usdt = (text: string): Amount => d<'USDT'>(text);
const WISH: TransferWish = { currency: 'USDT', direction: 'deposit', amount: usdt('100') };
const row = (id: string, of: Partial<TransferRow> = {}): TransferRow => ({
  id,
  ...WISH,
  createdAt: 0,
  ...of,
});

function wallets(rig: OperationRig, futures: string, spot: string): void {
  rig.grant();
  rig.answer('read-wallet', yes({ currency: 'USDT', balance: usdt(futures), locked: usdt('0') }));
  rig.grant();
  rig.answer('read-spot-wallet', yes({ currency: 'USDT', withdrawable: usdt(spot) }));
  rig.grant();
}

/** 100 USDT to futures that were sent; one equal transfer was there before. */
function sent(): OperationRig {
  const rig = new OperationRig();
  rig.transferring.transfer(WISH, false);
  rig.grant();
  rig.answer('read-transfers', yes([row('old'), row('other', { amount: usdt('5') })]));
  wallets(rig, '1000', '500');
  return rig;
}

const show = (rig: OperationRig, ...rows: readonly TransferRow[]): void => {
  rig.passUntil('read-transfers');
  rig.answer('read-transfers', yes(rows));
  rig.grant();
};

describe('a transfer', () => {
  it('is journaled with the equal rows and both wallets as they were, and only then sent', () => {
    const rig = sent();
    expect(rig.records.at(-1)).toMatchObject({
      type: 'operation-attempt',
      step: { known: ['old'], balance: usdt('1000'), withdrawable: usdt('500') },
    });
    expect(rig.effects.at(-1)).toBe('send transfer');
    expect(rig.waiting('transfer')).toMatchObject(WISH);
  });

  it.each([{ outcome: yes(null) }, { outcome: unknown() }])(
    'is proved by the one row that was not there before: $outcome.kind (F6)',
    ({ outcome }) => {
      const rig = sent();
      rig.answer('transfer', outcome);
      show(rig, row('old'));
      expect(rig.lastEnd).toBeUndefined();
      show(rig, row('new'), row('old'));
      wallets(rig, '1100', '400');
      expect(rig.operationEnds).toEqual([
        { end: 'done', evidence: 'row new was not there before; both wallets confirm it' },
      ]);
      expect(rig.sends('transfer')).toBe(1);
    },
  );

  it('is told when the wallets were moved by other things too', () => {
    const rig = sent();
    rig.answer('transfer', yes(null));
    show(rig, row('new'));
    wallets(rig, '1099', '400');
    expect(rig.operationEnds[0]).toMatchObject({ end: 'done', evidence: /other things/ });
  });

  it.each([
    { outcome: no('insufficient-balance'), end: 'refused' },
    { outcome: no('rate-limited', 429), end: 'refused' },
    { outcome: unsent, end: 'dropped' },
  ])('is $end by a proved no, and never sent again (P27)', ({ outcome, end }) => {
    const rig = sent();
    rig.answer('transfer', outcome);
    rig.pass(300_000);
    expect(rig.lastEnd).toBe(end);
    expect(rig.sends('transfer')).toBe(1);
  });

  it('that two new rows could be is a person’s to decide (F7)', () => {
    const rig = sent();
    rig.answer('transfer', unknown());
    show(rig, row('a'), row('b'), row('old'));
    expect(rig.lastEnd).toBe('unproved');
  });

  it('that never shows is unproved after two minutes, and keeps the next back', () => {
    const rig = sent();
    rig.answer('transfer', unknown());
    while (rig.lastEnd === undefined) show(rig, row('old'), row('w', { direction: 'withdraw' }));
    expect(rig.lastEnd).toBe('unproved');
    expect(rig.sends('transfer')).toBe(1);
    expect(rig.transferring.transfer(WISH, false)).toBe(
      'an earlier transfer has no proved outcome (100 USDT, spot → futures)',
    );
    expect(rig.transferring.transfer(WISH, true)).toMatchObject({});
  });

  it('is one at a time (F7)', () => {
    const rig = new OperationRig();
    rig.transferring.transfer(WISH, false);
    expect(rig.transferring.transfer(WISH, false)).toMatch(/under way/);
  });

  it('is not sent when the account cannot be read before', () => {
    const rig = new OperationRig();
    rig.transferring.transfer(WISH, false);
    rig.grant();
    rig.answer('read-transfers', unknown(500));
    wallets(rig, '1000', '500');
    expect(rig.lastEnd).toBe('dropped');
  });
});

describe('a life that dies with a transfer under way', () => {
  it.each([
    { when: 'INTENT', upTo: 'operation', end: 'dropped' },
    { when: 'ATTEMPT', upTo: 'operation-attempt', end: 'done' },
    { when: 'OUTCOME', upTo: 'operation-outcome', end: 'done' },
  ])('after $when never sends it again', ({ upTo, end }) => {
    const before = sent();
    before.answer('transfer', yes(null));
    const cut = before.records.findIndex(({ type }) => type === upTo) + 1;
    const rig = OperationRig.revived(before.records.slice(0, cut), before.stamp);
    rig.transferring.resume();
    if (end === 'done') {
      expect(rig.transferring.transfer(WISH, false)).toMatch(/no proved outcome/);
      show(rig, row('new'), row('old'));
      wallets(rig, '1100', '400');
    }
    expect(rig.lastEnd).toBe(end);
    expect(rig.sends('transfer')).toBe(0);
    expect(rig.transferring.transfer(WISH, false)).toMatchObject({});
  });
});
