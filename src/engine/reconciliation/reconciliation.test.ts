import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import {
  NAMESPACE,
  no,
  NOT_FOUND,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { BTC, d, type IntentCase } from '../../../test/support/builders/risk-case.js';
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

/** The journal of a previous run, driven by `act`. */
function journalOf(
  of: IntentCase,
  act: (rig: ProtocolRig) => void,
): { readonly records: readonly JournalRecord[]; readonly rig: ProtocolRig } {
  const rig = new ProtocolRig();
  rig.placedOrder({ quantity: '1', ...of });
  act(rig);
  return { records: rig.records, rig };
}
const recovered = (records: readonly JournalRecord[]) =>
  new EngineRig({ recovered: recover(records, 'rig') });
const termsOf = (rig: ProtocolRig) => rig.ledger.byKey(0).terms;

describe('the reconciliation at a start', () => {
  it('trading starts when leverage, account and a repeated snapshot of the positions are read', () => {
    const rig = new EngineRig();
    expect(rig.engine.mode).toBe('STARTING');
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    expect(rig.engine.mode).toBe('RECONCILING');
    rig.answer('read-leverage', yes(d('2')));
    rig.poll([positionRow('1')]);
    expect(rig.engine.mode, 'one read is no proof').toBe('RECONCILING');
    rig.pass(300);
    rig.answer('read-positions', yes([positionRow('1')]));
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.host.eventLog).toEqual(['start']);
    expect(position(rig)).toBe(d('1'));
    expect(rig.engine.isReconciled).toBe(true);
  });

  it('one empty list does not count as flat', () => {
    const rig = new EngineRig();
    rig.handle({ kind: 'instruments', instruments: [BTC] });
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

  it('snapshots before the instruments are known are ignored', () => {
    const rig = new EngineRig();
    rig.poll([positionRow('5')]);
    rig.startEngine([positionRow('1')]);
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(d('1'));
  });

  it('the wallet is current once it was read after the last fill, so that a profit has its fee', () => {
    const rig = new EngineRig();
    rig.startEngine();
    const wallet = (): void => {
      const { currency } = rig.engine;
      const startedAt = rig.monotonic;
      const read = { currency, balance: d<'USDT'>('10000'), locked: d<'USDT'>('0') };
      rig.snapshot({ kind: 'wallet', currency, startedAt, wallet: read });
    };
    rig.pass(1);
    wallet();
    expect(rig.engine.isWalletCurrent).toBe(true);
    rig.submit({ side: 'buy', quantity: '1' });
    const { terms } = rig.engine.ledger.byKey(0);
    rig.answer('place', placement());
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })));
    expect(rig.engine.isWalletCurrent).toBe(false);
    rig.pass(1_000);
    wallet();
    expect(rig.engine.isWalletCurrent).toBe(true);
  });

  it('the start waits until the venue has reported every order of the previous run', () => {
    const { records, rig: before } = journalOf({ price: '60000' }, (rig) => {
      rig.answer('place', unknown());
    });
    const partial = yes(
      reportOf(termsOf(before), { status: 'partially-filled', filled: '0.4', average: '60000' }),
    );
    const rig = recovered(records);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    for (let polls = 0; polls < 3; polls += 1) {
      rig.poll([positionRow('0.4')]);
      rig.pass(1_000);
    }
    expect(rig.engine.mode, 'the order is not found yet').toBe('RECONCILING');
    rig.answerOrderQuery(partial);
    rig.pass(1);
    rig.poll([positionRow('0.4')]);
    rig.answerOrderQuery(partial);
    rig.pass(1_000);
    expect(rig.engine.mode).toBe('RECONCILING');
    rig.poll([positionRow('0.4')]);
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig), 'the fill counts once').toBe(d('0.4'));
    expect(rig.host.eventLog).toContain('fill buy 40000000 6000000000000');
  });

  it('an unsent entry is dropped: it was decided before the restart', () => {
    const { records } = journalOf({}, () => undefined);
    const rig = recovered(records.slice(0, 1));
    rig.startEngine();
    rig.tick(60_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.pendingRequest('place')).toBeUndefined();
    expect(rig.engine.counts.dropped).toBe(1);
    expect(rig.records.at(-1)).toMatchObject({ type: 'mode' });
    expect(rig.records).toContainEqual(
      expect.objectContaining({ type: 'dropped', reason: expect.stringMatching(/^R27: /) }),
    );
  });

  it('an entry that was not found is withdrawn, not sent again', () => {
    const { records } = journalOf({}, (rig) => {
      rig.answer('place', unknown());
    });
    const rig = recovered(records);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.tick(60_000);
    rig.answerOrderNotFound();
    for (let polls = 0; polls < 3; polls += 1) {
      rig.poll();
      rig.pass(2_000);
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.pendingRequest('place')).toBeUndefined();
    expect(rig.records).toContainEqual(
      expect.objectContaining({ type: 'instruction', instruction: 'withdraw' }),
    );
  });

  it('an unsent exit is sent, however long the bot was down', () => {
    const before = new ProtocolRig();
    before.protocol.submit(before.order({ side: 'sell', exit: true, quantity: '1' }, 1e12));
    const { records } = before;
    const rig = recovered(records.slice(0, 1));
    rig.pass(3_600_000);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.tick(60_000);
    for (let polls = 0; polls < 3; polls += 1) {
      rig.poll([positionRow('1')]);
      rig.pass(2_000);
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.pendingRequest('place')?.terms).toMatchObject({ side: 'sell', reduceOnly: true });
  });

  it('orders that may still land keep their exposure reserved, and trading starts', () => {
    const { records } = journalOf({}, (rig) => {
      rig.answer('place', unknown());
    });
    const rig = recovered(records);
    rig.pass(120_000);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.answerOrderNotFound();
    rig.tick(60_000);
    for (let polls = 0; polls < 3; polls += 1) {
      rig.poll();
      rig.pass(2_000);
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.pendingRequest('place')).toBeUndefined();
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('1'));
    expect(rig.engine.ledger.unprovedCount).toBe(1);
    expect(rig.engine.isReconciled).toBe(false);
  });

  it('a strategy waits two minutes for an order that may land, and its exposure stays reserved', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' }, 1_000);
    rig.answer('place', unknown());
    rig.pass(2_000);
    const abandonedFlags = () =>
      rig.host.world.workingOrders('BTCUSDT').map(({ abandoned }) => abandoned);
    const missed = (): void => {
      while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', NOT_FOUND);
      while (rig.pendingRequest('read-order-history') !== undefined)
        rig.answer('read-order-history', yes([]));
    };
    missed();
    expect(abandonedFlags()).toEqual([true]);
    for (let seconds = 0; seconds < 130; seconds += 1) {
      rig.pass(1_000);
      missed();
    }
    expect(abandonedFlags()).toEqual([]);
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('1'));
    expect(rig.engine.ledger.unprovedCount).toBe(1);
  });

  it('a fill in the first snapshot does not count twice when its order is found', () => {
    const { records, rig: before } = journalOf({}, (rig) => {
      rig.answer('place', unknown());
    });
    const rig = recovered(records);
    rig.pass(120_000);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.answerOrderNotFound();
    rig.tick(60_000);
    for (let polls = 0; polls < 3; polls += 1) {
      rig.poll([positionRow('1')]);
      rig.pass(2_000);
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(d('1'));
    const { terms, clientOrderId } = before.ledger.byKey(0);
    const filled = reportOf(terms, { status: 'filled', filled: '1', average: '60000' });
    rig.answerOrderNotFound([{ ...filled, clientOrderId }]);
    expect(rig.engine.ledger.unprovedCount).toBe(0);
    expect(position(rig)).toBe(d('1'));
    expect(rig.host.eventLog.filter((entry) => entry.startsWith('fill'))).toHaveLength(1);
    const types = rig.records.map((record) => record.type);
    expect(types, 'the fill explains it, in the next run too').not.toContain('position');
  });

  it('a first snapshot that no order of ours explains is journaled', () => {
    const rig = new EngineRig();
    rig.startEngine([positionRow('3')]);
    const [record] = rig.records.filter((each) => each.type === 'position');
    expect(record).toMatchObject({ symbol: 'BTCUSDT', quantity: d('3') });
    const again = recovered(rig.records);
    again.startEngine([positionRow('3')]);
    expect(again.records.filter((each) => each.type === 'position')).toEqual([]);
  });

  it('an empty snapshot is not accepted at once when the journal holds a position', () => {
    const { records } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.answerOrderQuery(
        yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })),
      );
    });
    const rig = recovered(records);
    rig.pass(40_000);
    rig.startEngine([]);
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
    'the start waits where its snapshot shows $shows after a recent fill that lists may lack',
    ({ rows }) => {
      const { records } = journalOf({}, (rig) => {
        rig.answer('place', placement());
        rig.answerOrderQuery(
          yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })),
        );
      });
      const rig = recovered(records);
      rig.startEngine(rows);
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

  it('an order that lands during the queries is found without waiting for the visibility delay', () => {
    const { records, rig: before } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.answerOrderQuery(
        yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })),
      );
      rig.placedOrder({ quantity: '1', ordinal: 1 });
      rig.answer('place', unknown());
    });
    const { terms } = before.ledger.byKey(1);
    const rig = recovered(records);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.tick(60_000);
    rig.answerOrderNotFound();
    rig.poll([positionRow('2')]);
    expect(rig.engine.mode, 'nothing explains the second').toBe('RECONCILING');
    const filled = { orderId: 'v2', status: 'filled', filled: '1', average: '60000' } as const;
    rig.pass(1);
    expect(rig.pendingRequest('find-order'), 'at once').toBeDefined();
    rig.answer('find-order', yes(reportOf(terms, filled)));
    for (let reads = 0; reads < 2; reads += 1) {
      rig.pass(300);
      rig.answer('read-positions', yes([positionRow('2')]));
    }
    expect(rig.engine.mode, 'no poll is waited for').toBe('TRADING');
    expect(position(rig)).toBe(d('2'));
  });

  it('a list from before the last fill of the previous run halts nothing', () => {
    const { records } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.answerOrderQuery(
        yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })),
      );
      rig.placedOrder({ quantity: '1', side: 'sell', exit: true });
      rig.answer('place', placement('v2'));
      const { terms } = rig.ledger.byKey(1);
      rig.answerOrderQuery(
        yes(reportOf(terms, { orderId: 'v2', status: 'filled', filled: '1', average: '1' })),
      );
    });
    const rig = recovered(records);
    rig.startEngine([]);
    expect(rig.engine.mode).toBe('TRADING');
    for (let polls = 0; polls < 10; polls += 1) {
      rig.pass(2_000);
      rig.poll([positionRow('1')]);
    }
    expect(rig.engine.halts.all.size).toBe(0);
    expect(position(rig)).toBe(0);
  });

  it('a fill reported before its first snapshot counts once', () => {
    const { records, rig: before } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.placedOrder({ quantity: '1', price: '50000', ordinal: 1 });
      rig.answer('place', placement('v2'));
    });
    const [first, second] = before.ledger.all.map(({ terms }) => terms);
    if (first === undefined || second === undefined) throw new Error('there are two');
    const rig = recovered(records);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.tick(60_000);
    rig.answerOrderQuery(yes(reportOf(first, { status: 'filled', filled: '1', average: '60000' })));
    for (let polls = 0; polls < 8; polls += 1) {
      rig.poll([positionRow('1')], [reportOf(second, { orderId: 'v2' })]);
      rig.pass(2_000);
      while (rig.pendingRequest('find-order') !== undefined)
        rig.answer('find-order', yes(reportOf(second, { orderId: 'v2' })));
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(d('1'));
    rig.poll([positionRow('1')], []);
    rig.answerOrderQuery(
      yes(reportOf(second, { orderId: 'v2', status: 'filled', filled: '1', average: '50000' })),
    );
    expect(position(rig)).toBe(d('2'));
  });

  it('a flat account that the fill of an unclear order explains is accepted at once', () => {
    const { records, rig: before } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.answerOrderQuery(
        yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })),
      );
      rig.placedOrder({ quantity: '1', side: 'sell', exit: true });
      rig.answer('place', unknown());
    });
    const { terms } = before.ledger.byKey(1);
    const rig = recovered(records);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.poll([]);
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '1', average: '61000' })));
    rig.pass(300);
    rig.poll([]);
    rig.pass(300);
    rig.poll([]);
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(0);
  });

  it('the positions are read again as soon as the orders were queried, not at the next poll', () => {
    const { records, rig: before } = journalOf({}, (rig) => {
      rig.answer('place', unknown());
    });
    const rig = recovered(records);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    rig.poll([positionRow('1')]);
    rig.pass(300);
    expect(rig.pendingRequest('read-positions'), 'the orders were not queried yet').toBeUndefined();
    const filled = { status: 'filled', filled: '1', average: '60000' } as const;
    rig.answerOrderQuery(yes(reportOf(termsOf(before), filled)));
    for (let reads = 0; reads < 2; reads += 1) {
      rig.pass(300);
      rig.answer('read-positions', yes([positionRow('1')]));
    }
    expect(rig.engine.mode).toBe('TRADING');
    expect(position(rig)).toBe(d('1'));
  });

  it('a decision that already has its order is refused', () => {
    const { records } = journalOf({}, (rig) => {
      rig.answer('place', placement());
      rig.answerOrderQuery(
        yes(reportOf(termsOf(rig), { status: 'filled', filled: '1', average: '60000' })),
      );
    });
    const rig = recovered(records);
    rig.startEngine([positionRow('1')]);
    expect(rig.submit({ quantity: '1' })).toBe('refused');
    expect(rig.engine.counts.refusedBy.get('ONCE')?.count).toBe(1);
  });
});

