import { describe, expect, it } from 'vitest';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { d } from '../../../test/support/builders/risk-case.js';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { placement, reportOf, yes } from '../../../test/support/rigs/protocol-rig.js';
import type { PositionReport, TransferRow } from '../../core/account.js';
import { textFromFixed } from '../../core/fixed/fixed.js';
import type { JournalRecordOf } from '../../execution/journal/journal-record.js';
import { compactedRecords } from '../../execution/journal/journal-compaction.js';
import { recover } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import { LOSS_LIMITS, type LossLimits } from '../../risk/limits/loss-limits.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';
import { DAY_MS } from '../../core/interval.js';

const WIDE = d<'ratio'>('10000');
/** Positions are large and prices jump in these tests: only the loss limits count. */
const OTHER_LIMITS = {
  market: { ...DEFAULT_LIMITS.market, maxDriftBps: WIDE, maxPriceJump: WIDE, maxMarkGap: WIDE },
  exposure: {
    ...DEFAULT_LIMITS.exposure,
    maxGrossShare: WIDE,
    maxNetShare: WIDE,
    maxMarginShare: WIDE,
  },
};

const gate = (loss: Partial<LossLimits> = {}) =>
  createGate({
    preset: 'standard',
    limits: {
      ...DEFAULT_LIMITS,
      maxOrderNotional: d('100000'),
      maxOrderNotionalShare: d('100'),
      maxPositionNotional: d('100000'),
      maxPositionNotionalShare: d('100'),
      loss: { ...LOSS_LIMITS.standard, ...loss },
      ...OTHER_LIMITS,
    },
  });

/** 0.2 BTC bought at 60,000: a fall of 1,000 loses 200 USDT. */
const LONG = positionRow('0.2');
const HOLD_MS = LOSS_LIMITS.standard.hardHoldMs;

/** A trading engine with our position. */
function holding(rows: readonly PositionReport[] = [LONG], loss: Partial<LossLimits> = {}) {
  const rig = new EngineRig({ gate: gate(loss) });
  rig.startEngineWithAdopted(rows);
  price(rig, 60_000);
  return rig;
}

const price = (rig: EngineRig, at: number): void => {
  rig.tick(at, at);
};
/** The price stands for this time. */
function hold(rig: EngineRig, at: number, ms = HOLD_MS): void {
  price(rig, at);
  rig.pass(ms);
  price(rig, at);
}
const exits = (rig: EngineRig) =>
  rig.sent.flatMap(({ request }) =>
    request.kind === 'place' && request.terms.reduceOnly
      ? [textFromFixed(request.terms.quantity)]
      : [],
  );
const restricted = (rig: EngineRig) =>
  rig.engine.restrictions.map((each) => `${each.control} ${each.to} ${each.class}`);
const saved = (rig: EngineRig): readonly JournalRecordOf<'losses'>[] =>
  rig.records.flatMap((record) => (record.type === 'losses' ? [record] : []));
const command = (rig: EngineRig, kind: 'resume'): void => {
  rig.handle({ kind: 'command', commandId: `c${rig.records.length}`, command: { kind } });
};

/** One round of polls with this wallet, each read after the last event. */
function pollWallet(rig: EngineRig, balance: string, rows: readonly PositionReport[] = []): void {
  rig.pass(1);
  const currency = 'USDT' as const;
  const wallet = { currency, balance: d<'USDT'>(balance), locked: d<'USDT'>('0') };
  rig.snapshot({ kind: 'wallet', currency, startedAt: rig.monotonic, wallet });
  rig.pass(1);
  rig.snapshot({ kind: 'open-orders', currency, startedAt: rig.monotonic, orders: [] });
  rig.snapshot({ kind: 'positions', currency, startedAt: rig.monotonic, positions: rows });
}

const transfer = (rig: EngineRig, id: string, amount: string): TransferRow => ({
  id,
  currency: 'USDT',
  direction: amount.startsWith('-') ? 'withdraw' : 'deposit',
  amount: d<'USDT'>(amount.replace('-', '')),
  createdAt: Math.floor(rig.venueTime / 1_000) * 1_000,
});

