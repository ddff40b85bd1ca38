import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import {
  NAMESPACE,
  NOT_FOUND,
  placement,
  reportOf,
  unknown,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { intentOf } from '../../../test/support/builders/risk-case.js';
import type { OrderReport } from '../../core/order.js';
import { recover } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';

const TWIN = `${NAMESPACE}-twin-a1`;

/** A market order that filled at once, as a history row. */
const filled = (fields: Partial<OrderReport> = {}): OrderReport => ({
  ...reportOf(intentOf({ quantity: '0.003' }).terms, { status: 'filled', filled: '0.003' }),
  orderId: 'twin-1',
  clientOrderId: TWIN,
  ...fields,
});
const withoutId = ({ clientOrderId: _, ...row }: OrderReport): OrderReport => row;
const adopt = (rig: EngineRig, what: string): void => {
  rig.handle({ kind: 'command', commandId: `c-${what}`, command: { kind: 'adopt', what } });
};
const strays = (rig: EngineRig): readonly string[] =>
  rig.records.flatMap((record) => (record.type === 'stray' ? [record.clientOrderId] : []));
/** Passes time while the venue shows no open order and its lists are read. */
const passListed = (rig: EngineRig, ms: number): void => {
  for (let passed = 0; passed < ms; passed += 5_000) {
    rig.poll();
    rig.pass(5_000);
  }
};
/** Passes time before a venue whose clock runs 20 times as fast: a minute of slack is three seconds. */
const passFast = (rig: EngineRig, ms: number, { lists = false } = {}): void => {
  for (let passed = 0; passed < ms; passed += 5_000) {
    if (lists) rig.poll();
    rig.venueTime += 19 * 5_000;
    rig.pass(5_000);
  }
};
const nextRun = (rig: EngineRig): EngineRig =>
  new EngineRig({ recovered: recover(rig.records, 'rig') });

describe('a stray order in history', () => {
  it('a stray that never rested halts within half a minute', () => {
    const rig = EngineRig.trading();
    rig.history = [filled()];
    rig.pass(30_000);
    expect(rig.engine.mode).toBe('HALTED');
    expect(rig.engine.haltReason).toContain(`--adopt ${TWIN}`);
    expect(rig.engine.haltReason).toMatch(/another bot runs .* older copy or a backup/);
    expect(rig.engine.haltReason).toContain('account "rig"');
  });

  it('a stray between two runs halts before the first trade', () => {
    const rig = new EngineRig({ gate: createGate({ preset: 'standard', limits: DEFAULT_LIMITS }) });
    rig.history = [filled(), filled({ orderId: 'twin-2', clientOrderId: `${TWIN}2` })];
    rig.startEngine();
    rig.tick(60_000);
    expect(rig.engine.haltReason).toContain('2 orders');
    expect(rig.engine.haltReason).toContain(`${TWIN}, ${TWIN}2`);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused');
  });

  it('a stray in the other currency halts too', () => {
    const rig = new EngineRig();
    rig.history = [filled({ currency: 'INR' })];
    rig.startEngine();
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('a stray halts at once when a position changes without an order of ours', () => {
    const rig = EngineRig.trading();
    rig.history = [filled()];
    for (let poll = 0; poll < 4; poll += 1) {
      rig.pass(2_000);
      rig.poll([positionRow('0.003')]);
    }
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('a stray is journaled once, and halts every run until a person adopts it', () => {
    const first = EngineRig.trading();
    first.history = [filled()];
    first.pass(60_000);
    expect(strays(first)).toEqual([TWIN]);

    const second = nextRun(first);
    second.startEngine();
    expect(second.engine.haltReason).toContain(TWIN);
    expect(strays(second)).toEqual([]);

    const third = nextRun(first);
    third.history = [filled()];
    adopt(third, TWIN);
    third.startEngine();
    third.tick(60_000);
    third.pass(60_000);
    expect(third.engine.mode).toBe('TRADING');
    const fourth = new EngineRig({
      recovered: recover([...first.records, ...third.records], 'rig'),
    });
    fourth.history = [filled()];
    fourth.startEngine();
    fourth.tick(60_000);
    fourth.pass(60_000);
    expect(fourth.engine.mode).toBe('TRADING');
  });

  it('one command adopts all strays in history, and a later stray halts again', () => {
    const rig = new EngineRig();
    rig.history = [filled(), filled({ orderId: 'twin-2', clientOrderId: `${TWIN}2` })];
    adopt(rig, 'history');
    rig.startEngine();
    rig.tick(60_000);
    rig.pass(60_000);
    expect(rig.engine.mode).toBe('TRADING');
    const adopted = recover(rig.records, 'rig').adopted;
    expect([...adopted]).toEqual(expect.arrayContaining([TWIN, `${TWIN}2`]));
    rig.history = [filled({ orderId: 'twin-3', clientOrderId: `${TWIN}3` })];
    rig.pass(30_000);
    expect(rig.engine.haltReason).toContain(`${TWIN}3`);
  });

  it('the history query for an order of ours finds a stray too', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.001' });
    rig.answer('place', unknown());
    rig.answerOrderNotFound([filled()]);
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('a stray under the id of an order that never left halts', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.001' }, -1);
    const { clientOrderId } = rig.engine.ledger.byKey(0);
    expect(rig.engine.ledger.byKey(0).attempts).toBe(0);
    rig.history = [filled({ clientOrderId })];
    rig.pass(30_000);
    expect(rig.engine.haltReason).toContain(clientOrderId);
  });
});

describe('a stray that rested while history was checked', () => {
  it('the end of a stray halts although no list showed it', () => {
    const rig = EngineRig.trading();
    const createdAt = rig.venueTime;
    passListed(rig, 600_000);
    rig.history = [filled({ createdAt, updatedAt: rig.venueTime })];
    passListed(rig, 30_000);
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('a row without an end time halts where no list of open orders was read meanwhile', () => {
    const rig = EngineRig.trading();
    const createdAt = rig.venueTime + 1_000;
    rig.pass(600_000);
    rig.history = [filled({ createdAt })];
    rig.pass(30_000);
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('a row that lags behind the first list after it halts', () => {
    const rig = EngineRig.trading();
    passFast(rig, 20_000, { lists: true });
    const createdAt = rig.venueTime;
    passFast(rig, 10_000, { lists: true });
    passFast(rig, 55_000);
    passFast(rig, 10_000, { lists: true });
    rig.history = [filled({ createdAt })];
    passFast(rig, 30_000);
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('a stray halts where every later list lags behind it', () => {
    const rig = EngineRig.trading();
    passFast(rig, 40_000, { lists: true });
    const createdAt = rig.venueTime;
    passFast(rig, 25_000, { lists: true });
    passFast(rig, 60_000);
    rig.history = [filled({ createdAt })];
    passFast(rig, 30_000);
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('a query for an order of ours halts on a stray of any age', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.001' });
    rig.answer('place', unknown());
    rig.answerOrderQuery(NOT_FOUND);
    const { changedSince = Number.POSITIVE_INFINITY, from = 0 } =
      rig.pendingRequest('read-order-history') ?? {};
    expect(changedSince, 'what is not judged yet').toBeLessThan(from);
    rig.answer('read-order-history', yes([filled({ createdAt: changedSince })]));
    expect(rig.engine.haltReason).toContain(TWIN);
  });
});

describe('a row of order history', () => {
  it('a row of our own order halts nothing, even if the order ended in a previous run', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.003' });
    rig.answer('place', placement());
    const { terms, clientOrderId } = rig.engine.ledger.byKey(0);
    rig.answerOrderQuery(
      yes(reportOf(terms, { status: 'filled', filled: '0.003', average: '60000' })),
    );
    rig.history = [filled({ clientOrderId, orderId: 'v1' })];
    rig.pass(30_000);
    const again = nextRun(rig);
    again.history = rig.history.map(withoutId);
    again.startEngine([positionRow('0.003')]);
    again.pass(60_000);
    expect(again.engine.haltReason).toBeUndefined();
    expect(again.pendingRequest('find-order')).toBeUndefined();
  });

  it('a row of an unproved order proves that it exists', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.003' });
    rig.answer('place', unknown());
    const order = rig.engine.ledger.byKey(0);
    const { terms, clientOrderId } = order;
    rig.history = [{ ...reportOf(terms, { status: 'filled', filled: '0.003' }), clientOrderId }];
    rig.pass(30_000);
    expect(rig.engine.haltReason).toBeUndefined();
    expect(order.state).toBe('filled');
  });

  it('a row of an order in flight proves it once its answer is lost', () => {
    const rig = EngineRig.trading();
    rig.pass(25_000);
    rig.submit({ quantity: '0.003' });
    const order = rig.engine.ledger.byKey(0);
    const { terms, clientOrderId } = order;
    const row = reportOf(terms, { status: 'filled', filled: '0.003' });
    rig.history = [{ ...row, createdAt: rig.venueTime }];
    rig.pass(5_000);
    rig.answer('find-order', yes({ ...row, clientOrderId }));
    rig.answer('place', unknown());
    const byOrderId = (): boolean => {
      const { order: by } = rig.pendingRequest('find-order') ?? {};
      return by !== undefined && 'orderId' in by;
    };
    for (let ms = 0; order.unproved && ms < 60_000; ms += 1_000) {
      if (byOrderId()) rig.answer('find-order', yes({ ...row, clientOrderId }));
      else if (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', NOT_FOUND);
      rig.pass(1_000);
    }
    expect(order.state).toBe('filled');
  });

  it('a row with another client order id is external, and its details are not read', () => {
    const rig = EngineRig.trading();
    rig.history = [filled({ clientOrderId: 'by-hand' })];
    rig.pass(60_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.pendingRequest('find-order')).toBeUndefined();
  });

  it('a row from before the journal is not checked', () => {
    const rig = new EngineRig();
    rig.history = [filled({ createdAt: rig.venueTime - 3_600_000 })];
    rig.startEngine();
    rig.tick(60_000);
    rig.pass(60_000);
    expect(rig.engine.mode).toBe('TRADING');
  });
});

describe('a row of order history without a client order id', () => {
  it('its details are read once, and an id of our namespace halts', () => {
    const rig = EngineRig.trading();
    rig.history = [withoutId(filled())];
    rig.pass(30_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.pendingRequest('find-order')).toEqual({
      kind: 'find-order',
      order: { orderId: 'twin-1' },
    });
    rig.answer('find-order', yes(filled()));
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('a row without an id in its details is a manual order, and is queried once', () => {
    const rig = EngineRig.trading();
    rig.history = [withoutId(filled()), withoutId(filled({ orderId: 'hand-2' }))];
    rig.pass(30_000);
    rig.answer('find-order', yes(withoutId(filled())));
    rig.answer('find-order', yes(withoutId(filled({ orderId: 'hand-2' }))));
    rig.pass(120_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.pendingRequest('find-order')).toBeUndefined();
  });

  it('its details are read again after an unclear answer', () => {
    const rig = EngineRig.trading();
    rig.history = [withoutId(filled())];
    rig.pass(30_000);
    rig.answer('find-order', unknown());
    rig.pass(2_000);
    rig.answer('find-order', NOT_FOUND);
    rig.pass(5_000);
    rig.answer('find-order', yes(filled()));
    expect(rig.engine.haltReason).toContain(TWIN);
  });
});

describe('the reads of order history', () => {
  it('a read goes back to the checked time of the previous run, and later no further than needed', () => {
    const before = EngineRig.trading();
    const rig = nextRun(before);
    rig.venueTime += 86_400_000;
    const from: (number | undefined)[] = [];
    const { send } = rig;
    rig.send = (id, request) => {
      if (request.kind === 'read-order-history' && request.currency === 'USDT')
        from.push(request.from);
      send.call(rig, id, request);
    };
    rig.startEngine();
    rig.tick(60_000);
    passListed(rig, 120_000);
    const judged = recover(before.records, 'rig').judgedUntil.get('USDT') ?? Number.NaN;
    expect(from[0]).toBe(judged);
    expect(from.at(-1)).toBeGreaterThan(judged + 86_000_000);
    expect(recover(rig.records, 'rig').judgedUntil.get('USDT')).toBeGreaterThan(judged);
  });

  it('reads cost two requests a minute, and one in five minutes for the other currency', () => {
    const rig = EngineRig.trading();
    rig.historyReads = 0;
    rig.pass(600_000);
    expect(rig.historyReads).toBe(22);
  });
});

it('an engine without a journal reads no order history', () => {
  const rig = new EngineRig();
  Object.defineProperty(rig, 'journaling', { value: false });
  rig.startEngine();
  rig.pass(60_000);
  expect(rig.historyReads).toBe(0);
});
