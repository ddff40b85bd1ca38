import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/harness/engine-rig.js';
import {
  NAMESPACE,
  no,
  NOT_FOUND,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
  yes,
} from '../../../test/harness/protocol-rig.js';
import { positionRow } from '../../../test/harness/position-row.js';
import { BTC, d, type IntentCase } from '../../../test/harness/risk-case.js';
import type { CloseReport } from '../../core/account.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { recover } from '../../execution/recovery/recovery.js';

const close = (fields: Partial<CloseReport> = {}): CloseReport => ({
  rowId: 'r1',
  positionId: 'p1',
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side: 'long',
  kind: 'closed',
  quantity: d('1'),
  entryPrice: d('60000'),
  closePrice: d('59000'),
  pnl: d('-1000'),
  openedAt: 0,
  closedAt: 1_000,
  ...fields,
});
const position = (rig: EngineRig) => rig.engine.positions.quantity('BTCUSDT', 'USDT');

/** The journal of an earlier life, driven by `act`. */
function journalOf(
  of: IntentCase,
  act: (rig: ProtocolRig) => void,
): { readonly records: readonly JournalRecord[]; readonly rig: ProtocolRig } {
  const rig = new ProtocolRig();
  rig.placed({ quantity: '1', ...of });
  act(rig);
  return { records: rig.records, rig };
}
const recovered = (records: readonly JournalRecord[]) =>
  new EngineRig({ recovered: recover(records, 'rig') });
const termsOf = (rig: ProtocolRig) => rig.ledger.byKey(0).terms;

