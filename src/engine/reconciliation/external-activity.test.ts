import { startFailureOf } from '../start-failure.js';
import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import {
  NAMESPACE,
  placement,
  reportOf,
  unknown,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { intentOf, BTC, d } from '../../../test/support/builders/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import type { OrderReport } from '../../core/order.js';
import { recover } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';

const externalOrder = (fields: Partial<OrderReport> = {}): OrderReport => ({
  ...reportOf(intentOf({ quantity: '0.003', price: '50000' }).terms),
  orderId: 'hand-1',
  clientOrderId: 'by-hand',
  ...fields,
});
const standard = () => createGate({ preset: 'standard', limits: DEFAULT_LIMITS });
const exposure = (rig: EngineRig) => rig.engine.facts.exposure.of('BTCUSDT', 'USDT');
const countNotes = (rig: EngineRig, text: RegExp): number =>
  rig.notes.filter((note) => text.test(note.text)).length;
const symbolModes = (rig: EngineRig) =>
  rig.records.flatMap((record) =>
    record.type === 'mode' && record.symbol !== undefined ? [`${record.symbol} ${record.to}`] : [],
  );
const polls = (rig: EngineRig, count: number, rows: readonly PositionReport[]): void => {
  for (let poll = 0; poll < count; poll += 1) {
    rig.pass(2_000);
    rig.tick(60_000);
    rig.poll(rows);
    while (rig.pendingRequest('read-closes') !== undefined) rig.answer('read-closes', yes([]));
  }
};

/** Long 0.002 by an order of its own that filled some time ago. */
function longOwn(options: ConstructorParameters<typeof EngineRig>[0] = {}): EngineRig {
  const rig = EngineRig.trading({ gate: standard(), ...options });
  rig.submit({ quantity: '0.002' });
  rig.answer('place', placement());
  const { terms } = rig.engine.ledger.byKey(0);
  rig.answerOrderQuery(
    yes(reportOf(terms, { status: 'filled', filled: '0.002', average: '60000' })),
  );
  polls(rig, 20, [positionRow('0.002')]);
  rig.host.eventLog.length = 0;
  return rig;
}

describe('external orders', () => {
  it('external orders count as filled, are reported once, and are never touched', () => {
    const rig = EngineRig.trading({ gate: standard() });
    const sentBefore = rig.sent.length;
    for (let poll = 0; poll < 3; poll += 1) {
      rig.pass(2_000);
      rig.poll(
        [],
        [externalOrder(), externalOrder({ orderId: 'hand-2', side: 'sell', quantity: d('0.001') })],
      );
    }
    expect(exposure(rig)).toMatchObject({
      maxPosition: d('0.003'),
      minPosition: d('-0.001'),
      orderCount: 0,
    });
    expect(countNotes(rig, /an open order that is not ours: buy 0\.003 BTCUSDT/)).toBe(1);
    expect(rig.sent.length).toBe(sentBefore);
    rig.poll([], []);
    expect(exposure(rig)).toMatchObject({ maxPosition: 0, minPosition: 0 });
  });

  it('external orders use up the position limit', () => {
    const rig = EngineRig.trading({ gate: standard() });
    rig.poll([], [externalOrder({ quantity: d('0.016') })]);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused');
    expect(rig.engine.counts.refusedBy.has('R12')).toBe(true);
  });

  it('a filled external order makes an external position, and does not halt the symbol', () => {
    const rig = EngineRig.trading({ gate: standard() });
    rig.poll([], [externalOrder()]);
    for (let poll = 0; poll < 4; poll += 1) {
      rig.pass(2_000);
      rig.tick(60_000);
      rig.poll([positionRow('0.003')], [externalOrder()]);
    }
    expect(rig.engine.positions.externalQuantity('BTCUSDT', 'USDT')).toBe(d('0.003'));
    expect(rig.host.world.position('BTCUSDT')).toBe(0);
    expect(rig.engine.halts.all.size).toBe(0);
  });

  it('external orders in the other currency are known, and create no position of ours', () => {
    const rig = EngineRig.trading({ gate: standard() });
    const startedAt = rig.monotonic;
    const inr = { currency: 'INR' as const };
    rig.snapshot({ kind: 'positions', ...inr, startedAt, positions: [positionRow('2', inr)] });
    rig.snapshot({ kind: 'open-orders', ...inr, startedAt, orders: [externalOrder(inr)] });
    expect(rig.engine.facts.exposure.of('BTCUSDT', 'INR').maxPosition).toBe(d('0.003'));
    expect(exposure(rig).maxPosition).toBe(0);
    expect(rig.engine.external.positions).toHaveLength(1);
    expect(countNotes(rig, /a position that is not ours: long 2 BTCUSDT in INR/)).toBe(1);
    expect([...rig.engine.positions.openPositions()]).toEqual([]);
  });

  it('orders with our prefix halt in the other currency too', () => {
    const rig = EngineRig.trading();
    const orders = [externalOrder({ currency: 'INR', clientOrderId: `${NAMESPACE}-twin-a1` })];
    const startedAt = rig.monotonic;
    rig.snapshot({ kind: 'open-orders', currency: 'INR', startedAt, orders });
    expect(rig.engine.haltReason).toContain(`--adopt ${NAMESPACE}-twin-a1`);
  });

  it('adopted orders with our prefix are external', () => {
    const rig = EngineRig.trading();
    const id = `${NAMESPACE}-old-a1`;
    rig.handle({ kind: 'command', commandId: 'c1', command: { kind: 'adopt', what: id } });
    rig.poll([], [externalOrder({ clientOrderId: id })]);
    expect(rig.engine.mode).toBe('TRADING');
    expect(exposure(rig).maxPosition).toBe(d('0.003'));
    const again = new EngineRig({ recovered: recover(rig.records, 'rig') });
    again.startEngine();
    again.tick(60_000);
    again.poll([], [externalOrder({ clientOrderId: id })]);
    expect(again.engine.mode).toBe('TRADING');
  });
});

describe('a position that grows without an order of ours', () => {
  it('growth counts at once, and halts its symbol within ten seconds', () => {
    const rig = longOwn();
    rig.poll([positionRow('0.005')]);
    expect(exposure(rig).maxPosition, 'before anything is believed').toBe(d('0.005'));
    const since = rig.monotonic;
    while (rig.engine.halts.reason('BTCUSDT') === undefined) polls(rig, 1, [positionRow('0.005')]);
    expect(rig.monotonic - since).toBeLessThanOrEqual(10_000);
    expect(symbolModes(rig)).toEqual(['BTCUSDT REDUCE_ONLY']);
    expect(countNotes(rig, /BTCUSDT is restricted.*0\.003 of it by no order of ours/)).toBe(1);
    expect(rig.host.eventLog).toContain('moved BTCUSDT');
  });

  it('a halted symbol lets reductions of our own share leave, and nothing else', () => {
    const rig = longOwn();
    polls(rig, 5, [positionRow('0.005')]);
    expect(rig.host.world.position('BTCUSDT'), 'the rest is not the strategy’s').toBe(d('0.002'));
    expect(rig.submit({ quantity: '0.001', ordinal: 7 })).toBe('refused');
    expect([...rig.engine.counts.refusedBy.keys()]).toEqual(['R22']);
    expect(rig.submit({ quantity: '0.002', side: 'sell', exit: true, ordinal: 8 })).toBe(
      'accepted',
    );
  });

  it('growth lets a person increase the position manually', () => {
    const rig = longOwn();
    polls(rig, 5, [positionRow('0.005')]);
    const { terms } = intentOf({ quantity: '0.001' });
    const validUntil = rig.venueTime + 60_000;
    rig.handle({
      kind: 'command',
      commandId: 'by-hand',
      command: { kind: 'order', terms, validUntil },
    });
    expect(rig.engine.counts.refusedBy.has('R22')).toBe(false);
    expect(rig.pendingRequest('place')?.terms).toEqual(terms);
  });

  it('growth that never holds still halts too', () => {
    const rig = longOwn();
    for (const quantity of ['0.003', '0.004', '0.005', '0.006'])
      polls(rig, 1, [positionRow(quantity)]);
    expect(rig.engine.halts.reason('BTCUSDT')).toContain('by no order of ours');
  });

  it('a list that lags behind our own close is no growth', () => {
    const rig = longOwn();
    rig.submit({ quantity: '0.002', side: 'sell', exit: true, ordinal: 1 });
    rig.answer('place', placement('v2'));
    const { terms } = rig.engine.ledger.byKey(1);
    rig.answerOrderQuery(
      yes(reportOf(terms, { orderId: 'v2', status: 'filled', filled: '0.002', average: '60000' })),
    );
    polls(rig, 10, [positionRow('0.002')]);
    expect(rig.engine.halts.all.size).toBe(0);
    expect(rig.engine.positions.quantity('BTCUSDT', 'USDT')).toBe(0);
  });

  it('growth on two symbols halts the account', () => {
    const symbols = ['BTCUSDT', 'ETHUSDT'];
    const rig = new EngineRig({
      gate: standard(),
      hosts: [{ id: 'two', interval: '1m', symbols }],
    });
    rig.handle({ kind: 'instruments', instruments: [BTC, { ...BTC, symbol: 'ETHUSDT' }] });
    while (rig.pendingRequest('read-leverage') !== undefined)
      rig.answer('read-leverage', yes(d('2')));
    rig.poll();
    rig.pass(300);
    rig.answer('read-positions', yes([]));
    polls(rig, 4, [positionRow('1')]);
    expect(rig.engine.mode).toBe('TRADING');
    polls(rig, 4, [positionRow('1'), positionRow('1', { symbol: 'ETHUSDT', positionId: 'p2' })]);
    expect(rig.engine.mode).toBe('HALTED');
    expect(rig.engine.haltReason, 'the run goes on').toBeUndefined();
    expect(countNotes(rig, /the account is restricted .*BTCUSDT and ETHUSDT/)).toBe(1);
  });

  it('growth of a symbol that we do not trade is external, and halts nothing', () => {
    const rig = longOwn();
    polls(rig, 5, [
      positionRow('0.002'),
      positionRow('3', { symbol: 'DOGEUSDT', positionId: 'p9' }),
    ]);
    expect(rig.engine.positions.externalQuantity('DOGEUSDT', 'USDT')).toBe(d('3'));
    expect(rig.engine.halts.all.size).toBe(0);
  });
});

describe('a position that the journal does not explain at a start', () => {
  const started = (rows: readonly PositionReport[], records = [] as EngineRig['records']) => {
    const rig = new EngineRig({ gate: standard(), recovered: recover(records, 'rig') });
    rig.pass(300_000);
    rig.startEngine(rows);
    rig.tick(60_000);
    return rig;
  };

  it('an unexplained position is external: its symbol may only reduce', () => {
    const rig = started([positionRow('0.005')]);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.engine.halts.reason('BTCUSDT')).toContain('journal explains 0');
    expect(rig.host.world.position('BTCUSDT')).toBe(0);
    expect(rig.submit()).toBe('refused');
  });

  it('an unexplained position stays halted at the next start, until a person adopts it', () => {
    const first = started([positionRow('0.005')]);
    const second = started([positionRow('0.005')], first.records);
    expect(second.engine.halts.reason('BTCUSDT')).toContain('journal explains 0');
    expect(second.engine.positions.externalQuantity('BTCUSDT', 'USDT')).toBe(d('0.005'));
    second.handle({ kind: 'command', commandId: 'c', command: { kind: 'adopt', what: 'BTCUSDT' } });
    expect(second.host.world.position('BTCUSDT')).toBe(d('0.005'));
    expect(symbolModes(second)).toEqual(['BTCUSDT TRADING']);
    const third = started([positionRow('0.005')], [...first.records, ...second.records]);
    expect(third.engine.halts.all.size).toBe(0);
    expect(third.host.world.position('BTCUSDT')).toBe(d('0.005'));
    const grown = started([positionRow('0.007')], [...first.records, ...second.records]);
    expect(grown.engine.halts.reason('BTCUSDT'), 'adopted once is not for ever').toBeDefined();
  });

  it('a position adopted before the first snapshot is ours', () => {
    const rig = new EngineRig({ gate: standard() });
    rig.handle({ kind: 'command', commandId: 'c', command: { kind: 'adopt', what: 'BTCUSDT' } });
    rig.startEngine([positionRow('0.005')]);
    expect(rig.engine.halts.all.size).toBe(0);
    expect(rig.host.world.position('BTCUSDT')).toBe(d('0.005'));
  });

  it('the external share is only the part beyond our own', () => {
    const { records } = longOwn();
    const rig = started([positionRow('0.005')], records);
    expect(rig.engine.positions.externalQuantity('BTCUSDT', 'USDT')).toBe(d('0.003'));
    const closed = started([positionRow('0.001')], records);
    expect(closed.engine.positions.externalQuantity('BTCUSDT', 'USDT')).toBe(0);
    expect(closed.engine.halts.all.size, 'less than ours is no growth').toBe(0);
  });
});