/** Sells the whole position at this price. */
function sellAll(rig: EngineRig, average: string): void {
  expect(rig.submit({ exit: true, side: 'sell', quantity: '0.2' })).toBe('accepted');
  rig.answer('place', placement());
  const { terms } = rig.engine.ledger.byKey(rig.engine.ledger.nextKey - 1);
  rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '0.2', average })));
}

it('the equity has the loss of a close before the wallet shows it', () => {
  const rig = holding();
  price(rig, 59_000);
  const equity = (): string => textFromFixed(rig.engine.facts.equity('USDT') ?? d('0'));
  expect(equity()).toBe('9800');
  sellAll(rig, '59000');
  // The fee is an estimate: 0.2 × 59,000 × 0.00059.
  expect(equity()).toBe('9793.038');
  pollWallet(rig, '9793.1');
  expect(equity()).toBe('9793.1');
});

describe('a pause until a known time', () => {
  it('a losing streak is logged once with its end, and a refused entry ends its decision', () => {
    const rig = holding([LONG], { streak: { losses: 1, pauseMs: 60_000 } });
    price(rig, 59_000);
    sellAll(rig, '59000');
    rig.poll();
    const until = /^1 position in a row closed at a loss: entries pause until \S+Z$/;
    expect(rig.notes.filter(({ text }) => until.test(text))).toHaveLength(1);
    // The pause outlives the decision: it is not asked for again every 250 ms.
    expect(rig.submit({ ordinal: 1 })).toBe('refused');
    expect(rig.engine.counts.refusedBy.get('R26')?.count).toBe(1);
  });

  it('a refusal for the orders of the venue day names their own key alone', () => {
    const rig = holding([], { maxDayOrders: 0 });
    expect(rig.submit()).toBe('refused');
    expect(rig.engine.counts.refusedBy.get('R40')?.lastText).toBe(
      'it is order 1 of the venue day, limit 0 (max_orders_per_day)',
    );
  });
});