describe('a start', () => {
  it('trades when leverage, account and a repeated picture of the positions are read', () => {
    const rig = new EngineRig();
    expect(rig.engine.mode).toBe('STARTING');
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    expect(rig.engine.mode).toBe('RECONCILING');
    rig.answer('read-leverage', yes(d('2')));
    rig.poll([positionRow('1')]);
    expect(rig.engine.mode, 'one read is no proof').toBe('RECONCILING');
    rig.pass(300);
    rig.answer('read-positions', yes([positionRow('1')]));
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.host.heard).toEqual(['start']);
    expect(position(rig)).toBe(d('1'));
    expect(rig.engine.reconciled).toBe(true);
  });

  it('does not take a blip of nothing for flat', () => {
    const rig = new EngineRig();
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.poll([]);
    rig.pass(300);
    rig.answer('read-positions', yes([positionRow('1')]));
    expect(rig.engine.mode).toBe('RECONCILING');
    rig.pass(2_000);
    rig.poll([positionRow('1')]);
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(d('1'));
  });

  it('ignores what it is told before the instruments are known', () => {
    const rig = new EngineRig();
    rig.poll([positionRow('5')]);
    rig.begin([positionRow('1')]);
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(d('1'));
  });

  it('waits until the venue has told of every order that an earlier life left', () => {
    const { records, rig: before } = journalOf({ price: '60000' }, (rig) => {
      rig.answer('place', unknown());
    });
    const partial = yes(
      reportOf(termsOf(before), { status: 'partially-filled', filled: '0.4', average: '60000' }),
    );
    const rig = recovered(records);
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    for (let polls = 0; polls < 3; polls += 1) {
      rig.poll([positionRow('0.4')]);
      rig.pass(1_000);
    }
    expect(rig.engine.mode, 'nobody knows of the order yet').toBe('RECONCILING');
    rig.look(partial);
    rig.pass(1);
    rig.poll([positionRow('0.4')]);
    rig.look(partial);
    rig.pass(1_000);
    expect(rig.engine.mode).toBe('RECONCILING');
    rig.poll([positionRow('0.4')]);
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig), 'not the fill and the picture that has it').toBe(d('0.4'));
    expect(rig.host.heard).toContain('fill buy 40000000 6000000000000');
  });

  it('drops an entry that was never sent: it was decided before the restart', () => {
    const { records } = journalOf({}, () => undefined);
    const rig = recovered(records.slice(0, 1));
    rig.begin();
    rig.tick(60_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.waiting('place')).toBeUndefined();
    expect(rig.engine.counts.dropped).toBe(1);
    expect(rig.records.at(-1)).toMatchObject({ type: 'mode' });
    expect(rig.records).toContainEqual(
      expect.objectContaining({ type: 'dropped', reason: expect.stringMatching(/^R27: /) }),
    );
  });

  it('does not send an entry again that was looked for in vain: it withdraws it', () => {
    const { records } = journalOf({}, (rig) => {
      rig.answer('place', unknown());
    });
    const rig = recovered(records);
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.tick(60_000);
    rig.miss();
    for (let polls = 0; polls < 3; polls += 1) {
      rig.poll();
      rig.pass(2_000);
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.waiting('place')).toBeUndefined();
    expect(rig.records).toContainEqual(
      expect.objectContaining({ type: 'instruction', instruction: 'withdraw' }),
    );
  });

  it('sends an exit that was never sent, however long the bot was down', () => {
    const before = new ProtocolRig();
    before.protocol.submit(before.order({ side: 'sell', exit: true, quantity: '1' }, 1e12));
    const { records } = before;
    const rig = recovered(records.slice(0, 1));
    rig.pass(3_600_000);
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.tick(60_000);
    for (let polls = 0; polls < 3; polls += 1) {
      rig.poll([positionRow('1')]);
      rig.pass(2_000);
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.waiting('place')?.terms).toMatchObject({ side: 'sell', reduceOnly: true });
  });

  it('holds the exposure of what may still land, and trades beside it', () => {
    const { records } = journalOf({}, (rig) => {
      rig.answer('place', unknown());
    });
    const rig = recovered(records);
    rig.pass(120_000);
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.miss();
    rig.tick(60_000);
    for (let polls = 0; polls < 3; polls += 1) {
      rig.poll();
      rig.pass(2_000);
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.waiting('place')).toBeUndefined();
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('1'));
    expect(rig.engine.ledger.unproved).toBe(1);
    expect(rig.engine.reconciled).toBe(false);
  });

  it('keeps a strategy from opening beside what may land for two minutes, and its room for ever', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' }, 1_000);
    rig.answer('place', unknown());
    rig.pass(2_000);
    const seen = () => rig.host.world.working('BTCUSDT').map(({ abandoned }) => abandoned);
    const missed = (): void => {
      while (rig.waiting('find-order') !== undefined) rig.answer('find-order', NOT_FOUND);
      while (rig.waiting('read-order-history') !== undefined)
        rig.answer('read-order-history', yes([]));
    };
    missed();
    expect(seen()).toEqual([true]);
    for (let seconds = 0; seconds < 130; seconds += 1) {
      rig.pass(1_000);
      missed();
    }
    expect(seen()).toEqual([]);
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('1'));
    expect(rig.engine.ledger.unproved).toBe(1);
  });

  it('does not count a fill twice that its first picture held before the order was found', () => {
    const { records, rig: before } = journalOf({}, (rig) => {
      rig.answer('place', unknown());
    });
    const rig = recovered(records);
    rig.pass(120_000);
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.miss();
    rig.tick(60_000);
    for (let polls = 0; polls < 3; polls += 1) {
      rig.poll([positionRow('1')]);
      rig.pass(2_000);
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(d('1'));
    const { terms, clientOrderId } = before.ledger.byKey(0);
    const filled = reportOf(terms, { status: 'filled', filled: '1', average: '60000' });
    rig.miss([{ ...filled, clientOrderId }]);
    expect(rig.engine.ledger.unproved).toBe(0);
    expect(position(rig)).toBe(d('1'));
    expect(rig.host.heard.filter((told) => told.startsWith('fill'))).toHaveLength(1);
    const types = rig.records.map((record) => record.type);
    expect(types, 'it is the fill that explains it, in the next life too').not.toContain(
      'position',
    );
  });

  it('journals a first picture that no order of ours explains', () => {
    const rig = new EngineRig();
    rig.begin([positionRow('3')]);
    const [record] = rig.records.filter((each) => each.type === 'position');
    expect(record).toMatchObject({ symbol: 'BTCUSDT', quantity: d('3') });
    const again = recovered(rig.records);
    again.begin([positionRow('3')]);
    expect(again.records.filter((each) => each.type === 'position')).toEqual([]);
  });

  it('does not believe an empty picture at once when the journal holds a position', () => {
    const { records } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.look(yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })));
    });
    const rig = recovered(records);
    rig.pass(40_000);
    rig.begin([]);
    expect(rig.engine.mode).toBe('RECONCILING');
    for (let polls = 0; polls < 4; polls += 1) {
      rig.pass(2_000);
      rig.poll([]);
    }
    expect(rig.engine.mode, 'but it may have been closed meanwhile').toBe('TRADING');
    expect(position(rig)).toBe(0);
  });

  it.each([
    { shows: 'nothing', rows: [] },
    { shows: 'less', rows: [positionRow('0.4')] },
  ])(
    'waits where its picture has $shows of what was filled so lately that lists may lag',
    ({ rows }) => {
      const { records } = journalOf({}, (rig) => {
        rig.answer('place', placement());
        rig.look(yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })));
      });
      const rig = recovered(records);
      rig.begin(rows);
      for (let polls = 0; polls < 12; polls += 1) {
        rig.pass(2_000);
        rig.poll(rows);
      }
      expect(rig.engine.mode).toBe('RECONCILING');
      rig.poll([positionRow('1')]);
      rig.pass(2_000);
      rig.poll([positionRow('1')]);
      expect(rig.engine.mode).toBe('TRADING');
      expect(position(rig)).toBe(d('1'));
      expect(rig.engine.halts.all.size).toBe(0);
    },
  );

  it('finds an order that lands while it looks, and does not wait until lists cannot lag', () => {
    const { records, rig: before } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.look(yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })));
      rig.placed({ quantity: '1', ordinal: 1 });
      rig.answer('place', unknown());
    });
    const { terms } = before.ledger.byKey(1);
    const rig = recovered(records);
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.tick(60_000);
    rig.miss();
    rig.poll([positionRow('2')]);
    expect(rig.engine.mode, 'nothing explains the second').toBe('RECONCILING');
    const filled = { orderId: 'v2', status: 'filled', filled: '1', average: '60000' } as const;
    rig.pass(1);
    expect(rig.waiting('find-order'), 'at once').toBeDefined();
    rig.answer('find-order', yes(reportOf(terms, filled)));
    for (let reads = 0; reads < 2; reads += 1) {
      rig.pass(300);
      rig.answer('read-positions', yes([positionRow('2')]));
    }
    expect(rig.engine.mode, 'no poll is waited for').toBe('TRADING');
    expect(position(rig)).toBe(d('2'));
  });

  it('halts nothing by a list that shows what an earlier life had before its last fill', () => {
    const { records } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.look(yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })));
      rig.placed({ quantity: '1', side: 'sell', exit: true });
      rig.answer('place', placement('v2'));
      const { terms } = rig.ledger.byKey(1);
      rig.look(
        yes(reportOf(terms, { orderId: 'v2', status: 'filled', filled: '1', average: '1' })),
      );
    });
    const rig = recovered(records);
    rig.begin([]);
    expect(rig.engine.mode).toBe('TRADING');
    for (let polls = 0; polls < 10; polls += 1) {
      rig.pass(2_000);
      rig.poll([positionRow('1')]);
    }
    expect(rig.engine.halts.all.size).toBe(0);
    expect(position(rig)).toBe(0);
  });

  it('takes nothing off a fill that its first picture held and that was told before it', () => {
    const { records, rig: before } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.placed({ quantity: '1', price: '50000', ordinal: 1 });
      rig.answer('place', placement('v2'));
    });
    const [first, second] = before.ledger.all.map(({ terms }) => terms);
    if (first === undefined || second === undefined) throw new Error('there are two');
    const rig = recovered(records);
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.tick(60_000);
    rig.look(yes(reportOf(first, { status: 'filled', filled: '1', average: '60000' })));
    for (let polls = 0; polls < 8; polls += 1) {
      rig.poll([positionRow('1')], [reportOf(second, { orderId: 'v2' })]);
      rig.pass(2_000);
      while (rig.waiting('find-order') !== undefined)
        rig.answer('find-order', yes(reportOf(second, { orderId: 'v2' })));
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(d('1'));
    rig.poll([positionRow('1')], []);
    rig.look(
      yes(reportOf(second, { orderId: 'v2', status: 'filled', filled: '1', average: '50000' })),
    );
    expect(position(rig)).toBe(d('2'));
  });

  it('believes at once in a flat that the fill of an unclear order explains', () => {
    const { records, rig: before } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.look(yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })));
      rig.placed({ quantity: '1', side: 'sell', exit: true });
      rig.answer('place', unknown());
    });
    const { terms } = before.ledger.byKey(1);
    const rig = recovered(records);
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.poll([]);
    rig.look(yes(reportOf(terms, { status: 'filled', filled: '1', average: '61000' })));
    rig.pass(300);
    rig.poll([]);
    rig.pass(300);
    rig.poll([]);
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(0);
  });

  it('reads the positions again as soon as its orders were looked at, not at the next poll', () => {
    const { records, rig: before } = journalOf({}, (rig) => {
      rig.answer('place', unknown());
    });
    const rig = recovered(records);
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.poll([positionRow('1')]);
    rig.pass(300);
    expect(rig.waiting('read-positions'), 'no orders were looked at yet').toBeUndefined();
    const filled = { status: 'filled', filled: '1', average: '60000' } as const;
    rig.look(yes(reportOf(termsOf(before), filled)));
    for (let reads = 0; reads < 2; reads += 1) {
      rig.pass(300);
      rig.answer('read-positions', yes([positionRow('1')]));
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(d('1'));
  });

  it('refuses a decision that already has its order', () => {
    const { records } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.look(yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })));
    });
    const rig = recovered(records);
    rig.begin([positionRow('1')]);
    expect(rig.submit({ quantity: '1' })).toBe('refused');
    expect(rig.engine.counts.refusedBy.get('ONCE')?.count).toBe(1);
  });
});

