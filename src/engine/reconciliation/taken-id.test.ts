import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { BTC, d } from '../../../test/support/builders/risk-case.js';
import { CONFLICT, no, reportOf, yes } from '../../../test/support/rigs/protocol-rig.js';
import type { OrderReport } from '../../core/order.js';
import { recover } from '../../execution/recovery/recovery.js';

/** Our order buys; the venue has an order that sells under the same id. */
function taken(): { readonly first: EngineRig; readonly id: string; readonly row: OrderReport } {
  const first = EngineRig.trading();
  first.submit({ quantity: '0.001' });
  const { clientOrderId: id, terms } = first.engine.ledger.byKey(0);
  first.answer('place', CONFLICT);
  first.pass(400);
  const row: OrderReport = {
    ...reportOf(terms, { status: 'filled', filled: '0.001' }),
    side: 'sell',
    orderId: 'twin-1',
    clientOrderId: id,
  };
  first.answer('find-order', yes(row));
  return { first, id, row };
}

const adopt = (rig: EngineRig, what: string): void => {
  rig.handle({ kind: 'command', commandId: `c-${what}`, command: { kind: 'adopt', what } });
};

/** Like `EngineRig.startEngine`, after a query of an order of the previous run. */
function startWith(rig: EngineRig, row: OrderReport): void {
  rig.handle({ kind: 'instruments', instruments: [BTC] });
  while (rig.pendingRequest('read-leverage') !== undefined)
    rig.answer('read-leverage', { kind: 'yes', value: d('2') });
  rig.poll([]);
  rig.pass(300);
  for (const kind of ['find-order', 'read-positions', 'read-positions'] as const) {
    if (rig.pendingRequest(kind) === undefined) continue;
    if (kind === 'find-order') rig.answer(kind, yes(row));
    else rig.answer(kind, yes([]));
    rig.pass(300);
  }
}

describe('an id of ours under which the venue has an order with other terms', () => {
  it('it halts every run, with its possible causes and the command that ends it', () => {
    const { first, id } = taken();
    expect(first.engine.mode).toBe('HALTED');
    expect(first.engine.haltReason).toMatch(
      new RegExp(`side sell.*another bot runs.*older copy or a backup.*--adopt ${id}$`),
    );
    expect(first.engine.ledger.byKey(0).unproved).toBe(true);
  });

  it.each([['its id', (id: string) => id] as const, ['history', () => 'history'] as const])(
    'it no longer halts once a person has adopted it by %s: our order has ended',
    (_, adoptTargetOf) => {
      const { first, id, row } = taken();
      const second = new EngineRig({ recovered: recover(first.records, 'rig') });
      second.history = [row];
      adopt(second, adoptTargetOf(id));
      startWith(second, row);
      second.tick(60_000);
      second.pass(60_000);
      expect(second.engine.haltReason).toBeUndefined();
      expect(second.engine.mode).toBe('TRADING');
      expect(second.engine.ledger.byClientOrderId(id)?.state).toBe('burned');

      const third = new EngineRig({
        recovered: recover([...first.records, ...second.records], 'rig'),
      });
      third.history = [row];
      third.startEngine();
      third.tick(60_000);
      third.pass(60_000);
      expect(third.engine.mode).toBe('TRADING');
    },
  );
});

describe('an open order under an id of ours that was refused', () => {
  /** The venue refused our order, and lists an order under its id. */
  function listed(): { readonly first: EngineRig; readonly id: string; readonly row: OrderReport } {
    const first = EngineRig.trading();
    first.submit({ quantity: '0.001', price: '59000' });
    const { clientOrderId: id, terms } = first.engine.ledger.byKey(0);
    first.answer('place', no('insufficient-balance'));
    const row: OrderReport = { ...reportOf(terms), orderId: 'twin-1', clientOrderId: id };
    first.poll([], [row]);
    return { first, id, row };
  }

  it('it halts with the command that ends it', () => {
    const { first, id } = listed();
    expect(first.engine.haltReason).toMatch(
      new RegExp(`proved rejected: another bot runs.*older copy or a backup.*--adopt ${id}$`),
    );
  });

  it.each([['its id', (id: string) => id] as const, ['history', () => 'history'] as const])(
    'it is external once a person has adopted it by %s',
    (_, adoptTargetOf) => {
      const { first, id, row } = listed();
      const second = new EngineRig({ recovered: recover(first.records, 'rig') });
      second.history = [row];
      adopt(second, adoptTargetOf(id));
      second.startEngine();
      second.tick(60_000);
      for (let poll = 0; poll < 3; poll += 1) {
        second.pass(1_000);
        second.poll([], [row]);
      }
      expect(second.engine.haltReason).toBeUndefined();
      expect(second.engine.mode).toBe('TRADING');
      expect(second.engine.ledger.byClientOrderId(id)?.state).toBe('rejected');
    },
  );
});
