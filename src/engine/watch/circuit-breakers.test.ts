import { describe, expect, it } from 'vitest';
import { recover } from '../../execution/recovery/recovery.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';
import type { PresetName } from '../../risk/preset.js';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { rowOf } from '../../../test/support/rigs/operation-rig.js';
import { no, placement, unknown } from '../../../test/support/rigs/protocol-rig.js';
import { d, VENUE_TIME } from '../../../test/support/builders/risk-case.js';

const gate = (preset: PresetName = 'standard') => createGate({ preset, limits: DEFAULT_LIMITS });
const trading = (preset?: PresetName): EngineRig => EngineRig.trading({ gate: gate(preset) });
const hasNote = (rig: EngineRig, text: RegExp): boolean =>
  rig.notes.some((note) => text.test(note.text));

/** The engine asks for leverage, and the venue answers badly: no order is involved. */
function errors(rig: EngineRig, count: number, spacingMs = 1_000): void {
  for (let error = 0; error < count; error += 1) {
    const command = {
      kind: 'set-leverage',
      symbol: 'ETHUSDT',
      currency: 'USDT',
      leverage: 2 as never,
    } as const;
    rig.handle({ kind: 'command', commandId: `e${rig.monotonic}`, command });
    rig.answer('read-leverage', unknown(503));
    rig.pass(spacingMs);
    for (let at = rig.sent.length; at > 0; at -= 1)
      if (rig.sent[at - 1]?.request.kind !== 'find-order') rig.sent.splice(at - 1, 1);
  }
}

/** Clean reconciliations for a while. */
function calm(rig: EngineRig, ms: number): void {
  const until = rig.monotonic + ms;
  while (rig.monotonic < until) {
    rig.pass(2_000);
    rig.sent.length = 0;
    rig.tick(60_000);
    rig.poll();
  }
}

describe('R25: unknown and 5xx outcomes', () => {
  it('five within a minute restrict the account to reductions, which ends by itself', () => {
    const rig = trading();
    errors(rig, 4, 100);
    expect(rig.engine.mode).toBe('TRADING');
    errors(rig, 1, 100);
    expect(rig.engine.mode).toBe('REDUCE_ONLY');
    expect(rig.submit()).toBe('refused-for-now');
    calm(rig, 50_000);
    expect(rig.engine.mode).toBe('REDUCE_ONLY');
    calm(rig, 80_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.notes.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['TRADING → REDUCE_ONLY', 'REDUCE_ONLY → TRADING']),
    );
  });

  it('polls of the account that get a 5xx count with the outcomes of requests', () => {
    const rig = trading();
    errors(rig, 2, 100);
    for (let poll = 0; poll < 2; poll += 1) rig.handle({ kind: 'poll-failed', cause: '502' });
    expect(rig.engine.controlCounts.errors).toBe(4);
    expect(rig.engine.mode).toBe('TRADING');
    rig.handle({ kind: 'poll-failed', cause: '502' });
    expect(rig.engine.mode).toBe('REDUCE_ONLY');
  });

  it('the fourth time within an hour it latches, and survives a restart', () => {
    const rig = trading();
    for (let time = 0; time < 4; time += 1) {
      errors(rig, 5, 100);
      expect(rig.engine.mode).toBe('REDUCE_ONLY');
      calm(rig, 200_000);
    }
    expect(rig.engine.mode).toBe('REDUCE_ONLY');
    expect(hasNote(rig, /the 4th time within an hour.*It is latched.*sluice resume/)).toBe(true);
    const again = EngineRig.trading({ gate: gate(), recovered: recover(rig.records, 'rig') });
    expect(again.engine.mode).toBe('REDUCE_ONLY');
    calm(again, 200_000);
    expect(again.engine.mode).toBe('REDUCE_ONLY');
  });

  it('one that had not latched does not survive a restart', () => {
    const rig = trading();
    errors(rig, 5, 100);
    const again = EngineRig.trading({ gate: gate(), recovered: recover(rig.records, 'rig') });
    expect(again.engine.mode).toBe('TRADING');
  });

  it('a preset that only records has no breakers', () => {
    const rig = trading('research');
    errors(rig, 9, 100);
    expect(rig.engine.mode).toBe('TRADING');
  });

  it('an exit leaves meanwhile', () => {
    const rig = new EngineRig({ gate: gate() });
    rig.startEngineWithAdopted([rowOf({ quantity: '0.002' })]);
    rig.tick(60_000);
    errors(rig, 5, 10);
    expect(rig.engine.mode).toBe('REDUCE_ONLY');
    expect(rig.submit({ side: 'sell', exit: true })).toBe('accepted');
    expect(rig.pendingRequest('place')).toMatchObject({ terms: { reduceOnly: true } });
  });
});

