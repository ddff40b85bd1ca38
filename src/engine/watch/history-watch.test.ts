import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/harness/engine-rig.js';
import {
  NAMESPACE,
  NOT_FOUND,
  placement,
  reportOf,
  unknown,
  yes,
} from '../../../test/harness/protocol-rig.js';
import { positionRow } from '../../../test/harness/position-row.js';
import { anIntent } from '../../../test/harness/risk-case.js';
import type { OrderReport } from '../../core/order.js';
import { recover } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits.js';

const TWIN = `${NAMESPACE}-twin-a1`;

/** A market order that filled at once, as history tells it. */
const filled = (fields: Partial<OrderReport> = {}): OrderReport => ({
  ...reportOf(anIntent({ quantity: '0.003' }).terms, { status: 'filled', filled: '0.003' }),
  orderId: 'twin-1',
  clientOrderId: TWIN,
  ...fields,
});
const withoutId = ({ clientOrderId: _, ...row }: OrderReport): OrderReport => row;
const adopt = (rig: EngineRig, what: string): void => {
  rig.happen({ kind: 'command', commandId: `c-${what}`, command: { kind: 'adopt', what } });
};
const strays = (rig: EngineRig): readonly string[] =>
  rig.records.flatMap((record) => (record.type === 'stray' ? [record.clientOrderId] : []));
/** Time in which the venue shows no open order, and lists of them are read. */
const passListed = (rig: EngineRig, ms: number): void => {
  for (let passed = 0; passed < ms; passed += 5_000) {
    rig.poll();
    rig.pass(5_000);
  }
};
/** Time before a venue whose clock runs twenty times as fast, so that a minute of slack is three seconds. */
const passFast = (rig: EngineRig, ms: number, { lists = false } = {}): void => {
  for (let passed = 0; passed < ms; passed += 5_000) {
    if (lists) rig.poll();
    rig.venueTime += 19 * 5_000;
    rig.pass(5_000);
  }
};
const nextLife = (rig: EngineRig): EngineRig =>
  new EngineRig({ recovered: recover(rig.records, 'rig') });