describe('the loss of the venue day', () => {
  it('at the soft limit nothing happens; beyond it for the hold time entries stop until a person resumes', () => {
    const rig = holding();
    hold(rig, 58_500);
    expect([rig.engine.mode, restricted(rig)]).toEqual(['TRADING', []]);
    hold(rig, 58_499, HOLD_MS - 1);
    expect(rig.engine.mode).toBe('TRADING');
    rig.pass(1);
    expect([rig.engine.mode, restricted(rig)]).toEqual([
      'REDUCE_ONLY',
      ['R19 REDUCE_ONLY latching'],
    ]);
    expect(exits(rig)).toEqual([]);
  });

  it('an entry is refused from the first moment beyond the soft limit', () => {
    const rig = holding();
    price(rig, 58_499);
    rig.poll([LONG]);
    expect(rig.submit()).toBe('refused-for-now');
    expect(rig.engine.counts.refusedBy.get('R19')?.lastText).toContain('300.2 of 10000');
    expect(rig.submit({ exit: true, side: 'sell', ordinal: 1 })).toBe('accepted');
  });

  it('a price that returns within the hold time neither latches nor flattens', () => {
    const rig = holding();
    hold(rig, 40_000, HOLD_MS - 1);
    price(rig, 60_000);
    rig.pass(HOLD_MS);
    expect([restricted(rig), exits(rig)]).toEqual([[], []]);
  });

  it('beyond the hard limit for the hold time every position is closed', () => {
    const rig = holding();
    hold(rig, 57_499);
    expect(restricted(rig)).toEqual(['R19 REDUCE_ONLY latching']);
    expect(exits(rig)).toEqual(['0.2']);
    const flatten = rig.records.find((record) => record.type === 'flatten');
    expect(flatten).toMatchObject({ commandId: 'R19:2025-05-05', state: 'wanted' });
  });

  it('beyond the hard limit after the soft one, the cause and an error say that positions are closed', () => {
    const rig = holding();
    hold(rig, 58_499);
    expect(rig.engine.restrictions[0]?.cause).toMatch(/\(soft limit\).*limit 3 %$/);
    hold(rig, 57_499);
    const cause = /\(hard limit\): 500\.2 of 10000.*limit 5 %; the positions are closed$/;
    expect(rig.engine.restrictions).toHaveLength(1);
    expect(rig.engine.restrictions[0]?.cause).toMatch(cause);
    const errors = rig.notes.filter(({ level }) => level === 'error');
    expect(errors.map(({ text }) => text)).toEqual([
      expect.stringMatching(/soft limit/),
      expect.stringMatching(/R19: loss of the venue day \(hard limit\)/),
    ]);
    expect(exits(rig)).toEqual(['0.2']);
    const { restrictions } = recover(rig.records, 'rig');
    expect(restrictions).toMatchObject([{ cause: expect.stringMatching(cause) as string }]);
  });

  it('the mark price decides where it is fresh: a wick of the last price flattens nothing', () => {
    const rig = holding();
    rig.tick(50_000, 60_000);
    rig.pass(HOLD_MS);
    rig.tick(50_000, 60_000);
    expect([restricted(rig), exits(rig)]).toEqual([[], []]);
  });

  it('under research nothing is latched and nothing closed; orders are counted as would_refuse', () => {
    const limits = { ...DEFAULT_LIMITS, ...OTHER_LIMITS };
    const research = createGate({ preset: 'research', limits });
    const rig = new EngineRig({ gate: research });
    rig.startEngineWithAdopted([LONG]);
    price(rig, 60_000);
    hold(rig, 50_000);
    rig.poll([LONG]);
    expect(rig.submit({ exit: false, side: 'sell' })).toBe('accepted');
    expect([restricted(rig), exits(rig)]).toEqual([[], []]);
    expect([...research.tally.wouldRefuse]).toEqual([['R19', 1]]);
  });

  it('a limit stands after a restart, and resume begins the day anew at the present equity', () => {
    const rig = holding();
    hold(rig, 58_000);
    const next = new EngineRig({ gate: gate(), recovered: recover(rig.records, 'rig') });
    next.pass(60_000);
    next.startEngine([LONG]);
    price(next, 58_000);
    next.pass(2_000);
    next.poll([LONG]);
    expect(next.engine.mode).toBe('REDUCE_ONLY');
    expect(restricted(next)).toContain('R19 REDUCE_ONLY latching');
    command(next, 'resume');
    next.pass(2_000);
    for (const kind of ['read-positions', 'read-open-orders'] as const)
      while (next.pendingRequest(kind) !== undefined)
        next.answer(kind, kind === 'read-positions' ? yes([LONG]) : (yes([]) as never));
    next.poll([LONG]);
    hold(next, 58_000);
    expect(next.engine.mode).toBe('TRADING');
    expect(restricted(next)).not.toContain('R19 REDUCE_ONLY latching');
    expect(textFromFixed(saved(next).at(-1)?.dayStart ?? d('0'))).toBe('9600');
  });
});

describe('the drawdown', () => {
  it('beyond its limit from the highest equity every position is closed and entries stop', () => {
    const rig = holding([LONG], { maxDayShare: { soft: d('0.9'), hard: d('0.95') } });
    hold(rig, 70_000);
    hold(rig, 61_000);
    expect(restricted(rig)).toEqual([]);
    hold(rig, 60_999);
    expect(restricted(rig)).toEqual(['R21 REDUCE_ONLY latching']);
    expect(exits(rig)).toEqual(['0.2']);
  });
});

