import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  NAMESPACE,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
} from '../../../test/harness/protocol-rig.js';
import type { IntentCase } from '../../../test/harness/risk-case.js';
import type { OrderReport } from '../../core/order.js';
import { reconcileOrders, type OurOrders } from './reconcile-orders.js';

/** Orders of ours: 0 accepted as v1, 1 unproved, 2 rejected, 3 filled. */
function rigOf(): ProtocolRig {
  const rig = new ProtocolRig();
  const place = (of: IntentCase): void => {
    rig.placed({ quantity: '1', price: '60000', ...of });
  };
  place({ ordinal: 0 });
  rig.answer('place', placement('v1'));
  place({ ordinal: 1, quantity: '2' });
  rig.answer('place', unknown());
  place({ ordinal: 2 });
  rig.answer('place', { kind: 'no', code: 'insufficient-balance', text: 'no', status: 400 });
  place({ ordinal: 3 });
  rig.answer('place', placement('v3'));
  rig.protocol.tell(rig.ledger.byKey(3), {
    ...reportOf(rig.ledger.byKey(3).terms, { status: 'filled', filled: '1', average: '60000' }),
    orderId: 'v3',
  });
  return rig;
}

const sideOf = (rig: ProtocolRig, more: Partial<OurOrders> = {}): OurOrders => ({
  namespace: NAMESPACE,
  active: [...rig.ledger.allActive()],
  byClientOrderId: (id) => rig.ledger.all.find(({ clientOrderId }) => clientOrderId === id),
  hasOrderId: (id) => rig.ledger.hasOrderId(id),
  couldBe: (order, report) => rig.protocol.couldBe(order, report),
  ownsProtection: (id) => id === `${NAMESPACE}-stop-a1`,
  isAdopted: (id) => id === `${NAMESPACE}-known-a1`,
  ...more,
});

/** What is judged of one row; its own order's verdicts are left out. */
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
  it('that has the id of an order which never left is a stray', () => {
    const rig = rigOf();
    const waiting = rig.order({ ordinal: 4, quantity: '1', price: '60000' });
    rig.protocol.submit(waiting);
    expect([waiting.attempts, waiting.state]).toEqual([0, 'waiting']);
    const row = { ...reportOf(waiting.terms), clientOrderId: waiting.clientOrderId, orderId: 'x1' };
    expect(reconcileOrders(sideOf(rig), [row])[0]?.kind).toBe('stray');
  });

  it('that was proved never to exist, and that a person adopted, is foreign', () => {
    const rig = rigOf();
    const { clientOrderId, terms } = rig.ledger.byKey(2);
    const row = { ...reportOf(terms), clientOrderId, orderId: 'x1' };
    const side = sideOf(rig, { isAdopted: (id) => id === clientOrderId });
    expect(reconcileOrders(side, [row])[0]?.kind).toBe('foreign');
  });

  it.each<[string, string, (rig: ProtocolRig) => Partial<OrderReport>]>([
    ['is ours by its client id', 'ours', (rig) => ({ ...idOf(rig, 0), orderId: 'v1' })],
    ['is ours by the venue’s id where it tells no other', 'ours', () => ({ orderId: 'v1' })],
    ['finds an order whose fate is not proved', 'ours', (rig) => idOf(rig, 1)],
    ['that we know to have ended is a list that lags', 'over', (rig) => idOf(rig, 3)],
    ['that has ended is known by the venue’s id too', 'over', () => ({ orderId: 'v3' })],
    ['that was proved never to exist cannot be', 'impossible', (rig) => idOf(rig, 2)],
    [
      'with our prefix that nobody knows is a stray',
      'stray',
      () => ({ clientOrderId: `${NAMESPACE}-abc-a1` }),
    ],
    [
      'that a person adopted is foreign',
      'foreign',
      () => ({ clientOrderId: `${NAMESPACE}-known-a1` }),
    ],
    ['by hand is foreign', 'foreign', () => ({ clientOrderId: 'by-hand' })],
    [
      'with another’s id is foreign, though it trades the same as ours',
      'foreign',
      (rig) => ({
        clientOrderId: 'by-hand',
        quantity: rig.ledger.byKey(1).terms.quantity,
      }),
    ],
    ['without an id is foreign', 'foreign', () => ({ side: 'sell' })],
    [
      'without an id may be the order whose fate is not proved',
      'perhaps-ours',
      (rig) => ({
        quantity: rig.ledger.byKey(1).terms.quantity,
      }),
    ],
    ['that is a stop or target protects', 'protective', () => ({ role: 'stop-loss' })],
    [
      'that is a stop by an id of ours protects',
      'protective',
      () => ({
        role: 'stop-loss',
        clientOrderId: `${NAMESPACE}-stop-a1`,
      }),
    ],
    [
      'that is a stop with our prefix that nobody knows is a stray',
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

describe('the union of both sides', () => {
  it('misses what the venue has told of and does not list, and only that', () => {
    const rig = rigOf();
    const verdicts = reconcileOrders(sideOf(rig), []);
    expect(verdicts).toEqual([{ kind: 'missing', order: rig.ledger.byKey(0) }]);
  });

  it('judges every row once and every order of ours at most once, the same each time', () => {
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