describe('a position that an unproved order of ours seemed to explain at a start', () => {
  /** The venue shows 0.002, and an order of the previous run may have bought it. */
  const explained = (options: ConstructorParameters<typeof EngineRig>[0] = {}) => {
    const first = EngineRig.trading({ gate: standard(), ...options });
    first.submit({ quantity: '0.002' });
    first.answer('place', unknown());
    const rig = new EngineRig({
      gate: standard(),
      ...options,
      recovered: recover(first.records, 'rig'),
    });
    rig.pass(120_000);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.answerOrderNotFound();
    rig.tick(60_000);
    polls(rig, 3, [positionRow('0.002')]);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.host.world.position('BTCUSDT'), 'it may be ours').toBe(d('0.002'));
    rig.host.eventLog.length = 0;
    return { first, rig, clientOrderId: rig.engine.ledger.byKey(0).clientOrderId };
  };
  const resolve = ({ rig, clientOrderId }: ReturnType<typeof explained>): void => {
    const command = { kind: 'resolve', clientOrderId, as: 'never-landed' } as const;
    rig.handle({ kind: 'command', commandId: 'c', command });
  };

  it('it is external, and its symbol is held, once that order is proved never landed', () => {
    const { first, rig } = explained({ fences: true });
    for (let reads = 0; reads < 12 && rig.pendingRequest('place') === undefined; reads += 1) {
      rig.tick(60_000);
      rig.answerOrderNotFound();
    }
    const { terms } = rig.pendingRequest('place') ?? {};
    if (terms === undefined) throw new Error('A fence has left');
    rig.answer('place', placement());
    rig.answer('cancel', yes(null));
    expect(rig.engine.halts.all.size, 'not before its end is proved').toBe(0);
    for (let reads = 0; reads < 2; reads += 1)
      rig.answerOrderQuery(yes(reportOf(terms, { status: 'canceled' })));
    expect(rig.engine.positions.externalQuantity('BTCUSDT', 'USDT')).toBe(d('0.002'));
    expect(rig.host.world.position('BTCUSDT')).toBe(0);
    expect(rig.engine.halts.reason('BTCUSDT')).toContain('by no order of ours');
    const told = rig.host.eventLog.filter((text) => !text.startsWith('ticker'));
    expect(told, 'the move before the end').toEqual(['moved BTCUSDT', 'ended 0 canceled']);
    expect(rig.host.moveSources).toEqual(['hand']);
    expect(rig.submit({ quantity: '0.001', ordinal: 7 })).toBe('refused');

    const records = [...first.records, ...rig.records];
    const again = new EngineRig({ gate: standard(), recovered: recover(records, 'rig') });
    again.pass(300_000);
    again.startEngine([positionRow('0.002')]);
    expect(again.engine.positions.externalQuantity('BTCUSDT', 'USDT')).toBe(d('0.002'));
    expect(again.engine.halts.reason('BTCUSDT'), 'a start does not lift it').toBeDefined();
  });

  it('a person who says that the order never landed makes it external too', () => {
    const state = explained();
    resolve(state);
    expect(state.rig.engine.positions.externalQuantity('BTCUSDT', 'USDT')).toBe(d('0.002'));
    expect(state.rig.engine.halts.all.size).toBe(1);
  });

  it('it stays ours where a person has adopted it', () => {
    const state = explained();
    const adopt = { kind: 'adopt', what: 'BTCUSDT' } as const;
    state.rig.handle({ kind: 'command', commandId: 'a', command: adopt });
    resolve(state);
    expect(state.rig.host.world.position('BTCUSDT')).toBe(d('0.002'));
    expect(state.rig.engine.halts.all.size).toBe(0);
    const held = { symbol: 'BTCUSDT', currency: 'USDT', quantity: d('0.002') };
    const records = [...state.first.records, ...state.rig.records];
    expect(recover(records, 'rig').positions).toEqual([held]);
  });

  it('it is only logged with `foreign_hand: warn`', () => {
    const protection = { ...DEFAULT_LIMITS.protection, externalHand: 'warn' } as const;
    const limits = { ...DEFAULT_LIMITS, protection };
    const state = explained({ gate: createGate({ preset: 'standard', limits }) });
    resolve(state);
    expect(state.rig.engine.halts.all.size).toBe(0);
    expect(state.rig.host.world.position('BTCUSDT')).toBe(0);
    expect(countNotes(state.rig, /foreign_hand: warn/)).toBe(1);
  });

  it('a part of it that our exit has closed meanwhile is gone, and the journal agrees with the venue', () => {
    const state = explained();
    const { first, rig } = state;
    rig.submit({ quantity: '0.002', side: 'sell', exit: true, ordinal: 8 });
    rig.answer('place', placement('v8'));
    const { terms } = rig.engine.ledger.byKey(1);
    const filled = { orderId: 'v8', status: 'filled', filled: '0.002', average: '60000' } as const;
    for (let reads = 0; !rig.engine.ledger.byKey(1).ended && reads < 4; reads += 1) {
      if (rig.pendingRequest('find-order') === undefined) rig.pass(200);
      const { order } = rig.pendingRequest('find-order') ?? {};
      if (order === undefined) continue;
      const isExit = 'orderId' in order || order.clientOrderId !== state.clientOrderId;
      if (isExit) rig.answer('find-order', yes(reportOf(terms, filled)));
      else rig.answerOrderNotFound();
    }
    expect(rig.engine.positions.quantity('BTCUSDT', 'USDT')).toBe(0);
    resolve(state);
    expect(rig.engine.halts.all.size).toBe(0);
    expect(recover([...first.records, ...rig.records], 'rig').positions).toEqual([]);
  });
});