describe('a transfer from outside', () => {
  const settled = (): EngineRig => {
    const rig = EngineRig.trading({ gate: gate() });
    price(rig, 60_000);
    rig.pass(40_000);
    price(rig, 60_000);
    rig.poll();
    expect(rig.submit({ quantity: '0.001' })).toBe('accepted');
    rig.answer('place', {
      kind: 'no',
      code: 'insufficient-balance',
      text: 'no',
      status: 400,
    } as never);
    rig.pass(6_000);
    pollWallet(rig, '10000');
    return rig;
  };

  it('a withdrawal suspends entries until its row is read, and never flattens', () => {
    const rig = settled();
    pollWallet(rig, '4000');
    price(rig, 60_000);
    expect(rig.submit({ ordinal: 1 })).toBe('refused-for-now');
    expect(rig.engine.counts.refusedBy.get('R19')?.lastText).toContain('changed by -6000');
    rig.answer('read-transfers', yes([transfer(rig, 't1', '-6000')]));
    rig.pass(HOLD_MS);
    price(rig, 60_000);
    pollWallet(rig, '4000');
    expect(restricted(rig)).toEqual([]);
    expect(saved(rig).at(-1)).toMatchObject({
      dayStart: d('4000'),
      highWater: d('4000'),
      transferIds: ['t1'],
    });
    expect(rig.submit({ quantity: '0.002', ordinal: 2 })).toBe('accepted');
  });

  it('a deposit raises no limit', () => {
    const rig = settled();
    pollWallet(rig, '20000');
    rig.answer('read-transfers', yes([transfer(rig, 't1', '10000')]));
    expect(saved(rig).at(-1)).toMatchObject({ dayStart: d('10000'), deposits: d('10000') });
  });

  it('a change without a row is a loss after two reads', () => {
    const rig = settled();
    pollWallet(rig, '9000');
    rig.answer('read-transfers', yes([]));
    rig.pass(4_999);
    expect(rig.pendingRequest('read-transfers')).toBeUndefined();
    rig.pass(1);
    rig.answer('read-transfers', yes([]));
    hold(rig, 60_000);
    expect(restricted(rig)).toEqual(['R19 REDUCE_ONLY latching']);
  });

  it('a list that cannot be read decides nothing', () => {
    const rig = settled();
    pollWallet(rig, '4000');
    for (let read = 0; read < 4; read++) {
      rig.answer('read-transfers', { kind: 'unknown', sent: true, cause: 'timeout' });
      rig.pass(5_000);
    }
    hold(rig, 60_000);
    expect(restricted(rig)).toEqual([]);
    rig.answer('read-transfers', yes([transfer(rig, 't1', '-6000')]));
    hold(rig, 60_000);
    expect(restricted(rig)).toEqual([]);
  });
});

describe('the venue day', () => {
  const dayOf = (rig: EngineRig): number => (saved(rig).at(-1)?.day ?? 0) / DAY_MS;

  it('one read with the time of a later day opens no new budget, two do', () => {
    const rig = holding();
    const first = dayOf(rig);
    rig.venueTime += DAY_MS;
    pollWallet(rig, '10000', [LONG]);
    expect(dayOf(rig)).toBe(first);
    rig.venueTime -= DAY_MS;
    pollWallet(rig, '10000', [LONG]);
    rig.venueTime += DAY_MS;
    pollWallet(rig, '10000', [LONG]);
    expect(dayOf(rig)).toBe(first);
    pollWallet(rig, '10000', [LONG]);
    expect(dayOf(rig)).toBe(first + 1);
  });

  it('a clock that steps back a day keeps the losses of the day', () => {
    const rig = holding();
    price(rig, 58_499);
    rig.venueTime -= DAY_MS;
    for (let poll = 0; poll < 3; poll++) pollWallet(rig, '10000', [LONG]);
    price(rig, 58_499);
    expect(rig.submit()).toBe('refused-for-now');
    expect(rig.engine.counts.refusedBy.get('R19')?.lastText).toContain('300.2 of 10000');
  });
});