describe('a poll of open orders', () => {
  it('finds an order whose lookup by client id misses it', () => {
    const rig = EngineRig.trading();
    rig.submit({ price: '60000' });
    rig.answer('place', unknown());
    const order = rig.engine.ledger.byKey(0);
    const { clientOrderId } = order;
    rig.poll([], [{ ...reportOf(order.terms), clientOrderId }]);
    expect(order.state).toBe('accepted');
  });

  it('halts on an id of ours that the journal does not know: a twin, or an older state', () => {
    const rig = EngineRig.trading();
    const foreign = reportOf(new ProtocolRig().order({ price: '1' }).terms);
    rig.poll([], [{ ...foreign, clientOrderId: 'by-hand' }]);
    rig.poll([], [foreign]);
    expect(rig.engine.mode).toBe('TRADING');
    rig.poll([], [{ ...foreign, clientOrderId: `${NAMESPACE}-abc-a1` }]);
    expect(rig.engine.mode).toBe('HALTED');
    expect(rig.submit()).toBe('accepted');
    expect(rig.engine.haltReason).toContain(`${NAMESPACE}-abc-a1`);
  });
});

describe('a poll of positions', () => {
  /** Believes long 1, told by an order of ours long ago. */
  function longOne(): EngineRig {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.look(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })));
    rig.pass(40_000);
    rig.poll([positionRow('1')]);
    rig.host.heard.length = 0;
    return rig;
  }

  it('begun before our last fill does not erase it', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    rig.answer('place', placement());
    const begunAt = rig.monotonic;
    const { terms } = rig.engine.ledger.byKey(0);
    rig.look(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })));
    expect(rig.engine.reconciled, 'not compared since').toBe(false);
    rig.poll([], [], begunAt);
    expect(position(rig)).toBe(d('1'));
    expect(rig.engine.reconciled).toBe(false);
    rig.pass(1);
    rig.poll([positionRow('1')]);
    expect(rig.engine.reconciled).toBe(true);
  });

  it('that blips to nothing does not make it flat, and asks for the closes', () => {
    const rig = longOne();
    rig.poll([]);
    expect(position(rig)).toBe(d('1'));
    expect(rig.waiting('read-closes')).toBeDefined();
    rig.answer('read-closes', yes([close({ positionId: 'p0' }), close({ kind: 'partial' })]));
    expect(position(rig)).toBe(d('1'));
    expect(rig.host.heard).toEqual([]);
    rig.poll([positionRow('1')]);
    expect(rig.engine.reconciled).toBe(true);
  });

  it.each([
    { claimed: 'nothing', rows: [], overMs: 29_000, becomes: '1' },
    { claimed: 'nothing', rows: [], overMs: 30_000, becomes: '0' },
    { claimed: 'half of it', rows: [positionRow('0.5')], overMs: 6_000, becomes: '0.5' },
  ])(
    'that says $claimed for $overMs ms, with no row of history to prove it, leaves $becomes',
    ({ rows, overMs, becomes }) => {
      const rig = longOne();
      for (let passed = 0; passed <= overMs; passed += 1_000) {
        rig.poll(rows);
        if (rig.waiting('read-closes') !== undefined) rig.answer('read-closes', yes([]));
        rig.pass(1_000);
      }
      expect(position(rig)).toBe(d(becomes));
    },
  );

  it.each([
    ['closed', 'position of BTCUSDT moved from 1 to 0 without an order of ours'],
    ['liquidated', 'liquidation of BTCUSDT filled at 59000, position from 1 to 0'],
  ] as const)(
    'is believed at once when position history has it %s, and the strategy hears of it',
    (kind, text) => {
      const rig = longOne();
      rig.poll([]);
      rig.answer('read-closes', yes([close({ kind })]));
      expect(position(rig)).toBe(0);
      expect(rig.host.heard).toEqual(['moved BTCUSDT']);
      expect(rig.notes.at(-1)?.text).toBe(`${text}: position history has its close`);
    },
  );

  it.each([
    ['s1', 'stop-loss of BTCUSDT filled at 59000, position from 1 to 0'],
    ['t1', 'take-profit of BTCUSDT filled at 59000, position from 1 to 0'],
    ['by-hand', 'position of BTCUSDT moved from 1 to 0 without an order of ours'],
  ])('is told as what closed it: %s', (orderId, text) => {
    const rig = longOne();
    const legs = {
      stopLoss: { price: d<'price'>('59000'), orderId: 's1' },
      takeProfit: { price: d<'price'>('70000'), orderId: 't1' },
    };
    rig.poll([positionRow('1', legs)]);
    rig.poll([]);
    rig.answer('read-closes', yes([close({ orderId })]));
    expect(position(rig)).toBe(0);
    expect(rig.notes.at(-1)?.text).toBe(`${text}: position history has its close`);
  });

  it('is not flat by a close that an order of ours made: its own answer tells of it', () => {
    const rig = longOne();
    rig.submit({ quantity: '1', side: 'sell', exit: true, ordinal: 1 });
    rig.answer('place', placement('v2'));
    const reduction = rig.engine.ledger.byKey(1).terms;
    rig.look(
      yes(reportOf(reduction, { orderId: 'v2', status: 'filled', filled: '1', average: '60000' })),
    );
    rig.submit({ quantity: '1', ordinal: 2 });
    rig.answer('place', placement('v3'));
    const { terms } = rig.engine.ledger.byKey(2);
    rig.look(
      yes(reportOf(terms, { orderId: 'v3', status: 'filled', filled: '1', average: '60000' })),
    );
    rig.pass(2_000);
    rig.poll([]);
    rig.answer('read-closes', yes([close({ orderId: 'v2' })]));
    expect(position(rig)).toBe(d('1'));
    rig.poll([]);
    rig.answer('read-closes', yes([close({ orderId: 'by-hand' })]));
    expect(position(rig)).toBe(0);
  });

  it('that grew soon after a fill of ours halts its symbol when it is believed, if not before', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '3' });
    rig.answer('place', placement());
    const filled = { status: 'filled', filled: '3', average: '60000' } as const;
    rig.look(yes(reportOf(rig.engine.ledger.byKey(0).terms, filled)));
    rig.submit({ quantity: '2', side: 'sell', exit: true, ordinal: 1 });
    rig.answer('place', placement('v2'));
    const { terms } = rig.engine.ledger.byKey(1);
    rig.look(yes(reportOf(terms, { ...filled, orderId: 'v2', filled: '2' })));
    for (let polls = 0; polls < 20; polls += 1) {
      rig.pass(2_000);
      rig.poll([positionRow('3')]);
    }
    expect(position(rig)).toBe(d('3'));
    expect(rig.engine.positions.own('BTCUSDT', 'USDT')).toBe(d('1'));
    expect(rig.engine.halts.reason('BTCUSDT')).toContain('2 of it by no order of ours');
  });

  it('is not flat by the close of the old one when another was shown and a blip hides it', () => {
    const rig = longOne();
    rig.poll([positionRow('3', { positionId: 'p2' })]);
    rig.poll([]);
    rig.answer('read-closes', yes([close({ kind: 'liquidated' })]));
    expect(position(rig)).toBe(d('1'));
    rig.poll([]);
    rig.answer('read-closes', yes([close(), close({ rowId: 'r2', positionId: 'p2' })]));
    expect(position(rig)).toBe(0);
  });

  it('is believed without evidence when it repeats itself for five seconds', () => {
    const rig = longOne();
    for (const expected of ['1', '1', '1', '3'] as const) {
      rig.poll([positionRow('3')]);
      expect(position(rig)).toBe(d(expected));
      rig.pass(2_000);
    }
    expect(rig.host.heard).toEqual(['moved BTCUSDT']);
    expect(rig.engine.reconciled, 'until the next poll agrees').toBe(false);
    rig.poll([positionRow('3')]);
    expect(rig.engine.reconciled).toBe(true);
  });

  it('that lags behind our fill is not believed while reads may lag', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.look(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })));
    for (let polls = 0; polls < 14; polls += 1) {
      rig.pass(2_000);
      rig.poll([]);
      while (rig.waiting('read-closes') !== undefined) rig.answer('read-closes', yes([]));
      expect(position(rig)).toBe(d('1'));
    }
  });

  it('that an order in flight can explain is left to that order', () => {
    const rig = longOne();
    rig.submit({ quantity: '2', ordinal: 1 });
    rig.answer('place', placement('v2'));
    const order = rig.engine.ledger.byKey(1);
    for (let polls = 0; polls < 5; polls += 1) {
      rig.pass(2_000);
      rig.poll([positionRow('3')]);
      while (rig.waiting('find-order') !== undefined)
        rig.answer('find-order', yes(reportOf(order.terms, { orderId: 'v2' })));
    }
    expect(position(rig)).toBe(d('1'));
    rig.look(
      yes(
        reportOf(order.terms, { orderId: 'v2', status: 'filled', filled: '2', average: '60000' }),
      ),
    );
    expect(position(rig), 'counted once').toBe(d('3'));
    expect(rig.host.heard).not.toContain('moved BTCUSDT');
  });

  it('is not ours where our own order was seen resting long after it', () => {
    const rig = longOne();
    rig.submit({ quantity: '1', price: '50000', ordinal: 1 });
    rig.answer('place', placement('v2'));
    const open = reportOf(rig.engine.ledger.byKey(1).terms, { orderId: 'v2' });
    for (let polls = 0; polls < 20; polls += 1) {
      rig.poll([positionRow('2')], [open]);
      rig.pass(2_000);
      while (rig.waiting('find-order') !== undefined) rig.answer('find-order', yes(open));
    }
    expect(position(rig)).toBe(d('2'));
    expect(rig.engine.positions.own('BTCUSDT', 'USDT')).toBe(d('1'));
    expect(rig.engine.halts.reason('BTCUSDT')).toContain('1 of it by no order of ours');
  });

  it('is not believed while an order of ours was not looked at since it says so', () => {
    const rig = longOne();
    rig.submit({ quantity: '1', price: '50000', ordinal: 1 });
    rig.answer('place', placement('v2'));
    for (let polls = 0; polls < 10; polls += 1) {
      rig.pass(2_000);
      rig.poll([positionRow('5')]);
    }
    expect(position(rig), 'the lookup is not answered').toBe(d('1'));
  });

  describe('that lacks what a resting reduction may have closed', () => {
    function withResting(): EngineRig {
      const rig = longOne();
      rig.submit({ quantity: '1', side: 'sell', exit: true, price: '61000', ordinal: 1 });
      rig.answer('place', placement('v2'));
      rig.look(yes(reportOf(rig.engine.ledger.byKey(1).terms)));
      rig.poll([]);
      rig.answer('read-closes', yes([close()]));
      return rig;
    }

    it('is left to the reduction, whose fill counts once', () => {
      const rig = withResting();
      expect(position(rig)).toBe(d('1'));
      const { terms } = rig.engine.ledger.byKey(1);
      rig.look(yes(reportOf(terms, { status: 'filled', filled: '1', average: '61000' })));
      expect(position(rig)).toBe(0);
      expect(rig.host.heard).not.toContain('moved BTCUSDT');
    });

    it('is believed once the reduction was seen resting for a while since', () => {
      const rig = withResting();
      const open = yes(reportOf(rig.engine.ledger.byKey(1).terms));
      for (let polls = 0; polls < 5; polls += 1) {
        rig.pass(2_000);
        rig.poll([]);
        rig.pass(0);
        while (rig.waiting('find-order') !== undefined) rig.answer('find-order', open);
        while (rig.waiting('read-closes') !== undefined) rig.answer('read-closes', yes([close()]));
      }
      expect(position(rig)).toBe(0);
      expect(rig.host.heard).toContain('moved BTCUSDT');
    });
  });

  it('that lacks what a reduction in flight may have closed is left to the reduction', () => {
    const rig = longOne();
    rig.submit({ quantity: '1', side: 'sell', exit: true, ordinal: 1 });
    rig.answer('place', placement('v2'));
    rig.poll([]);
    rig.answer('read-closes', yes([close()]));
    expect(position(rig)).toBe(d('1'));
    const { terms } = rig.engine.ledger.byKey(1);
    rig.look(
      yes(reportOf(terms, { orderId: 'v2', status: 'filled', filled: '1', average: '60000' })),
    );
    expect(position(rig), 'closed once').toBe(0);
  });

  it('that shows what a reduction missed makes a doubted position be read', () => {
    const rig = longOne();
    rig.submit({ quantity: '1', side: 'sell', exit: true, ordinal: 1 });
    rig.answer('place', no('reduce-only-without-position'));
    expect(rig.waiting('read-positions')).toBeDefined();
    rig.answer('read-positions', yes([]));
    rig.answer('read-closes', yes([close()]));
    expect(position(rig)).toBe(0);
    expect(rig.host.heard).toEqual(['ended 1 rejected', 'moved BTCUSDT']);
  });
});