describe('a start right after a close of our own', () => {
  it('a lagging list after our close is no growth', () => {
    const before = longOwn();
    before.submit({ quantity: '0.002', side: 'sell', exit: true, ordinal: 1 });
    before.answer('place', placement('v2'));
    const { terms } = before.engine.ledger.byKey(1);
    const filled = { status: 'filled', filled: '0.002', average: '60000' } as const;
    before.answerOrderQuery(yes(reportOf(terms, { orderId: 'v2', ...filled })));
    const rig = new EngineRig({ gate: standard(), recovered: recover(before.records, 'rig') });
    rig.pass(before.venueTime - rig.venueTime + 1_000);
    rig.startEngine([positionRow('0.002')]);
    polls(rig, 5, [positionRow('0.002')]);
    expect(rig.engine.mode).toBe('RECONCILING');
    polls(rig, 6, []);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.engine.halts.all.size).toBe(0);
    expect(rig.engine.positions.quantity('BTCUSDT', 'USDT')).toBe(0);
  });

  it('growth is accepted once no list can lag any more', () => {
    const before = longOwn();
    const rig = new EngineRig({ gate: standard(), recovered: recover(before.records, 'rig') });
    rig.startEngine([positionRow('0.005')]);
    for (let poll = 0; rig.engine.mode !== 'TRADING' && poll < 60; poll += 1) {
      polls(rig, 1, [positionRow('0.005')]);
    }
    expect(rig.engine.halts.reason('BTCUSDT')).toContain('journal explains 0.002');
  });
});