describe('the journal of losses', () => {
  it('a restart counts the orders and the turnover of the day, also those after the newest record', () => {
    const rig = holding();
    rig.poll([LONG]);
    rig.submit({ quantity: '0.01' });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.answerOrderQuery(
      yes(reportOf(terms, { status: 'filled', filled: '0.01', average: '60000' })),
    );
    const { losses } = recover(rig.records, 'rig');
    expect(losses?.counters).toMatchObject({ orders: 1, turnover: d('600') });
    const compacted = recover(compactedRecords(rig.records, 'rig'), 'rig');
    expect(compacted.losses).toEqual(losses);
    expect(
      compactedRecords(rig.records, 'rig').filter(({ type }) => type === 'losses'),
    ).toHaveLength(1);
  });

  it('prices and polls alone write one record a minute at most, and only for a new high', () => {
    const rig = holding();
    const before = saved(rig).length;
    for (let second = 0; second < 300; second++) {
      price(rig, 60_000 + second * 10);
      pollWallet(rig, '10000', [LONG]);
      rig.pass(1_000);
    }
    expect(saved(rig).length - before).toBeLessThanOrEqual(5);
    for (let second = 0; second < 300; second++) {
      price(rig, 60_000);
      pollWallet(rig, '10000', [LONG]);
      rig.pass(1_000);
    }
    expect(saved(rig).length - before).toBeLessThanOrEqual(6);
  });
});

describe('the wallet after a restart', () => {
  /** A run whose wallet has paid fees since its first record, and its planned stop. */
  function stopped(): EngineRig {
    const rig = EngineRig.trading({ gate: gate() });
    rig.pass(40_000);
    pollWallet(rig, '9999.5');
    expect(saved(rig).at(-1)?.wallet).toBe(d('10000'));
    rig.handle({ kind: 'command', commandId: 'stop', command: { kind: 'stop', policy: 'keep' } });
    return rig;
  }

  function restarted(rig: EngineRig, balance: string): EngineRig {
    const next = new EngineRig({ gate: gate(), recovered: recover(rig.records, 'rig') });
    next.pass(60_000);
    next.startEngine([]);
    next.pass(40_000);
    pollWallet(next, balance);
    return next;
  }

  it('is that of the planned stop, so that no list of transfers is read', () => {
    const rig = stopped();
    expect(saved(rig).at(-1)?.wallet).toBe(d('9999.5'));
    const next = restarted(rig, '9999.5');
    expect(next.pendingRequest('read-transfers')).toBeUndefined();
    expect(next.notes.map(({ text }) => text).join()).not.toContain('wallet changed');
  });

  it('has changed while no process ran: a note says so, and the list of transfers decides', () => {
    const next = restarted(stopped(), '9999');
    expect(next.pendingRequest('read-transfers')).toBeDefined();
    const about = next.notes.filter(({ text }) => text.includes('the wallet changed'));
    expect(about).toEqual([
      expect.objectContaining({
        level: 'info',
        text: 'the wallet changed by -0.5 USDT since the last record of the run before: entries wait for the list of transfers',
      }),
    ]);
  });
});

