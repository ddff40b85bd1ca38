import { describe, expect, it } from 'vitest';
import { OperationRig } from '../../../test/support/rigs/operation-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import { no, unknown, unsent, yes } from '../../../test/support/rigs/protocol-rig.js';
import type { TransferRow } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Amount } from '../../core/fixed/fixed.js';
import { eventLog } from '../../../test/support/builders/event-log.js';
import { transferText, type TransferRequest } from './transfer-executor.js';

const usdt = (text: string): Amount => d<'USDT'>(text);
const inr = (text: string): Amount => d<'INR'>(text);
const REQUEST: TransferRequest = { currency: 'USDT', direction: 'deposit', amount: usdt('100') };
const row = (id: string, of: Partial<TransferRow> = {}): TransferRow => ({
  id,
  ...REQUEST,
  createdAt: 0,
  ...of,
});

function wallets(
  rig: OperationRig,
  futures: string,
  spot: string,
  currency: Currency = 'USDT',
): void {
  rig.grantPermit();
  rig.answer('read-wallet', yes({ currency, balance: usdt(futures), locked: usdt('0') }));
  rig.grantPermit();
  rig.answer('read-spot-wallet', yes({ currency, withdrawable: usdt(spot) }));
  rig.grantPermit();
}

/** 100 USDT to futures that were sent, with one equal transfer before. */
function sent(): OperationRig {
  const rig = new OperationRig();
  rig.transferring.transfer(REQUEST, false);
  rig.grantPermit();
  rig.answer('read-transfers', yes([row('old'), row('other', { amount: usdt('5') })]));
  wallets(rig, '1000', '500');
  return rig;
}

const show = (rig: OperationRig, ...rows: readonly TransferRow[]): void => {
  rig.passUntil('read-transfers');
  rig.answer('read-transfers', yes(rows));
  rig.grantPermit();
};