describe('a reconciliation', () => {
  it('polls of an unchanged account report nothing and request nothing (P26)', () => {
    const rig = longOwn();
    const orders = [externalOrder()];
    const rows = [positionRow('0.002'), positionRow('3', { symbol: 'DOGEUSDT', positionId: 'p9' })];
    const both = (): void => {
      rig.pass(2_000);
      rig.poll(rows, orders);
    };
    for (let poll = 0; poll < 5; poll += 1) both();
    const before = [
      rig.records.length,
      rig.notes.length,
      rig.sent.length,
      rig.host.eventLog.length,
    ];
    for (let poll = 0; poll < 5; poll += 1) both();
    expect([
      rig.records.length,
      rig.notes.length,
      rig.sent.length,
      rig.host.eventLog.length,
    ]).toEqual(before);
  });

  it('an endless dispute halts the symbol and reports both sides', () => {
    const rig = longOwn();
    // It shrinks and comes back, so that no claim lasts long enough to be accepted.
    for (let poll = 0; poll < 70; poll += 1)
      polls(rig, 1, [positionRow(poll % 2 === 0 ? '0.001' : '0.0015')]);
    expect(rig.engine.halts.reason('BTCUSDT')).toMatch(/believe 0\.002.*does not settle/);
    expect(rig.engine.mode).toBe('TRADING');
  });

  it('first snapshots that never agree halt the account', () => {
    const rig = new EngineRig({ gate: standard() });
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    for (let poll = 0; poll < 70; poll += 1) polls(rig, 1, [positionRow(String(1 + poll))]);
    expect(rig.engine.mode, 'nothing leaves until they agree').toBe('RECONCILING');
    expect(startFailureOf(rig.engine)).toContain('do not settle');
    expect(rig.engine.isStartupComplete).toBe(true);
  });
});