describe('an order of our namespace in history that the journal did not send', () => {
  it('halts within half a minute, though it never rested', () => {
    const rig = EngineRig.trading();
    rig.history = [filled()];
    rig.pass(30_000);
    expect(rig.engine.mode).toBe('HALTED');
    expect(rig.engine.haltReason).toContain(`--adopt ${TWIN}`);
    expect(rig.engine.haltReason).toMatch(/another bot runs .* older copy or a backup/);
    expect(rig.engine.haltReason).toContain('account "rig"');
  });

  it('halts before anything is traded where it came between two lives', () => {
    const rig = new EngineRig({ gate: createGate({ preset: 'standard', limits: DEFAULT_LIMITS }) });
    rig.history = [filled(), filled({ orderId: 'twin-2', clientOrderId: `${TWIN}2` })];
    rig.begin();
    rig.tick(60_000);
    expect(rig.engine.haltReason).toContain('2 orders');
    expect(rig.engine.haltReason).toContain(`${TWIN}, ${TWIN}2`);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused');
  });

  it('halts in the other currency too', () => {
    const rig = new EngineRig();
    rig.history = [filled({ currency: 'INR' })];
    rig.begin();
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('halts at once when a position moves that no order of ours explains', () => {
    const rig = EngineRig.trading();
    rig.history = [filled()];
    for (let poll = 0; poll < 4; poll += 1) {
      rig.pass(2_000);
      rig.poll([positionRow('0.003')]);
    }
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('is journaled once, and halts every life until a person adopts it', () => {
    const first = EngineRig.trading();
    first.history = [filled()];
    first.pass(60_000);
    expect(strays(first)).toEqual([TWIN]);

    const second = nextLife(first);
    second.begin();
    expect(second.engine.haltReason).toContain(TWIN);
    expect(strays(second)).toEqual([]);

    const third = nextLife(first);
    third.history = [filled()];
    adopt(third, TWIN);
    third.begin();
    third.tick(60_000);
    third.pass(60_000);
    expect(third.engine.mode).toBe('TRADING');
    const fourth = new EngineRig({
      recovered: recover([...first.records, ...third.records], 'rig'),
    });
    fourth.history = [filled()];
    fourth.begin();
    fourth.tick(60_000);
    fourth.pass(60_000);
    expect(fourth.engine.mode).toBe('TRADING');
  });

  it('is adopted with all that history shows by one word, and what comes later halts again', () => {
    const rig = new EngineRig();
    rig.history = [filled(), filled({ orderId: 'twin-2', clientOrderId: `${TWIN}2` })];
    adopt(rig, 'history');
    rig.begin();
    rig.tick(60_000);
    rig.pass(60_000);
    expect(rig.engine.mode).toBe('TRADING');
    const adopted = recover(rig.records, 'rig').adopted;
    expect([...adopted]).toEqual(expect.arrayContaining([TWIN, `${TWIN}2`]));
    rig.history = [filled({ orderId: 'twin-3', clientOrderId: `${TWIN}3` })];
    rig.pass(30_000);
    expect(rig.engine.haltReason).toContain(`${TWIN}3`);
  });

  it('is found where an order of ours is looked for in history', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.001' });
    rig.answer('place', unknown());
    rig.miss([filled()]);
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('halts where its id is in the journal, and was never sent from here', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.001' }, -1);
    const { clientOrderId } = rig.engine.ledger.byKey(0);
    expect(rig.engine.ledger.byKey(0).attempts).toBe(0);
    rig.history = [filled({ clientOrderId })];
    rig.pass(30_000);
    expect(rig.engine.haltReason).toContain(clientOrderId);
  });
});

describe('an order of our namespace that rested while history was judged', () => {
  it('halts when it ends, though no list of open orders has shown it', () => {
    const rig = EngineRig.trading();
    const createdAt = rig.venueTime;
    passListed(rig, 600_000);
    rig.history = [filled({ createdAt, updatedAt: rig.venueTime })];
    passListed(rig, 30_000);
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('halts by a row that tells no time of its end, where no list of open orders was read meanwhile', () => {
    const rig = EngineRig.trading();
    const createdAt = rig.venueTime + 1_000;
    rig.pass(600_000);
    rig.history = [filled({ createdAt })];
    rig.pass(30_000);
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('halts by a row that lags behind the first list since it was made', () => {
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

  it('halts where the only lists since it was made lag behind it', () => {
    const rig = EngineRig.trading();
    passFast(rig, 40_000, { lists: true });
    const createdAt = rig.venueTime;
    passFast(rig, 25_000, { lists: true });
    passFast(rig, 60_000);
    rig.history = [filled({ createdAt })];
    passFast(rig, 30_000);
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('halts by what a look for an order of ours shows, however long before it was decided on', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.001' });
    rig.answer('place', unknown());
    rig.look(NOT_FOUND);
    const { changedSince = Number.POSITIVE_INFINITY, from = 0 } =
      rig.waiting('read-order-history') ?? {};
    expect(changedSince, 'what is not judged yet').toBeLessThan(from);
    rig.answer('read-order-history', yes([filled({ createdAt: changedSince })]));
    expect(rig.engine.haltReason).toContain(TWIN);
  });
});

describe('a row of history', () => {
  it('of an order of ours, also one that ended in an earlier life, halts nothing', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '0.003' });
    rig.answer('place', placement());
    const { terms, clientOrderId } = rig.engine.ledger.byKey(0);
    rig.look(yes(reportOf(terms, { status: 'filled', filled: '0.003', average: '60000' })));
    rig.history = [filled({ clientOrderId, orderId: 'v1' })];
    rig.pass(30_000);
    const again = nextLife(rig);
    again.history = rig.history.map(withoutId);
    again.begin([positionRow('0.003')]);
    again.pass(60_000);
    expect(again.engine.haltReason).toBeUndefined();
    expect(again.waiting('find-order')).toBeUndefined();
  });

  it('of an order of ours that is not proved finds it', () => {
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

  it('of an order of ours that is on its way finds it once its answer is lost', () => {
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
      const { order: by } = rig.waiting('find-order') ?? {};
      return by !== undefined && 'orderId' in by;
    };
    for (let ms = 0; order.unproved && ms < 60_000; ms += 1_000) {
      if (byOrderId()) rig.answer('find-order', yes({ ...row, clientOrderId }));
      else if (rig.waiting('find-order') !== undefined) rig.answer('find-order', NOT_FOUND);
      rig.pass(1_000);
    }
    expect(order.state).toBe('filled');
  });

  it('of another id is nobody of ours, and is not read in detail', () => {
    const rig = EngineRig.trading();
    rig.history = [filled({ clientOrderId: 'by-hand' })];
    rig.pass(60_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.waiting('find-order')).toBeUndefined();
  });

  it('from before the journal began is not judged', () => {
    const rig = new EngineRig();
    rig.history = [filled({ createdAt: rig.venueTime - 3_600_000 })];
    rig.begin();
    rig.tick(60_000);
    rig.pass(60_000);
    expect(rig.engine.mode).toBe('TRADING');
  });
});

describe('a row of history that tells no client order id', () => {
  it('is read in detail once, and halts where that tells our namespace', () => {
    const rig = EngineRig.trading();
    rig.history = [withoutId(filled())];
    rig.pass(30_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.waiting('find-order')).toEqual({ kind: 'find-order', order: { orderId: 'twin-1' } });
    rig.answer('find-order', yes(filled()));
    expect(rig.engine.haltReason).toContain(TWIN);
  });

  it('and has none in detail either was made by hand, and is asked for once', () => {
    const rig = EngineRig.trading();
    rig.history = [withoutId(filled()), withoutId(filled({ orderId: 'hand-2' }))];
    rig.pass(30_000);
    rig.answer('find-order', yes(withoutId(filled())));
    rig.answer('find-order', yes(withoutId(filled({ orderId: 'hand-2' }))));
    rig.pass(120_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.waiting('find-order')).toBeUndefined();
  });

  it('is read again after an answer that says nothing', () => {
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

describe('what is read', () => {
  it('goes back to where an earlier life had judged it, and no further than needed after that', () => {
    const before = EngineRig.trading();
    const rig = nextLife(before);
    rig.venueTime += 86_400_000;
    const from: (number | undefined)[] = [];
    const { send } = rig;
    rig.send = (id, request) => {
      if (request.kind === 'read-order-history' && request.currency === 'USDT')
        from.push(request.from);
      send.call(rig, id, request);
    };
    rig.begin();
    rig.tick(60_000);
    passListed(rig, 120_000);
    const judged = recover(before.records, 'rig').judgedUntil.get('USDT') ?? Number.NaN;
    expect(from[0]).toBe(judged);
    expect(from.at(-1)).toBeGreaterThan(judged + 86_000_000);
    expect(recover(rig.records, 'rig').judgedUntil.get('USDT')).toBeGreaterThan(judged);
  });

  it('costs two requests a minute, and one in five minutes of the other currency', () => {
    const rig = EngineRig.trading();
    rig.historyReads = 0;
    rig.pass(600_000);
    expect(rig.historyReads).toBe(22);
  });
});

it('where nothing is journaled, no history is read', () => {
  const rig = new EngineRig();
  Object.defineProperty(rig, 'journaling', { value: false });
  rig.begin();
  rig.pass(60_000);
  expect(rig.historyReads).toBe(0);
});
