import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  NAMESPACE,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
} from '../../../test/support/rigs/protocol-rig.js';
import type { IntentCase } from '../../../test/support/builders/risk-case.js';
import type { OrderReport } from '../../core/order.js';
import { reconcileOrders, type OwnOrders } from './reconcile-orders.js';

/** Orders of ours: 0 accepted as v1, 1 unproved, 2 rejected, 3 filled. */
function rigOf(): ProtocolRig {
  const rig = new ProtocolRig();
  const place = (of: IntentCase): void => {
    rig.placedOrder({ quantity: '1', price: '60000', ...of });
  };
  place({ ordinal: 0 });
  rig.answer('place', placement('v1'));
  place({ ordinal: 1, quantity: '2' });
  rig.answer('place', unknown());
  place({ ordinal: 2 });
  rig.answer('place', { kind: 'no', code: 'insufficient-balance', text: 'no', status: 400 });
  place({ ordinal: 3 });
  rig.answer('place', placement('v3'));
  rig.protocol.applyAuthoritativeReport(rig.ledger.byKey(3), {
    ...reportOf(rig.ledger.byKey(3).terms, { status: 'filled', filled: '1', average: '60000' }),
    orderId: 'v3',
  });
  return rig;
}

const sideOf = (rig: ProtocolRig, more: Partial<OwnOrders> = {}): OwnOrders => ({
  namespace: NAMESPACE,
  active: [...rig.ledger.allOpenOrders()],
  known: (id) => rig.ledger.known(id),
  hasOrderId: (id) => rig.ledger.hasOrderId(id),
  mayBeOrder: (order, report) => rig.protocol.mayBeOrder(order, report),
  ownsProtection: (id) => id === `${NAMESPACE}-stop-a1`,
  isAdopted: (id) => id === `${NAMESPACE}-known-a1`,
  ...more,
});

/** Verdict on one row; verdicts on its own orders are omitted. */
function judged(row: (rig: ProtocolRig) => Partial<OrderReport>): string {
  const rig = rigOf();
  const base = { ...reportOf(rig.ledger.byKey(0).terms), orderId: 'x1' };
  const [verdict] = reconcileOrders(sideOf(rig), [{ ...base, ...row(rig) }]);
  return verdict?.kind ?? 'nothing';
}

const idOf = (rig: ProtocolRig, key: number) => ({
  clientOrderId: rig.ledger.byKey(key).clientOrderId,
});

describe('a row of the venue’s open orders', () => {
  it('a row with the id of an unsent order is a stray', () => {
    const rig = rigOf();
    const waiting = rig.order({ ordinal: 4, quantity: '1', price: '60000' });
    rig.protocol.submit(waiting);
    expect([waiting.attempts, waiting.state]).toEqual([0, 'waiting']);
    const row = { ...reportOf(waiting.terms), clientOrderId: waiting.clientOrderId, orderId: 'x1' };
    expect(reconcileOrders(sideOf(rig), [row])[0]?.kind).toBe('stray');
  });

  it('an adopted row of an order that was proved never to exist is external', () => {
    const rig = rigOf();
    const { clientOrderId, terms } = rig.ledger.byKey(2);
    const row = { ...reportOf(terms), clientOrderId, orderId: 'x1' };
    const side = sideOf(rig, { isAdopted: (id) => id === clientOrderId });
    expect(reconcileOrders(side, [row])[0]?.kind).toBe('foreign');
  });

  it.each<[string, string, (rig: ProtocolRig) => Partial<OrderReport>]>([
    [
      'a row with our client order id is ours',
      'ours',
      (rig) => ({ ...idOf(rig, 0), orderId: 'v1' }),
    ],
    [
      'a row without a client order id is ours by the venue’s id',
      'ours',
      () => ({ orderId: 'v1' }),
    ],
    ['a row finds an unproved order', 'ours', (rig) => idOf(rig, 1)],
    ['a row of an ended order is a lagging list', 'over', (rig) => idOf(rig, 3)],
    ['a row of an ended order is known by the venue’s id too', 'over', () => ({ orderId: 'v3' })],
    ['a row of an order proved never to exist is impossible', 'impossible', (rig) => idOf(rig, 2)],
    [
      'a row with our prefix and an unknown id is a stray',
      'stray',
      () => ({ clientOrderId: `${NAMESPACE}-abc-a1` }),
    ],
    ['an adopted row is external', 'foreign', () => ({ clientOrderId: `${NAMESPACE}-known-a1` })],
    ['a manual order is external', 'foreign', () => ({ clientOrderId: 'by-hand' })],
    [
      'a row with another id is external, even with the terms of ours',
      'foreign',
      (rig) => ({
        clientOrderId: 'by-hand',
        quantity: rig.ledger.byKey(1).terms.quantity,
      }),
    ],
    ['a row without an id is external', 'foreign', () => ({ side: 'sell' })],
    [
      'a row without an id may be the unproved order',
      'perhaps-ours',
      (rig) => ({
        quantity: rig.ledger.byKey(1).terms.quantity,
      }),
    ],
    ['a stop or target is protective', 'protective', () => ({ role: 'stop-loss' })],
    [
      'a stop under an id of ours is protective',
      'protective',
      () => ({
        role: 'stop-loss',
        clientOrderId: `${NAMESPACE}-stop-a1`,
      }),
    ],
    [
      'a stop with our prefix and an unknown id is a stray',
      'stray',
      () => ({
        role: 'stop-loss',
        clientOrderId: `${NAMESPACE}-twin-a1`,
      }),
    ],
  ])('%s', (_name, kind, row) => {
    expect(judged(row)).toBe(kind);
  });
});

describe('the comparison of both sides', () => {
  it('exactly the acknowledged orders that the list lacks are missing', () => {
    const rig = rigOf();
    const verdicts = reconcileOrders(sideOf(rig), []);
    expect(verdicts).toEqual([{ kind: 'missing', order: rig.ledger.byKey(0) }]);
  });

  it('every row has one verdict and every order of ours at most one, equal each time', () => {
    const rig = rigOf();
    const template = reportOf(rig.ledger.byKey(0).terms);
    const ids = ['v1', 'v3', 'x1', 'x2', 'x3'];
    const clients = [
      undefined,
      'by-hand',
      `${NAMESPACE}-abc-a1`,
      ...rig.ledger.all.map(({ clientOrderId }) => clientOrderId),
    ];
    const row = fc
      .tuple(fc.constantFrom(...ids), fc.constantFrom(...clients))
      .map(([orderId, clientOrderId]): OrderReport => {
        const { clientOrderId: _none, ...rest } = { ...template, orderId };
        return clientOrderId === undefined ? rest : { ...rest, clientOrderId };
      });
    const rows = fc.uniqueArray(row, { selector: ({ orderId }) => orderId });
    fc.assert(
      fc.property(rows, (listed) => {
        const verdicts = reconcileOrders(sideOf(rig), listed);
        const ofRows = verdicts.filter((verdict) => verdict.kind !== 'missing');
        expect(ofRows.map((v) => ('report' in v ? v.report : undefined))).toEqual(listed);
        const missing = verdicts.flatMap((v) => (v.kind === 'missing' ? [v.order] : []));
        expect(new Set(missing).size).toBe(missing.length);
        for (const { orderId } of missing)
          expect(listed.map((r) => r.orderId)).not.toContain(orderId);
        expect(reconcileOrders(sideOf(rig), listed)).toEqual(verdicts);
      }),
    );
  });
});
