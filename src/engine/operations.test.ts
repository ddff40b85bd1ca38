import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../test/harness/engine-rig.js';
import { rowOf } from '../../test/harness/operation-rig.js';
import { no, placement, reportOf, unknown, yes } from '../../test/harness/protocol-rig.js';
import { d } from '../../test/harness/risk-case.js';
import type { Command } from '../core/events.js';
import { recover } from '../execution/recovery/recovery.js';

const LANE = { symbol: 'BTCUSDT', currency: 'USDT' } as const;
const MARGIN: Command = {
  kind: 'margin',
  ...LANE,
  change: d<'USDT'>('100'),
  reduce: false,
  force: false,
};
const TRANSFER: Command = {
  kind: 'transfer',
  currency: 'USDT',
  direction: 'deposit',
  amount: d<'USDT'>('100'),
  force: false,
};

const say = (rig: EngineRig, command: Command, commandId = 'w1'): void => {
  rig.happen({ kind: 'command', commandId, command });
};
const said = (rig: EngineRig, commandId = 'w1') => rig.engine.operations.all.byCommand(commandId);

/** Trading, with a long position that is known. */
function long(): EngineRig {
  const rig = new EngineRig();
  rig.beginWith([rowOf()]);
  rig.tick(60_000);
  return rig;
}

function measure(rig: EngineRig): void {
  rig.answer('read-positions', yes([rowOf()]));
  rig.answer('read-wallet', yes({ currency: 'USDT', balance: d('1000'), locked: d('30000') }));
}

describe('a word that is no order', () => {
  it('is an operation that names it, with its answer', () => {
    const rig = long();
    say(rig, MARGIN);
    measure(rig);
    rig.answer('change-margin', yes({ initialMargin: d<'USDT'>('30100') }));
    expect(said(rig)).toMatchObject({ state: 'done', attempts: 1 });
    expect(rig.records.map(({ type }) => type).slice(-5)).toEqual([
      'command',
      'operation',
      'operation-attempt',
      'operation-outcome',
      'operation-ended',
    ]);
  });

  it.each([
    { command: { ...MARGIN, change: d<'USDT'>('-1') } as Command, says: /off/ },
    { command: { ...TRANSFER, amount: d<'USDT'>('0') } as Command, says: /above 0/ },
  ])('that cannot be done sends nothing and says why: $command.kind', ({ command, says }) => {
    const rig = long();
    const before = rig.sent.length;
    say(rig, command);
    expect(said(rig)).toMatchObject({ state: 'dropped', attempts: 0, evidence: says });
    expect(rig.sent.length).toBe(before);
  });

  it('of a stop is seen to, and its leg is no stranger', () => {
    const rig = long();
    say(rig, { kind: 'protect', ...LANE, stopLoss: d<'price'>('50000') });
    rig.pass(0);
    rig.answer('read-positions', yes([rowOf()]));
    const { clientOrderId = '' } = rig.waiting('set-leg') ?? {};
    expect(rig.engine.operations.protecting.owns(clientOrderId)).toBe(true);
    rig.answer('set-leg', no('protection-refused'));
    expect(said(rig)).toMatchObject({ state: 'refused' });
  });
});

describe('an operation whose slot comes in another mode', () => {
  it('is held once the kill switch is thrown', () => {
    const rig = long();
    say(rig, MARGIN);
    say(rig, { kind: 'kill', level: 'cancel', reason: 'test' }, 'w2');
    measure(rig);
    expect(rig.waiting('change-margin')).toBeUndefined();
    expect(said(rig)).toMatchObject({ state: 'dropped', evidence: 'mode CANCEL_ONLY' });
  });

  it('is held while the venue refuses the key', () => {
    const rig = long();
    say(rig, MARGIN);
    rig.happen({ kind: 'access', refused: true, cause: '401' });
    measure(rig);
    expect(said(rig)).toMatchObject({ state: 'dropped', evidence: /key/ });
  });

  it('may still move money', () => {
    const rig = long();
    say(rig, { kind: 'kill', level: 'cancel', reason: 'test' }, 'w2');
    say(rig, TRANSFER);
    rig.answer('read-transfers', yes([]));
    rig.answer('read-wallet', yes({ currency: 'USDT', balance: d('1'), locked: d('0') }));
    rig.answer('read-spot-wallet', yes({ currency: 'USDT', withdrawable: d('500') }));
    expect(rig.waiting('transfer')).toMatchObject({ amount: d('100') });
  });
});