describe('orders that the venue has', () => {
  const LIMIT = { quantity: '1', price: '50000' };

  /** A limit order that rests, looked at so often that the next look is far away. */
  function resting(): EngineRig {
    const rig = EngineRig.trading();
    rig.submit(LIMIT);
    rig.answer('place', placement());
    for (let looks = 0; looks < 8; looks += 1)
      rig.look(yes(reportOf(rig.engine.ledger.byKey(0).terms)));
    return rig;
  }

  it('are looked at when a poll of positions says what they could have done', () => {
    const rig = resting();
    rig.pass(200);
    rig.poll([positionRow('1')]);
    rig.pass(0);
    const { terms } = rig.engine.ledger.byKey(0);
    expect(rig.waiting('find-order')).toBeDefined();
    rig.look(yes(reportOf(terms, { status: 'filled', filled: '1', average: '50000' })));
    rig.pass(1);
    rig.poll([positionRow('1')]);
    expect(rig.engine.reconciled).toBe(true);
    expect(rig.host.heard).not.toContain('moved BTCUSDT');
  });

  it('and that were cancelled by somebody after a part was filled end by the list', () => {
    const rig = resting();
    const order = rig.engine.ledger.byKey(0);
    const sticky = yes(
      reportOf(order.terms, { status: 'partially-filled', filled: '0.4', average: '50000' }),
    );
    const listed = { ...reportOf(order.terms), clientOrderId: order.clientOrderId };
    rig.look(sticky);
    for (const orders of [[listed], ...Array.from({ length: 18 }, () => [])]) {
      rig.pass(2_000);
      rig.poll([positionRow('0.4')], orders);
      while (rig.waiting('find-order') !== undefined) rig.answer('find-order', sticky);
    }
    rig.pass(1_000);
    while (rig.waiting('find-order') !== undefined) rig.answer('find-order', sticky);
    rig.pass(1_000);
    while (rig.waiting('find-order') !== undefined) rig.answer('find-order', sticky);
    expect(order.state).toBe('canceled');
    expect(position(rig)).toBe(d('0.4'));
  });

  it('are looked at between the first two pictures of the positions', () => {
    const { records, rig: before } = journalOf({ price: '50000' }, (rig) => {
      rig.answer('place', placement());
    });
    const open = yes(reportOf(termsOf(before)));
    const rig = recovered(records);
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    for (let looks = 0; looks < 8; looks += 1) rig.look(open);
    rig.pass(200);
    rig.poll();
    rig.pass(0);
    expect(rig.waiting('find-order'), 'its own time is seconds away').toBeDefined();
    rig.answer('find-order', open);
    rig.pass(300);
    rig.answer('read-positions', yes([]));
    expect(rig.engine.mode).toBe('TRADING');
  });

  it('and that reduce make the positions be read when the venue cancels them', () => {
    const rig = EngineRig.trading();
    rig.submit({ ...LIMIT, side: 'sell', exit: true });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.look(yes(reportOf(terms, { status: 'system-canceled' })));
    expect(rig.waiting('read-positions')).toBeUndefined();
    rig.look(yes(reportOf(terms, { status: 'system-canceled' })));
    expect(rig.waiting('read-positions')).toBeDefined();
  });
});

describe('an id that may be burned', () => {
  it('is burned only when lists that were read late enough lack it', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    rig.answer('place', no('client-order-id-exists', 409));
    const order = rig.engine.ledger.byKey(0);
    const miss = (): void => {
      while (rig.waiting('find-order') !== undefined) rig.answer('find-order', NOT_FOUND);
      if (rig.waiting('read-order-history') !== undefined) {
        rig.answer('read-order-history', yes([]));
      }
    };
    for (let seconds = 0; seconds < 60; seconds += 1) {
      rig.pass(1_000);
      miss();
    }
    expect(order.ended, 'the account was not read again').toBe(false);
    const hidden = { ...reportOf(order.terms), orderId: 'v9' };
    rig.poll([], [hidden]);
    for (let seconds = 0; seconds < 30; seconds += 1) {
      rig.pass(1_000);
      miss();
    }
    expect(order.ended, 'an open order could be it').toBe(false);
    rig.poll([], []);
    for (let seconds = 0; seconds < 90; seconds += 1) {
      rig.pass(1_000);
      miss();
    }
    expect(order.state).toBe('burned');
    expect(rig.host.heard).toContain('ended 0 rejected');
  });
});
