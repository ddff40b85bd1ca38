import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../test/support/rigs/engine-rig.js';
import { rowOf } from '../../test/support/rigs/operation-rig.js';
import { no, placement, reportOf, unknown, yes } from '../../test/support/rigs/protocol-rig.js';
import { d } from '../../test/support/builders/risk-case.js';
import type { OperatorCommand } from '../core/events.js';
import { recover } from '../execution/recovery/recovery.js';

const SYMBOL_KEY = { symbol: 'BTCUSDT', currency: 'USDT' } as const;
const MARGIN: OperatorCommand = {
  kind: 'margin',
  ...SYMBOL_KEY,
  change: d<'USDT'>('100'),
  reduce: false,
  force: false,
};
const TRANSFER: OperatorCommand = {
  kind: 'transfer',
  currency: 'USDT',
  direction: 'deposit',
  amount: d<'USDT'>('100'),
  force: false,
};

const sendCommand = (rig: EngineRig, command: OperatorCommand, commandId = 'w1'): void => {
  rig.handle({ kind: 'command', commandId, command });
};
const operationsOf = (rig: EngineRig, commandId = 'w1') =>
  rig.engine.operations.all.byCommand(commandId);

/** A trading engine with a known long position. */
function long(): EngineRig {
  const rig = new EngineRig();
  rig.startEngineWithAdopted([rowOf()]);
  rig.tick(60_000);
  return rig;
}

function measure(rig: EngineRig): void {
  rig.answer('read-positions', yes([rowOf()]));
  rig.answer('read-wallet', yes({ currency: 'USDT', balance: d('1000'), locked: d('30000') }));
}

describe('an operation command', () => {
  it('a command makes an operation that names it, with its result', () => {
    const rig = long();
    sendCommand(rig, MARGIN);
    measure(rig);
    rig.answer('change-margin', yes({ initialMargin: d<'USDT'>('30100') }));
    expect(operationsOf(rig)).toMatchObject({ state: 'done', attempts: 1 });
    expect(rig.records.map(({ type }) => type).slice(-5)).toEqual([
      'command',
      'operation',
      'operation-attempt',
      'operation-outcome',
      'operation-ended',
    ]);
  });

  it.each([
    { command: { ...MARGIN, change: d<'USDT'>('-1') } as OperatorCommand, says: /off/ },
    { command: { ...TRANSFER, amount: d<'USDT'>('0') } as OperatorCommand, says: /above 0/ },
  ])('an impossible command sends nothing and reports why: $command.kind', ({ command, says }) => {
    const rig = long();
    const before = rig.sent.length;
    sendCommand(rig, command);
    expect(operationsOf(rig)).toMatchObject({ state: 'dropped', attempts: 0, evidence: says });
    expect(rig.sent.length).toBe(before);
  });

  it('a stop command is carried out, and its order is not external', () => {
    const rig = long();
    sendCommand(rig, { kind: 'protect', ...SYMBOL_KEY, stopLoss: d<'price'>('50000') });
    rig.pass(0);
    rig.answer('read-positions', yes([rowOf()]));
    const { clientOrderId = '' } = rig.pendingRequest('set-leg') ?? {};
    expect(rig.engine.operations.protectiveOrders.owns(clientOrderId)).toBe(true);
    rig.answer('set-leg', no('protection-refused'));
    expect(operationsOf(rig)).toMatchObject({ state: 'refused' });
  });
});

describe('an operation whose permit is granted in another mode', () => {
  it('an operation is held under the kill switch', () => {
    const rig = long();
    sendCommand(rig, MARGIN);
    sendCommand(rig, { kind: 'kill', level: 'cancel', reason: 'test' }, 'w2');
    measure(rig);
    expect(rig.pendingRequest('change-margin')).toBeUndefined();
    expect(operationsOf(rig)).toMatchObject({ state: 'dropped', evidence: /kill switch/ });
  });

  it('an operation is held while the venue refuses the key', () => {
    const rig = long();
    sendCommand(rig, MARGIN);
    rig.handle({ kind: 'access', refused: true, cause: '401' });
    measure(rig);
    expect(operationsOf(rig)).toMatchObject({ state: 'dropped', evidence: /key/ });
  });

  it('a transfer may still leave', () => {
    const rig = long();
    sendCommand(rig, { kind: 'kill', level: 'cancel', reason: 'test' }, 'w2');
    sendCommand(rig, TRANSFER);
    rig.answer('read-transfers', yes([]));
    rig.answer('read-wallet', yes({ currency: 'USDT', balance: d('1'), locked: d('0') }));
    rig.answer('read-spot-wallet', yes({ currency: 'USDT', withdrawable: d('500') }));
    expect(rig.pendingRequest('transfer')).toMatchObject({ amount: d('100') });
  });
});