describe('R24: rejections', () => {
  const reject = (rig: EngineRig, ordinal: number, code: Parameters<typeof no>[0]): void => {
    rig.pass(6_000);
    rig.tick(60_000);
    rig.poll();
    expect(rig.submit({ ordinal })).toBe('accepted');
    rig.answer('place', no(code));
  };

  it('five of a symbol within a minute hold its entries, and the account trades on', () => {
    const rig = trading();
    for (let ordinal = 0; ordinal < 4; ordinal += 1) reject(rig, ordinal, 'price-range');
    expect(rig.engine.restrictions).toEqual([]);
    reject(rig, 4, 'price-range');
    expect(rig.engine.restrictions).toMatchObject([
      { control: 'R24', symbol: 'BTCUSDT', class: 'self-clearing' },
    ]);
    expect(rig.engine.mode).toBe('TRADING');
    rig.pass(6_000);
    rig.tick(60_000);
    rig.poll();
    expect(rig.submit({ ordinal: 9 })).toBe('refused-for-now');
  });

  it('a missing balance counts double', () => {
    const rig = trading();
    for (let ordinal = 0; ordinal < 2; ordinal += 1) reject(rig, ordinal, 'insufficient-balance');
    expect(rig.engine.restrictions).toEqual([]);
    reject(rig, 2, 'insufficient-balance');
    expect(rig.engine.restrictions).toMatchObject([{ control: 'R24', symbol: 'BTCUSDT' }]);
  });

  it('a reduction that is rejected again and again holds its symbol, and not the account', () => {
    const rig = new EngineRig({ gate: gate() });
    rig.startEngineWithAdopted([positionRow('1')]);
    for (let ordinal = 0; ordinal < 12; ordinal += 1) {
      rig.pass(6_000);
      rig.tick(60_000);
      rig.poll([positionRow('1')]);
      rig.submit({ ordinal, side: 'sell', exit: true, quantity: '1' });
      rig.answer('place', no('notional-below-minimum'));
    }
    expect(rig.engine.restrictions.map(({ control, symbol }) => [control, symbol])).toEqual([
      ['R24', 'BTCUSDT'],
    ]);
  });

  it('a repeat that the gate itself refuses is no rejection', () => {
    const rig = trading();
    for (let ordinal = 0; ordinal < 12; ordinal += 1)
      rig.submit({ ordinal, strategyId: `${ordinal}` });
    for (let ordinal = 0; ordinal < 12; ordinal += 1)
      rig.submit({ ordinal, strategyId: `${ordinal}` });
    expect(rig.engine.restrictions).toEqual([]);
  });
});

describe('R23: orders of unknown outcome', () => {
  it('one holds the entries of its symbol, not its exits, until it is proved', () => {
    const rig = trading();
    rig.submit({ price: '59000', quantity: '0.001' });
    rig.answer('place', unknown());
    rig.pass(6_000);
    rig.tick(60_000);
    rig.poll();
    expect(rig.submit({ ordinal: 1, price: '58000' })).toBe('refused-for-now');
    expect(rig.engine.counts.refusedBy.get('R23')?.lastText).toMatch(/unknown outcome, limit 1/);
  });
});

describe('an order that only a person can end', () => {
  /** Its request was never answered, and the venue does not show it. */
  const withUnknown = (rig: EngineRig): void => {
    rig.submit({ price: '59000', quantity: '0.001' });
    rig.answer('place', unknown());
  };
  /** Clean reconciliations, in which the venue shows no such order. */
  const calmWithUnknown = (rig: EngineRig, ms: number): void => {
    const until = rig.monotonic + ms;
    while (rig.monotonic < until) {
      rig.pass(2_000);
      while (rig.pendingRequest('find-order') !== undefined) rig.answerOrderNotFound();
      rig.tick(60_000);
      rig.poll();
    }
  };

  it('holds the entries of its symbol, and no restriction of another cause', () => {
    const rig = trading();
    withUnknown(rig);
    errors(rig, 5, 100);
    expect(rig.engine.mode).toBe('REDUCE_ONLY');
    calmWithUnknown(rig, 100_000);
    expect(rig.engine.mode, 'it may still land').toBe('REDUCE_ONLY');
    calmWithUnknown(rig, 60_000);
    expect(rig.engine.ledger.byKey(0).state).toBe('quarantined');
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.submit({ ordinal: 9, price: '58000' })).toBe('refused-for-now');
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('0.001'));
  });

  it('holds the account at the limit of R23, and not longer', () => {
    const limits = { ...DEFAULT_LIMITS.breakers, maxUnknownOrders: { symbol: 1, account: 1 } };
    const rig = EngineRig.trading({
      gate: createGate({ preset: 'standard', limits: { ...DEFAULT_LIMITS, breakers: limits } }),
    });
    withUnknown(rig);
    calmWithUnknown(rig, 400_000);
    expect(rig.engine.restrictions.map(({ control, class: kind }) => [control, kind])).toEqual([
      ['R23', 'self-clearing'],
    ]);
    const { clientOrderId } = rig.engine.ledger.byKey(0);
    const command = { kind: 'resolve', clientOrderId, as: 'never-landed' } as const;
    rig.handle({ kind: 'command', commandId: 'c1', command });
    calmWithUnknown(rig, 70_000);
    expect(rig.engine.mode).toBe('TRADING');
  });
});