describe('a restart with a position, after trades that the last record of the run before lacks', () => {
  /** The record has a wallet of 10,000 USDT at a price of 60,000; then the list of transfers cannot be read. */
  function restarted(balance: string, at: number, { loss = {}, laterMs = 0 } = {}): EngineRig {
    const rig = new EngineRig({ gate: gate(loss), recovered: recover(holding().records, 'rig') });
    rig.venueTime += laterMs;
    rig.pass(60_000);
    const adoption = { kind: 'adopt', what: 'BTCUSDT' } as const;
    rig.handle({ kind: 'command', commandId: 'adopt', command: adoption });
    price(rig, at);
    rig.begin();
    pollWallet(rig, balance, [LONG]);
    rig.pass(300);
    rig.answer('read-positions', yes([LONG]));
    rig.pass(40_000);
    price(rig, at);
    pollWallet(rig, balance, [LONG]);
    return rig;
  }
  const fail = (rig: EngineRig): void => {
    rig.answer('read-transfers', { kind: 'unknown', sent: true, cause: 'timeout' });
    rig.pass(5_000);
  };
  const settle = (rig: EngineRig): void => {
    for (let read = 0; read < 2; read++) {
      rig.answer('read-transfers', yes([]));
      rig.pass(5_000);
    }
  };

  it('a profit of the run before is no loss of the day, however long the list cannot be read', () => {
    const rig = restarted('10400', 57_000);
    for (let read = 0; read < 4; read++) {
      fail(rig);
      hold(rig, 57_000);
    }
    expect([restricted(rig), exits(rig)]).toEqual([[], []]);
    settle(rig);
    hold(rig, 57_000);
    expect([restricted(rig), exits(rig)]).toEqual([[], []]);
  });

  it('a loss beyond the hard limit in both cases flattens before the list can be read', () => {
    const rig = restarted('10100', 56_500);
    fail(rig);
    hold(rig, 56_500);
    expect(restricted(rig)).toEqual(['R19 REDUCE_ONLY latching']);
    expect(exits(rig)).toEqual(['0.2']);
  });

  it('a loss of the run before raises no high water', () => {
    const rig = restarted('9600', 62_000);
    hold(rig, 62_000);
    settle(rig);
    expect(saved(rig).at(-1)).toMatchObject({ wallet: d('9600'), highWater: d('10000') });
  });

  it('a withdrawal while no process ran is no loss', () => {
    const rig = restarted('4000', 60_000);
    hold(rig, 60_000);
    rig.answer('read-transfers', yes([transfer(rig, 't1', '-6000')]));
    hold(rig, 60_000);
    expect([restricted(rig), exits(rig)]).toEqual([[], []]);
    expect(saved(rig).at(-1)).toMatchObject({ highWater: d('4000'), dayStart: d('4000') });
  });

  it('a later day begins once the list has decided, and no loss of the day before counts in it', () => {
    const rig = restarted('9700', 57_000, { laterMs: DAY_MS });
    for (let poll = 0; poll < 3; poll++) pollWallet(rig, '9700', [LONG]);
    fail(rig);
    hold(rig, 57_000);
    expect([restricted(rig), exits(rig)]).toEqual([[], []]);
    settle(rig);
    for (let poll = 0; poll < 3; poll++) pollWallet(rig, '9700', [LONG]);
    hold(rig, 57_000);
    expect([restricted(rig), exits(rig)]).toEqual([[], []]);
    expect(saved(rig).at(-1)).toMatchObject({ dayStart: d('9100') });
  });

  it('a person who resumes accepts the change of the wallet too', () => {
    const rig = restarted('10100', 57_000, {
      loss: { maxDayShare: { soft: d('0.03'), hard: WIDE } },
    });
    hold(rig, 57_000);
    expect(restricted(rig)).toEqual(['R19 REDUCE_ONLY latching']);
    command(rig, 'resume');
    rig.pass(2_000);
    rig.answer('read-positions', yes([LONG]));
    pollWallet(rig, '10100', [LONG]);
    expect(saved(rig).at(-1)).toMatchObject({ wallet: d('10100'), dayStart: d('9500') });
    hold(rig, 57_000);
    expect(restricted(rig)).toEqual([]);
  });
});

it('a planned stop keeps a high water that is newer than a minute', () => {
  const rig = holding();
  rig.pass(1_000);
  price(rig, 61_000);
  rig.handle({ kind: 'command', commandId: 'stop', command: { kind: 'stop', policy: 'keep' } });
  expect(saved(rig).at(-1)).toMatchObject({ highWater: d('10200') });
});

it('an entry without a stop is counted, and noted once a strategy', () => {
  const rig = holding([]);
  rig.poll();
  for (const ordinal of [0, 1]) {
    rig.pass(6_000);
    price(rig, 60_000);
    rig.poll();
    expect(rig.submit({ ordinal })).toBe('accepted');
  }
  expect(rig.engine.counts.entriesWithoutStop).toBe(2);
  expect(rig.notes.filter(({ text }) => text.includes('no stop loss (R17)'))).toHaveLength(1);
});