describe('the orders of one symbol', () => {
  it('one entry is in flight at a time; a reduction overtakes it', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.001', price: '59000' });
    rig.submit({ quantity: '0.001', price: '58000', ordinal: 1 });
    rig.submit({ quantity: '0.001', side: 'sell', exit: true, ordinal: 2 });
    const places = () => rig.sent.filter(({ request }) => request.kind === 'place').length;
    expect(places()).toBe(2);
    rig.answer('place', placement());
    expect(places()).toBe(2);
  });

  it('no entry leaves while a margin change is unproved', () => {
    const rig = long();
    sendCommand(rig, MARGIN);
    measure(rig);
    rig.answer('change-margin', unknown());
    rig.submit({ quantity: '0.001', price: '59000' });
    expect(rig.pendingRequest('place')).toBeUndefined();
    rig.pass(300);
    rig.answer('read-positions', yes([rowOf({ margin: '30100' })]));
    rig.answer('read-wallet', yes({ currency: 'USDT', balance: d('900'), locked: d('30100') }));
    expect(operationsOf(rig)).toMatchObject({ state: 'done' });
    expect(rig.pendingRequest('place')).toBeDefined();
  });
});

describe('an amendment in place', () => {
  const PRICE = d<'price'>('58000');

  /** A resting order of 0.002 with a PATCH in flight. */
  function amending(): EngineRig {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.002', price: '59000' });
    rig.answer('place', placement());
    const order = rig.engine.ledger.byKey(0);
    sendCommand(rig, {
      kind: 'amend',
      clientOrderId: order.clientOrderId,
      price: PRICE,
      quantity: d('0.003'),
      validUntil: rig.venueTime + 60_000,
      inPlace: true,
    });
    return rig;
  }

  it('an amendment is one request, and the order keeps its id', () => {
    const rig = amending();
    rig.answer('amend', yes(null));
    const { terms } = rig.engine.ledger.byKey(0);
    while (operationsOf(rig)?.ended !== true) {
      rig.pass(100);
      if (rig.pendingRequest('find-order') === undefined) continue;
      rig.answer('find-order', yes(reportOf({ ...terms, price: PRICE, quantity: d('0.003') })));
    }
    expect(rig.engine.ledger.all).toHaveLength(1);
    expect(rig.engine.ledger.byKey(0).terms).toMatchObject({ price: PRICE, quantity: d('0.003') });
    expect(rig.engine.haltReason).toBeUndefined();
  });

  it('a failed amendment continues as a new order for the remaining quantity (C6)', () => {
    const rig = amending();
    rig.answer('amend', unknown());
    const { terms } = rig.engine.ledger.byKey(0);
    let canceled = false;
    for (let attempt = 0; attempt < 400 && rig.engine.ledger.all.length < 2; attempt += 1) {
      rig.pass(100);
      if (rig.pendingRequest('cancel') !== undefined) {
        rig.answer('cancel', yes(null));
        canceled = true;
      }
      while (rig.pendingRequest('find-order') !== undefined)
        rig.answer(
          'find-order',
          yes(reportOf(terms, { status: canceled ? 'canceled' : 'created' })),
        );
    }
    expect(operationsOf(rig)).toMatchObject({ state: 'fenced', attempts: 1 });
    expect(rig.engine.ledger.byKey(1).terms).toMatchObject({
      price: PRICE,
      quantity: d('0.003'),
    });
  });

  it('an amendment of a killed process counts at the larger quantity in the next run', () => {
    const { records } = amending();
    const rig = new EngineRig({ recovered: recover(records, 'rig') });
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('0.003'));
  });
});