describe('a poll of open orders', () => {
  it('a list of open orders finds an order that the query by client id misses', () => {
    const rig = EngineRig.trading();
    rig.submit({ price: '60000' });
    rig.answer('place', unknown());
    const order = rig.engine.ledger.byKey(0);
    const { clientOrderId } = order;
    rig.poll([], [{ ...reportOf(order.terms), clientOrderId }]);
    expect(order.state).toBe('accepted');
  });

  it('an unknown id of our namespace halts: a second bot, or an older state folder', () => {
    const rig = EngineRig.trading();
    const externalReport = reportOf(new ProtocolRig().order({ price: '1' }).terms);
    rig.poll([], [{ ...externalReport, clientOrderId: 'by-hand' }]);
    rig.poll([], [externalReport]);
    expect(rig.engine.mode).toBe('TRADING');
    rig.poll([], [{ ...externalReport, clientOrderId: `${NAMESPACE}-abc-a1` }]);
    expect(rig.engine.mode).toBe('HALTED');
    expect(rig.submit()).toBe('accepted');
    expect(rig.engine.haltReason).toContain(`${NAMESPACE}-abc-a1`);
  });
});

describe('a poll of positions', () => {
  /** An engine with long 1 by an order of ours from long ago. */
  function longOne(): EngineRig {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })));
    rig.pass(40_000);
    rig.poll([positionRow('1')]);
    rig.host.eventLog.length = 0;
    return rig;
  }

  it('a poll that began before our last fill does not erase it', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    rig.answer('place', placement());
    const startedAt = rig.monotonic;
    const { terms } = rig.engine.ledger.byKey(0);
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })));
    expect(rig.engine.isReconciled, 'not compared since').toBe(false);
    rig.poll([], [], startedAt);
    expect(position(rig)).toBe(d('1'));
    expect(rig.engine.isReconciled).toBe(false);
    rig.pass(1);
    rig.poll([positionRow('1')]);
    expect(rig.engine.isReconciled).toBe(true);
  });

  it('one empty list does not make the position flat, and reads the closes', () => {
    const rig = longOne();
    rig.poll([]);
    expect(position(rig)).toBe(d('1'));
    expect(rig.pendingRequest('read-closes')).toBeDefined();
    rig.answer('read-closes', yes([close({ positionId: 'p0' }), close({ kind: 'partial' })]));
    expect(position(rig)).toBe(d('1'));
    expect(rig.host.eventLog).toEqual([]);
    rig.poll([positionRow('1')]);
    expect(rig.engine.isReconciled).toBe(true);
  });

  it.each([
    { claimed: 'nothing', rows: [], overMs: 29_000, becomes: '1' },
    { claimed: 'nothing', rows: [], overMs: 30_000, becomes: '0' },
    { claimed: 'half of it', rows: [positionRow('0.5')], overMs: 6_000, becomes: '0.5' },
  ])(
    'a claim of $claimed for $overMs ms without a close row leaves $becomes',
    ({ rows, overMs, becomes }) => {
      const rig = longOne();
      for (let passed = 0; passed <= overMs; passed += 1_000) {
        rig.poll(rows);
        if (rig.pendingRequest('read-closes') !== undefined) rig.answer('read-closes', yes([]));
        rig.pass(1_000);
      }
      expect(position(rig)).toBe(d(becomes));
    },
  );

  it.each([
    ['closed', 'position of BTCUSDT moved from 1 to 0 without an order of ours'],
    ['liquidated', 'liquidation of BTCUSDT filled at 59000, position from 1 to 0'],
  ] as const)(
    'a close row of %s is accepted at once, and the strategy is notified',
    (kind, text) => {
      const rig = longOne();
      rig.poll([]);
      rig.answer('read-closes', yes([close({ kind })]));
      expect(position(rig)).toBe(0);
      expect(rig.host.eventLog).toEqual(['moved BTCUSDT']);
      expect(rig.notes.at(-1)?.text).toBe(`${text}: position history has its close`);
    },
  );

  it.each([
    ['s1', 'stop-loss of BTCUSDT filled at 59000, position from 1 to 0'],
    ['t1', 'take-profit of BTCUSDT filled at 59000, position from 1 to 0'],
    ['by-hand', 'position of BTCUSDT moved from 1 to 0 without an order of ours'],
  ])('a close row names the cause: %s', (orderId, text) => {
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

  it.each([
    ['58990', 'stop-loss of BTCUSDT filled at 58990, position from 1 to 0'],
    ['70010', 'take-profit of BTCUSDT filled at 70010, position from 1 to 0'],
    ['60010', 'position of BTCUSDT moved from 1 to 0 without an order of ours'],
  ])(
    'a close at %s before any list showed the position is judged by the prices of its entry',
    (closePrice, text) => {
      const rig = EngineRig.trading();
      rig.submit({ quantity: '1', stopLoss: '59000', takeProfit: '70000' });
      rig.answer('place', placement());
      const { terms } = rig.engine.ledger.byKey(0);
      rig.answerOrderQuery(
        yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })),
      );
      rig.pass(2_000);
      rig.poll([]);
      rig.answer(
        'read-closes',
        yes([close({ orderId: 'of-the-venue', closePrice: d(closePrice) })]),
      );
      expect(position(rig)).toBe(0);
      expect(rig.notes.at(-1)?.text).toBe(`${text}: position history has its close`);
    },
  );

  it('a stop that fires after a list showed its position without it closed the position', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1', stopLoss: '59000' });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })));
    rig.pass(2_000);
    rig.poll([positionRow('1')]);
    rig.poll([]);
    rig.answer('read-closes', yes([close({ orderId: 'of-the-venue', closePrice: d('58990') })]));
    expect(rig.notes.at(-1)?.text).toContain('stop-loss of BTCUSDT filled at 58990');
  });

  it('a close by an order of ours waits for the order’s own report', () => {
    const rig = longOne();
    rig.submit({ quantity: '1', side: 'sell', exit: true, ordinal: 1 });
    rig.answer('place', placement('v2'));
    const reduction = rig.engine.ledger.byKey(1).terms;
    rig.answerOrderQuery(
      yes(reportOf(reduction, { orderId: 'v2', status: 'filled', filled: '1', average: '60000' })),
    );
    rig.submit({ quantity: '1', ordinal: 2 });
    rig.answer('place', placement('v3'));
    const { terms } = rig.engine.ledger.byKey(2);
    rig.answerOrderQuery(
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

  it('growth soon after a fill of ours halts its symbol at the latest when it is accepted', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '3' });
    rig.answer('place', placement());
    const filled = { status: 'filled', filled: '3', average: '60000' } as const;
    rig.answerOrderQuery(yes(reportOf(rig.engine.ledger.byKey(0).terms, filled)));
    rig.submit({ quantity: '2', side: 'sell', exit: true, ordinal: 1 });
    rig.answer('place', placement('v2'));
    const { terms } = rig.engine.ledger.byKey(1);
    rig.answerOrderQuery(yes(reportOf(terms, { ...filled, orderId: 'v2', filled: '2' })));
    for (let polls = 0; polls < 20; polls += 1) {
      rig.pass(2_000);
      rig.poll([positionRow('3')]);
    }
    expect(position(rig)).toBe(d('3'));
    expect(rig.engine.positions.ownQuantity('BTCUSDT', 'USDT')).toBe(d('1'));
    expect(rig.engine.halts.reason('BTCUSDT')).toContain('2 of it by no order of ours');
  });

  it('the close of an old position does not prove flat when a newer one is hidden by a transient gap', () => {
    const rig = longOne();
    rig.poll([positionRow('3', { positionId: 'p2' })]);
    rig.poll([]);
    rig.answer('read-closes', yes([close({ kind: 'liquidated' })]));
    expect(position(rig)).toBe(d('1'));
    rig.poll([]);
    rig.answer('read-closes', yes([close(), close({ rowId: 'r2', positionId: 'p2' })]));
    expect(position(rig)).toBe(0);
  });

  it('a claim without evidence is accepted after it repeats for five seconds', () => {
    const rig = longOne();
    for (const expected of ['1', '1', '1', '3'] as const) {
      rig.poll([positionRow('3')]);
      expect(position(rig)).toBe(d(expected));
      rig.pass(2_000);
    }
    expect(rig.host.eventLog).toEqual(['moved BTCUSDT']);
    expect(rig.engine.isReconciled, 'until the next poll agrees').toBe(false);
    rig.poll([positionRow('3')]);
    expect(rig.engine.isReconciled).toBe(true);
  });

  it('a claim that may lag behind our fill is not accepted', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })));
    for (let polls = 0; polls < 14; polls += 1) {
      rig.pass(2_000);
      rig.poll([]);
      while (rig.pendingRequest('read-closes') !== undefined) rig.answer('read-closes', yes([]));
      expect(position(rig)).toBe(d('1'));
    }
  });

  it('a claim that an order in flight can explain is left to that order', () => {
    const rig = longOne();
    rig.submit({ quantity: '2', ordinal: 1 });
    rig.answer('place', placement('v2'));
    const order = rig.engine.ledger.byKey(1);
    for (let polls = 0; polls < 5; polls += 1) {
      rig.pass(2_000);
      rig.poll([positionRow('3')]);
      while (rig.pendingRequest('find-order') !== undefined)
        rig.answer('find-order', yes(reportOf(order.terms, { orderId: 'v2' })));
    }
    expect(position(rig)).toBe(d('1'));
    rig.answerOrderQuery(
      yes(
        reportOf(order.terms, { orderId: 'v2', status: 'filled', filled: '2', average: '60000' }),
      ),
    );
    expect(position(rig), 'counted once').toBe(d('3'));
    expect(rig.host.eventLog).not.toContain('moved BTCUSDT');
  });

  it('a change is external where our own order was seen resting long after it', () => {
    const rig = longOne();
    rig.submit({ quantity: '1', price: '50000', ordinal: 1 });
    rig.answer('place', placement('v2'));
    const open = reportOf(rig.engine.ledger.byKey(1).terms, { orderId: 'v2' });
    for (let polls = 0; polls < 20; polls += 1) {
      rig.poll([positionRow('2')], [open]);
      rig.pass(2_000);
      while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', yes(open));
    }
    expect(position(rig)).toBe(d('2'));
    expect(rig.engine.positions.ownQuantity('BTCUSDT', 'USDT')).toBe(d('1'));
    expect(rig.engine.halts.reason('BTCUSDT')).toContain('1 of it by no order of ours');
  });

  it('a claim is not accepted while an order of ours was not queried since', () => {
    const rig = longOne();
    rig.submit({ quantity: '1', price: '50000', ordinal: 1 });
    rig.answer('place', placement('v2'));
    for (let polls = 0; polls < 10; polls += 1) {
      rig.pass(2_000);
      rig.poll([positionRow('5')]);
    }
    expect(position(rig), 'the lookup is not answered').toBe(d('1'));
  });

  describe('a poll without a position that a resting reduction may have closed', () => {
    function withResting(): EngineRig {
      const rig = longOne();
      rig.submit({ quantity: '1', side: 'sell', exit: true, price: '61000', ordinal: 1 });
      rig.answer('place', placement('v2'));
      rig.answerOrderQuery(yes(reportOf(rig.engine.ledger.byKey(1).terms)));
      rig.poll([]);
      rig.answer('read-closes', yes([close()]));
      return rig;
    }

    it('the claim is left to the reduction, whose fill counts once', () => {
      const rig = withResting();
      expect(position(rig)).toBe(d('1'));
      const { terms } = rig.engine.ledger.byKey(1);
      rig.answerOrderQuery(
        yes(reportOf(terms, { status: 'filled', filled: '1', average: '61000' })),
      );
      expect(position(rig)).toBe(0);
      expect(rig.host.eventLog).not.toContain('moved BTCUSDT');
    });

    it('the claim is accepted once the reduction was seen resting long enough since', () => {
      const rig = withResting();
      const open = yes(reportOf(rig.engine.ledger.byKey(1).terms));
      for (let polls = 0; polls < 5; polls += 1) {
        rig.pass(2_000);
        rig.poll([]);
        rig.pass(0);
        while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', open);
        while (rig.pendingRequest('read-closes') !== undefined)
          rig.answer('read-closes', yes([close()]));
      }
      expect(position(rig)).toBe(0);
      expect(rig.host.eventLog).toContain('moved BTCUSDT');
    });
  });

  it('a position that a reduction in flight may have closed is left to the reduction', () => {
    const rig = longOne();
    rig.submit({ quantity: '1', side: 'sell', exit: true, ordinal: 1 });
    rig.answer('place', placement('v2'));
    rig.poll([]);
    rig.answer('read-closes', yes([close()]));
    expect(position(rig)).toBe(d('1'));
    const { terms } = rig.engine.ledger.byKey(1);
    rig.answerOrderQuery(
      yes(reportOf(terms, { orderId: 'v2', status: 'filled', filled: '1', average: '60000' })),
    );
    expect(position(rig), 'closed once').toBe(0);
  });

  it('a refused reduction reads the unverified position', () => {
    const rig = longOne();
    rig.submit({ quantity: '1', side: 'sell', exit: true, ordinal: 1 });
    rig.answer('place', no('reduce-only-without-position'));
    expect(rig.pendingRequest('read-positions')).toBeDefined();
    rig.answer('read-positions', yes([]));
    rig.answer('read-closes', yes([close()]));
    expect(position(rig)).toBe(0);
    expect(rig.host.eventLog).toEqual(['ended 1 rejected', 'moved BTCUSDT']);
  });
});