describe('transfer', () => {
  it('a transfer is journaled with equal rows and both wallets as they were, and only then sent', () => {
    const rig = sent();
    expect(rig.records.at(-1)).toMatchObject({
      type: 'operation-attempt',
      step: { known: ['old'], balance: usdt('1000'), withdrawable: usdt('500') },
    });
    expect(rig.effects.at(-1)).toBe('send transfer');
    expect(rig.pendingRequest('transfer')).toMatchObject(REQUEST);
  });

  it.each([{ outcome: yes(null) }, { outcome: unknown() }])(
    'the one new row proves a transfer answered with $outcome.kind (F6)',
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

  it('evidence mentions wallets that other activity moved too', () => {
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
  ])('a refusal ends a transfer $end, and it is never sent again (P27)', ({ outcome, end }) => {
    const rig = sent();
    rig.answer('transfer', outcome);
    rig.pass(300_000);
    expect(rig.lastEnd).toBe(end);
    expect(rig.sends('transfer')).toBe(1);
  });

  it('a transfer that two new rows could be is left to the operator (F7)', () => {
    const rig = sent();
    rig.answer('transfer', unknown());
    show(rig, row('a'), row('b'), row('old'));
    expect(rig.lastEnd).toBe('unproved');
  });

  it('a transfer that never shows is unproved after two minutes, and refuses the next', () => {
    const rig = sent();
    rig.answer('transfer', unknown());
    while (rig.lastEnd === undefined) show(rig, row('old'), row('w', { direction: 'withdraw' }));
    expect(rig.lastEnd).toBe('unproved');
    expect(rig.sends('transfer')).toBe(1);
    expect(rig.transferring.transfer(REQUEST, false)).toBe(
      'an earlier transfer has no proved outcome (100 USDT, spot → futures)',
    );
    expect(rig.transferring.transfer(REQUEST, true)).toMatchObject({});
  });

  it('one transfer runs at a time (F7)', () => {
    const rig = new OperationRig();
    rig.transferring.transfer(REQUEST, false);
    expect(rig.transferring.transfer(REQUEST, false)).toMatch(/under way/);
  });

  it('a transfer is not sent when the account cannot be read first', () => {
    const rig = new OperationRig();
    rig.transferring.transfer(REQUEST, false);
    rig.grantPermit();
    rig.answer('read-transfers', unknown(500));
    wallets(rig, '1000', '500');
    expect(rig.lastEnd).toBe('dropped');
  });
});

describe('crash with a transfer in progress', () => {
  it.each([
    { when: 'INTENT', upTo: 'operation', end: 'dropped' },
    { when: 'ATTEMPT', upTo: 'operation-attempt', end: 'done' },
    { when: 'OUTCOME', upTo: 'operation-outcome', end: 'done' },
  ])('after $when the transfer is never sent again', ({ upTo, end }) => {
    const before = sent();
    before.answer('transfer', yes(null));
    const cut = before.records.findIndex(({ type }) => type === upTo) + 1;
    const rig = OperationRig.revived(before.records.slice(0, cut), before.stamp);
    rig.transferring.resume();
    if (end === 'done') {
      expect(rig.transferring.transfer(REQUEST, false)).toMatch(/no proved outcome/);
      show(rig, row('new'), row('old'));
      wallets(rig, '1100', '400');
    }
    expect(rig.lastEnd).toBe(end);
    expect(rig.sends('transfer')).toBe(0);
    expect(rig.transferring.transfer(REQUEST, false)).toMatchObject({});
  });
});

describe('journal of a transfer', () => {
  const BEGUN =
    '0 operation {"plan":{"kind":"transfer","currency":"USDT","direction":"deposit","amount":"100"}}';
  const ends = (rig: OperationRig): readonly string[] =>
    rig.operationEnds.map(({ end, evidence }) => `${end}: ${evidence}`);
  const lost = (): OperationRig => {
    const rig = sent();
    rig.answer('transfer', unknown());
    return rig;
  };

  it('the journal has a proved transfer', () => {
    const rig = new OperationRig();
    const log = eventLog(rig);
    rig.transferring.transfer(REQUEST, false);
    show(rig, row('old'));
    wallets(rig, '1000', '500');
    rig.answer('transfer', yes(null));
    show(rig, row('new'), row('old'));
    wallets(rig, '1100', '400');
    expect(log).toEqual([
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
    { futures: '1100', spot: '400', evidence: 'both wallets confirm it' },
    { futures: '1101', spot: '400', evidence: 'the wallets were moved by other things too' },
    { futures: '1100', spot: '399', evidence: 'the wallets were moved by other things too' },
    { futures: '900', spot: '600', evidence: 'the wallets were moved by other things too' },
  ])('wallets with $futures and $spot after it give: $evidence', ({ futures, spot, evidence }) => {
    const rig = lost();
    show(rig, row('new'));
    wallets(rig, futures, spot);
    expect(ends(rig)).toEqual([`done: row new was not there before; ${evidence}`]);
  });

  it('an INR transfer is confirmed though the wallets print four places', () => {
    const rig = new OperationRig();
    const request = { ...REQUEST, currency: 'INR', amount: inr('0.00017') } as const;
    rig.transferring.transfer(request, false);
    rig.grantPermit();
    show(rig);
    wallets(rig, '1000.0001', '500', 'INR');
    rig.answer('transfer', yes(null));
    show(rig, row('new', { currency: 'INR', amount: request.amount }));
    wallets(rig, '1000.0003', '499.9998', 'INR');
    expect(ends(rig)).toEqual(['done: row new was not there before; both wallets confirm it']);
  });

  it('a withdrawal moves the wallets the other way', () => {
    const rig = new OperationRig();
    const back = { ...REQUEST, direction: 'withdraw' } as const;
    rig.transferring.transfer(back, false);
    show(rig, row('deposit'));
    wallets(rig, '1000', '500');
    rig.answer('transfer', yes(null));
    show(rig, row('deposit'), row('new', back));
    wallets(rig, '900', '600');
    expect(ends(rig)).toEqual(['done: row new was not there before; both wallets confirm it']);
  });

  it('a row proves a transfer while a wallet cannot be read', () => {
    for (const [futures, spot] of [
      [unknown(), yes({ currency: 'USDT', withdrawable: usdt('400') } as const)],
      [yes({ currency: 'USDT', balance: usdt('1100'), locked: usdt('0') } as const), unknown()],
    ] as const) {
      const rig = lost();
      show(rig, row('new'));
      rig.answer('read-wallet', futures);
      rig.grantPermit();
      rig.answer('read-spot-wallet', spot);
      expect(ends(rig)).toEqual([
        'done: row new was not there before; the wallets were moved by other things too',
      ]);
    }
  });

  it('two rows that could be the transfer leave it unproved', () => {
    const rig = lost();
    show(rig, row('a'), row('b'), row('old'));
    expect(ends(rig)).toEqual(['unproved: 2 rows could be it']);
  });

  it.each([
    {
      what: 'shows no row',
      read: (rig: OperationRig) => {
        show(rig, row('old'), row('less', { amount: usdt('99') }));
      },
      evidence: 'no row of it shows',
    },
    {
      what: 'cannot be read',
      read: (rig: OperationRig) => {
        rig.passUntil('read-transfers');
        rig.answer('read-transfers', unknown());
        rig.grantPermit();
      },
      evidence: 'transfers cannot be read',
    },
  ])('an account that $what for two minutes leaves the transfer unproved', ({ read, evidence }) => {
    const rig = lost();
    const since = rig.stamp.monotonic;
    while (rig.lastEnd === undefined) read(rig);
    expect(ends(rig)).toEqual([`unproved: ${evidence}; the request may still land`]);
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(120_000);
    expect(rig.stamp.monotonic - since).toBeLessThan(130_000);
  });

  it('a transfer that the engine holds is dropped', () => {
    const rig = new OperationRig();
    rig.holdOperations = 'halted';
    rig.transferring.transfer(REQUEST, false);
    show(rig);
    wallets(rig, '1000', '500');
    expect(ends(rig)).toEqual(['dropped: halted']);
    expect(rig.sends('transfer')).toBe(0);
  });

  it.each([
    { outcome: no('insufficient-balance'), evidence: 'refused: insufficient-balance' },
    { outcome: unsent, evidence: 'dropped: refused to connect' },
  ])('a transfer that was not made ends: $evidence', ({ outcome, evidence }) => {
    const rig = sent();
    rig.answer('transfer', outcome);
    expect(ends(rig)).toEqual([evidence]);
  });

  it('a transfer is dropped when the account cannot be read first', () => {
    const unread = (rows: ReturnType<typeof unknown> | ReturnType<typeof yes<TransferRow[]>>) => {
      const rig = new OperationRig();
      rig.transferring.transfer(REQUEST, false);
      rig.grantPermit();
      rig.answer('read-transfers', rows);
      rig.grantPermit();
      rig.answer('read-wallet', rows.kind === 'yes' ? unknown() : yes(EMPTY));
      rig.grantPermit();
      rig.answer('read-spot-wallet', yes({ currency: 'USDT', withdrawable: usdt('1') }));
      rig.grantPermit();
      return ends(rig);
    };
    const EMPTY = { currency: 'USDT', balance: usdt('0'), locked: usdt('0') } as const;
    expect(unread(unknown())).toEqual(['dropped: the account cannot be read']);
    expect(unread(yes([]))).toEqual(['dropped: the account cannot be read']);
  });

  it('a transfer that the previous run never sent is dropped', () => {
    const before = sent();
    const rig = OperationRig.revived(before.records.slice(0, 1), before.stamp);
    rig.transferring.resume();
    expect(ends(rig)).toEqual(['dropped: it was never sent']);
  });
});

describe('transfer that is refused at once', () => {
  it.each([
    { amount: '0', expected: 'a transfer moves an amount above 0' },
    { amount: '-1', expected: 'a transfer moves an amount above 0' },
  ])('a transfer of $amount is refused', ({ amount, expected }) => {
    const rig = new OperationRig();
    expect(rig.transferring.transfer({ ...REQUEST, amount: usdt(amount) }, true)).toBe(expected);
    expect(rig.effects).toEqual([]);
  });

  it("a transfer during another one of this run is refused, even with the operator's consent (F7)", () => {
    const rig = sent();
    expect(rig.transferring.transfer(REQUEST, true)).toBe('another transfer is under way');
    rig.answer('transfer', no('insufficient-balance'));
    expect(rig.transferring.transfer(REQUEST, false)).toMatchObject({ kind: 'transfer' });
  });

  it("a transfer after an unproved one of a previous run needs the operator's consent", () => {
    const before = sent();
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.transferring.resume();
    expect(rig.transferring.transfer(REQUEST, false)).toBe(
      'an earlier transfer has no proved outcome (100 USDT, spot → futures)',
    );
    expect(rig.transferring.transfer(REQUEST, true)).toMatchObject({ kind: 'transfer' });
  });

  it('the refusal names the direction of the earlier transfer', () => {
    const back = { ...REQUEST, direction: 'withdraw', amount: usdt('0.5') } as const;
    expect(transferText(back)).toBe('0.5 USDT, futures → spot');
  });
});