describe('one symbol', () => {
  it('has one entry on the wire at a time; a reduction overtakes', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.001', price: '59000' });
    rig.submit({ quantity: '0.001', price: '58000', ordinal: 1 });
    rig.submit({ quantity: '0.001', side: 'sell', exit: true, ordinal: 2 });
    const places = () => rig.sent.filter(({ request }) => request.kind === 'place').length;
    expect(places()).toBe(2);
    rig.answer('place', placement());
    expect(places()).toBe(2);
  });

  it('lets no entry out while a change of its margin is not proved', () => {
    const rig = long();
    say(rig, MARGIN);
    measure(rig);
    rig.answer('change-margin', unknown());
    rig.submit({ quantity: '0.001', price: '59000' });
    expect(rig.waiting('place')).toBeUndefined();
    rig.pass(300);
    rig.answer('read-positions', yes([rowOf({ margin: '30100' })]));
    rig.answer('read-wallet', yes({ currency: 'USDT', balance: d('900'), locked: d('30100') }));
    expect(said(rig)).toMatchObject({ state: 'done' });
    expect(rig.waiting('place')).toBeDefined();
  });
});

describe('an amendment in place', () => {
  const PRICE = d<'price'>('58000');

  /** A resting order of 0.002 with a PATCH on its way. */
  function amending(): EngineRig {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.002', price: '59000' });
    rig.answer('place', placement());
    const order = rig.engine.ledger.byKey(0);
    say(rig, {
      kind: 'amend',
      clientOrderId: order.clientOrderId,
      price: PRICE,
      quantity: d('0.003'),
      validUntil: rig.venueTime + 60_000,
      inPlace: true,
    });
    return rig;
  }

  it('is one request, and the order keeps its id', () => {
    const rig = amending();
    rig.answer('amend', yes(null));
    const { terms } = rig.engine.ledger.byKey(0);
    while (said(rig)?.ended !== true) {
      rig.pass(100);
      if (rig.waiting('find-order') === undefined) continue;
      rig.answer('find-order', yes(reportOf({ ...terms, price: PRICE, quantity: d('0.003') })));
    }
    expect(rig.engine.ledger.all).toHaveLength(1);
    expect(rig.engine.ledger.byKey(0).terms).toMatchObject({ price: PRICE, quantity: d('0.003') });
    expect(rig.engine.haltReason).toBeUndefined();
  });

  it('that is fenced goes on as a new order for what is left (C6)', () => {
    const rig = amending();
    rig.answer('amend', unknown());
    const { terms } = rig.engine.ledger.byKey(0);
    let canceled = false;
    for (let look = 0; look < 400 && rig.engine.ledger.all.length < 2; look += 1) {
      rig.pass(100);
      if (rig.waiting('cancel') !== undefined) {
        rig.answer('cancel', yes(null));
        canceled = true;
      }
      while (rig.waiting('find-order') !== undefined)
        rig.answer(
          'find-order',
          yes(reportOf(terms, { status: canceled ? 'canceled' : 'created' })),
        );
    }
    expect(said(rig)).toMatchObject({ state: 'fenced', attempts: 1 });
    expect(rig.engine.ledger.byKey(1).terms).toMatchObject({
      price: PRICE,
      quantity: d('0.003'),
    });
  });

  it('whose process dies counts at the larger quantity in the next life', () => {
    const { records } = amending();
    const rig = new EngineRig({ recovered: recover(records, 'rig') });
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('0.003'));
  });
});