describe('open orders at the venue', () => {
  const LIMIT = { quantity: '1', price: '50000' };

  /** A resting limit order, queried so often that its next query is far away. */
  function resting(): EngineRig {
    const rig = EngineRig.trading();
    rig.submit(LIMIT);
    rig.answer('place', placement());
    for (let polls = 0; polls < 8; polls += 1)
      rig.answerOrderQuery(yes(reportOf(rig.engine.ledger.byKey(0).terms)));
    return rig;
  }

  it('orders are queried when a poll of positions shows a change that they may have caused', () => {
    const rig = resting();
    rig.pass(200);
    rig.poll([positionRow('1')]);
    rig.pass(0);
    const { terms } = rig.engine.ledger.byKey(0);
    expect(rig.pendingRequest('find-order')).toBeDefined();
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '1', average: '50000' })));
    rig.pass(1);
    rig.poll([positionRow('1')]);
    expect(rig.engine.isReconciled).toBe(true);
    expect(rig.host.eventLog).not.toContain('moved BTCUSDT');
  });

  it('the list ends a partly filled order that was canceled externally', () => {
    const rig = resting();
    const order = rig.engine.ledger.byKey(0);
    const sticky = yes(
      reportOf(order.terms, { status: 'partially-filled', filled: '0.4', average: '50000' }),
    );
    const listed = { ...reportOf(order.terms), clientOrderId: order.clientOrderId };
    rig.answerOrderQuery(sticky);
    for (const orders of [[listed], ...Array.from({ length: 18 }, () => [])]) {
      rig.pass(2_000);
      rig.poll([positionRow('0.4')], orders);
      while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', sticky);
    }
    rig.pass(1_000);
    while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', sticky);
    rig.pass(1_000);
    while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', sticky);
    expect(order.state).toBe('canceled');
    expect(position(rig)).toBe(d('0.4'));
  });

  it('orders are queried between the first two snapshots of the positions', () => {
    const { records, rig: before } = journalOf({ price: '50000' }, (rig) => {
      rig.answer('place', placement());
    });
    const open = yes(reportOf(termsOf(before)));
    const rig = recovered(records);
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(d('2')));
    for (let polls = 0; polls < 8; polls += 1) rig.answerOrderQuery(open);
    rig.pass(200);
    rig.poll();
    rig.pass(0);
    expect(rig.pendingRequest('find-order'), 'its own time is seconds away').toBeDefined();
    rig.answer('find-order', open);
    rig.pass(300);
    rig.answer('read-positions', yes([]));
    expect(rig.engine.mode).toBe('TRADING');
  });

  it('a reduction that the venue cancels triggers a read of the positions', () => {
    const rig = EngineRig.trading();
    rig.submit({ ...LIMIT, side: 'sell', exit: true });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'system-canceled' })));
    expect(rig.pendingRequest('read-positions')).toBeUndefined();
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'system-canceled' })));
    expect(rig.pendingRequest('read-positions')).toBeDefined();
  });
});

describe('an id that may be burned', () => {
  it('an id is burned only when lists read late enough lack it', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    rig.answer('place', no('client-order-id-exists', 409));
    const order = rig.engine.ledger.byKey(0);
    const miss = (): void => {
      while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', NOT_FOUND);
      if (rig.pendingRequest('read-order-history') !== undefined) {
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
    expect(rig.host.eventLog).toContain('ended 0 rejected');
  });
});