describe('R37: the distance of the clocks', () => {
  it('warns once, then stops entries, and ends by itself', () => {
    const rig = trading();
    rig.handle({ kind: 'clock-skew', skewMs: 2_500 });
    rig.handle({ kind: 'clock-skew', skewMs: 2_600 });
    expect(rig.notes.filter(({ text }) => text.includes('check NTP'))).toHaveLength(1);
    expect(rig.engine.mode).toBe('TRADING');
    rig.handle({ kind: 'clock-skew', skewMs: -11_000 });
    expect(rig.engine.mode).toBe('REDUCE_ONLY');
    rig.handle({ kind: 'clock-skew', skewMs: 0 });
    calm(rig, 130_000);
    expect(rig.engine.mode).toBe('TRADING');
  });
});

describe('R36: starts that never reach TRADING', () => {
  const start = (
    minutesAgo: number,
    to: 'RECONCILING' | 'HALTED' = 'RECONCILING',
  ): JournalRecord => ({
    type: 'mode',
    venueTime: VENUE_TIME - minutesAgo * 60_000,
    from: 'STARTING',
    to,
    cause: 'start',
  });
  const reached = (minutesAgo: number): JournalRecord => ({
    type: 'mode',
    venueTime: VENUE_TIME - minutesAgo * 60_000,
    from: 'RECONCILING',
    to: 'TRADING',
    cause: 'clean reconciliation',
  });
  const stopped: JournalRecord = {
    type: 'command',
    venueTime: VENUE_TIME,
    commandId: 'c',
    command: { kind: 'stop', policy: 'keep' },
  };

  it.each([
    { what: 'four of them', records: [9, 8, 7, 6].map((at) => start(at)), latched: false },
    { what: 'five of them', records: [9, 8, 7, 6, 5].map((at) => start(at)), latched: true },
    {
      what: 'five that a second writer ended',
      records: [9, 8, 7, 6, 5].map((at) => start(at, 'HALTED')),
      latched: true,
    },
    {
      what: 'five, the first ten minutes ago',
      records: [10, 8, 7, 6, 5].map((at) => start(at)),
      latched: false,
    },
    {
      what: 'five, and one between them that traded',
      records: [start(9), start(8), start(7), reached(7), start(6), start(5)],
      latched: false,
    },
    {
      what: 'five that a person stopped',
      records: [9, 8, 7, 6, 5].flatMap((at) => [start(at), stopped]),
      latched: false,
    },
  ])('a start after $what is latched: $latched', ({ records, latched }) => {
    const rig = EngineRig.trading({ gate: gate(), recovered: recover(records, 'rig') });
    expect(rig.engine.restrictions.map(({ control }) => control)).toEqual(latched ? ['R36'] : []);
    expect(rig.engine.mode).toBe(latched ? 'HALTED' : 'TRADING');
    if (!latched) return;
    rig.handle({ kind: 'command', commandId: 'r', command: { kind: 'resume' } });
    calm(rig, 4_000);
    expect(rig.engine.mode).toBe('TRADING');
    const next = EngineRig.trading({
      gate: gate(),
      recovered: recover([...records, ...rig.records], 'rig'),
    });
    expect(next.engine.mode).toBe('TRADING');
  });
});

describe('R22 foreign_hand: warn', () => {
  it('an external hand is only logged, once', () => {
    const limits = {
      ...DEFAULT_LIMITS,
      protection: { ...DEFAULT_LIMITS.protection, externalHand: 'warn' as const },
    };
    const rig = EngineRig.trading({ gate: createGate({ preset: 'standard', limits }) });
    for (let poll = 0; poll < 10; poll += 1) {
      rig.pass(2_000);
      rig.tick(60_000);
      rig.poll([rowOf({ quantity: '0.002' })]);
    }
    expect(rig.engine.restrictions).toEqual([]);
    expect(rig.notes.filter(({ text }) => text.includes('foreign_hand: warn'))).toHaveLength(1);
    expect(rig.submit({ quantity: '0.001' })).toBe('accepted');
    rig.answer('place', placement());
  });
});
