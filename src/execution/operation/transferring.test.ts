import { describe, expect, it } from 'vitest';
import { OperationRig } from '../../../test/harness/operation-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import { no, unknown, unsent, yes } from '../../../test/harness/protocol-rig.js';
import type { TransferRow } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Amount } from '../../core/fixed.js';
import { storyOf } from '../../../test/harness/story.js';
import { transferText, type TransferWish } from './transferring.js';

const usdt = (text: string): Amount => d<'USDT'>(text);
const inr = (text: string): Amount => d<'INR'>(text);
const WISH: TransferWish = { currency: 'USDT', direction: 'deposit', amount: usdt('100') };
const row = (id: string, of: Partial<TransferRow> = {}): TransferRow => ({
  id,
  ...WISH,
  createdAt: 0,
  ...of,
});

function wallets(
  rig: OperationRig,
  futures: string,
  spot: string,
  currency: Currency = 'USDT',
): void {
  rig.grant();
  rig.answer('read-wallet', yes({ currency, balance: usdt(futures), locked: usdt('0') }));
  rig.grant();
  rig.answer('read-spot-wallet', yes({ currency, withdrawable: usdt(spot) }));
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

describe('what a reader of the journal learns of a transfer', () => {
  const BEGUN =
    '0 operation {"plan":{"kind":"transfer","currency":"USDT","direction":"deposit","amount":"100"}}';
  const ends = (rig: OperationRig): readonly string[] =>
    rig.operationEnds.map(({ end, evidence }) => `${end}: ${evidence}`);
  const lost = (): OperationRig => {
    const rig = sent();
    rig.answer('transfer', unknown());
    return rig;
  };

  it('that is done', () => {
    const rig = new OperationRig();
    const story = storyOf(rig);
    rig.transferring.transfer(WISH, false);
    show(rig, row('old'));
    wallets(rig, '1000', '500');
    rig.answer('transfer', yes(null));
    show(rig, row('new'), row('old'));
    wallets(rig, '1100', '400');
    expect(story).toEqual([
      BEGUN,
      '0 send read-transfers as verify',
      '0 send read-wallet as verify',
      '0 send read-spot-wallet as verify',
      '0 operation-attempt {"attempt":1,"step":{"kind":"transfer","known":["old"],"balance":"1000","withdrawable":"500"}}',
      '0 send transfer deposit 100 USDT as place',
      '0 operation-outcome {"attempt":1,"outcome":"yes"}',
      '300 send read-transfers as verify',
      '300 send read-wallet as verify',
      '300 send read-spot-wallet as verify',
      '300 operation-ended {"end":"done","evidence":"row new was not there before; both wallets confirm it"}',
    ]);
  });

  it.each([
    { futures: '1100', spot: '400', said: 'both wallets confirm it' },
    { futures: '1101', spot: '400', said: 'the wallets were moved by other things too' },
    { futures: '1100', spot: '399', said: 'the wallets were moved by other things too' },
    { futures: '900', spot: '600', said: 'the wallets were moved by other things too' },
  ])('with $futures and $spot after it: $said', ({ futures, spot, said }) => {
    const rig = lost();
    show(rig, row('new'));
    wallets(rig, futures, spot);
    expect(ends(rig)).toEqual([`done: row new was not there before; ${said}`]);
  });

  it('of INR is confirmed though the wallets print four places of what they hold', () => {
    const rig = new OperationRig();
    const wish = { ...WISH, currency: 'INR', amount: inr('0.00017') } as const;
    rig.transferring.transfer(wish, false);
    rig.grant();
    show(rig);
    wallets(rig, '1000.0001', '500', 'INR');
    rig.answer('transfer', yes(null));
    show(rig, row('new', { currency: 'INR', amount: wish.amount }));
    wallets(rig, '1000.0003', '499.9998', 'INR');
    expect(ends(rig)).toEqual(['done: row new was not there before; both wallets confirm it']);
  });

  it('out of futures: the wallets move the other way', () => {
    const rig = new OperationRig();
    const back = { ...WISH, direction: 'withdraw' } as const;
    rig.transferring.transfer(back, false);
    show(rig, row('deposit'));
    wallets(rig, '1000', '500');
    rig.answer('transfer', yes(null));
    show(rig, row('deposit'), row('new', back));
    wallets(rig, '900', '600');
    expect(ends(rig)).toEqual(['done: row new was not there before; both wallets confirm it']);
  });

  it('whose row shows while a wallet cannot be read', () => {
    for (const [futures, spot] of [
      [unknown(), yes({ currency: 'USDT', withdrawable: usdt('400') } as const)],
      [yes({ currency: 'USDT', balance: usdt('1100'), locked: usdt('0') } as const), unknown()],
    ] as const) {
      const rig = lost();
      show(rig, row('new'));
      rig.answer('read-wallet', futures);
      rig.grant();
      rig.answer('read-spot-wallet', spot);
      expect(ends(rig)).toEqual([
        'done: row new was not there before; the wallets were moved by other things too',
      ]);
    }
  });

  it('that two rows could be', () => {
    const rig = lost();
    show(rig, row('a'), row('b'), row('old'));
    expect(ends(rig)).toEqual(['unproved: 2 rows could be it']);
  });

  it.each([
    {
      what: 'shows no row',
      look: (rig: OperationRig) => {
        show(rig, row('old'), row('less', { amount: usdt('99') }));
      },
      said: 'no row of it shows',
    },
    {
      what: 'cannot be read',
      look: (rig: OperationRig) => {
        rig.passUntil('read-transfers');
        rig.answer('read-transfers', unknown());
        rig.grant();
      },
      said: 'transfers cannot be read',
    },
  ])('where the account $what for two minutes', ({ look, said }) => {
    const rig = lost();
    const since = rig.stamp.monotonic;
    while (rig.lastEnd === undefined) look(rig);
    expect(ends(rig)).toEqual([`unproved: ${said}; the request may still land`]);
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(120_000);
    expect(rig.stamp.monotonic - since).toBeLessThan(130_000);
  });

  it('that the world keeps back', () => {
    const rig = new OperationRig();
    rig.holdOperations = 'halted';
    rig.transferring.transfer(WISH, false);
    show(rig);
    wallets(rig, '1000', '500');
    expect(ends(rig)).toEqual(['dropped: halted']);
    expect(rig.sends('transfer')).toBe(0);
  });

  it.each([
    { outcome: no('insufficient-balance'), said: 'refused: insufficient-balance' },
    { outcome: unsent, said: 'dropped: refused to connect' },
  ])('that was not made: $said', ({ outcome, said }) => {
    const rig = sent();
    rig.answer('transfer', outcome);
    expect(ends(rig)).toEqual([said]);
  });

  it('before which the account cannot be read', () => {
    const unread = (rows: ReturnType<typeof unknown> | ReturnType<typeof yes<TransferRow[]>>) => {
      const rig = new OperationRig();
      rig.transferring.transfer(WISH, false);
      rig.grant();
      rig.answer('read-transfers', rows);
      rig.grant();
      rig.answer('read-wallet', rows.kind === 'yes' ? unknown() : yes(EMPTY));
      rig.grant();
      rig.answer('read-spot-wallet', yes({ currency: 'USDT', withdrawable: usdt('1') }));
      rig.grant();
      return ends(rig);
    };
    const EMPTY = { currency: 'USDT', balance: usdt('0'), locked: usdt('0') } as const;
    expect(unread(unknown())).toEqual(['dropped: the account cannot be read']);
    expect(unread(yes([]))).toEqual(['dropped: the account cannot be read']);
  });

  it('that an earlier life never sent', () => {
    const before = sent();
    const rig = OperationRig.revived(before.records.slice(0, 1), before.stamp);
    rig.transferring.resume();
    expect(ends(rig)).toEqual(['dropped: it was never sent']);
  });
});

describe('a transfer cannot be asked for', () => {
  it.each([
    { amount: '0', says: 'a transfer moves an amount above 0' },
    { amount: '-1', says: 'a transfer moves an amount above 0' },
  ])('of $amount', ({ amount, says }) => {
    const rig = new OperationRig();
    expect(rig.transferring.transfer({ ...WISH, amount: usdt(amount) }, true)).toBe(says);
    expect(rig.effects).toEqual([]);
  });

  it('while one of this life is not over, whatever a person says (F7)', () => {
    const rig = sent();
    expect(rig.transferring.transfer(WISH, true)).toBe('another transfer is under way');
    rig.answer('transfer', no('insufficient-balance'));
    expect(rig.transferring.transfer(WISH, false)).toMatchObject({ kind: 'transfer' });
  });

  it('but after an unproved one of an earlier life, when a person says so', () => {
    const before = sent();
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.transferring.resume();
    expect(rig.transferring.transfer(WISH, false)).toBe(
      'an earlier transfer has no proved outcome (100 USDT, spot → futures)',
    );
    expect(rig.transferring.transfer(WISH, true)).toMatchObject({ kind: 'transfer' });
  });

  it('says which way the earlier one went', () => {
    const back = { ...WISH, direction: 'withdraw', amount: usdt('0.5') } as const;
    expect(transferText(back)).toBe('0.5 USDT, futures → spot');
  });
});
