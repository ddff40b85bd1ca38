import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { no, placement, reportOf, unknown, yes } from '../../../test/support/rigs/protocol-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { BTC, d } from '../../../test/support/builders/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import type { OperatorCommand } from '../../core/events.js';
import { NO_EXPIRY } from '../../core/intent.js';
import { recover } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';

const LONG = positionRow('1');
const DOGE = positionRow('3', { symbol: 'DOGEUSDT', positionId: 'p2' });
const FLATTEN: OperatorCommand = { kind: 'stop', policy: 'flatten' };
const limits = { ...DEFAULT_LIMITS, symbolsAllow: new Set(['BTCUSDT']) };
const standard = () => createGate({ preset: 'standard', limits });

const sendCommand = (rig: EngineRig, command: OperatorCommand, commandId = 'c1'): void => {
  rig.handle({ kind: 'command', commandId, command });
};
const exits = (rig: EngineRig) =>
  rig.sent.flatMap(({ request }) =>
    request.kind === 'place' && request.terms.reduceOnly ? [request.terms] : [],
  );
const states = (rig: EngineRig) =>
  rig.records.flatMap((record) => (record.type === 'flatten' ? [record.state] : []));
const fillOf = (rig: EngineRig, key: number, filled: string) => {
  const { terms } = rig.engine.ledger.byKey(key);
  return yes(reportOf(terms, { status: 'filled', filled, average: '60000' }));
};

/** A rig with a journaled state, on a venue that lists DOGE too. */
function trading(rows: readonly PositionReport[], options: { readonly judged?: boolean } = {}) {
  const rig = new EngineRig({ ...(options.judged === true && { gate: standard() }) });
  rig.startEngineWithAdopted(rows);
  rig.handle({ kind: 'instruments', instruments: [{ ...BTC, symbol: 'DOGEUSDT' }] });
  return rig;
}

/** The next run of a rig, up to its first snapshot of the account. */
function nextRun(
  before: readonly EngineRig[],
  rows: readonly PositionReport[],
  more: { readonly manualSession?: boolean; readonly first?: OperatorCommand } = {},
): EngineRig {
  const records = before.flatMap((rig) => rig.records);
  const { manualSession = false, first } = more;
  const rig = new EngineRig({
    recovered: recover(records, 'rig'),
    manualSession,
    gate: standard(),
  });
  rig.pass(300_000);
  if (first !== undefined) sendCommand(rig, first, 'first');
  const listed = [BTC, { ...BTC, symbol: 'DOGEUSDT' }];
  rig.handle({ kind: 'instruments', instruments: listed });
  if (rig.pendingRequest('read-leverage') !== undefined)
    rig.answer('read-leverage', { kind: 'yes', value: d('2') });
  rig.poll(rows);
  rig.pass(300);
  if (rig.pendingRequest('read-positions') !== undefined) rig.answer('read-positions', yes(rows));
  return rig;
}

describe('a flatten', () => {
  it('a flatten closes a journaled position in a symbol that is no longer traded', () => {
    const rig = trading([DOGE], { judged: true });
    sendCommand(rig, FLATTEN);
    expect(exits(rig)).toMatchObject([{ symbol: 'DOGEUSDT', side: 'sell', quantity: d('3') }]);
    expect(rig.engine.ledger.byKey(0).intent).toMatchObject({
      referencePrice: d('60000'),
      validUntil: NO_EXPIRY,
    });
  });

  it('a flatten reports once what it cannot close, and stays active', () => {
    const rig = trading([positionRow('1', { symbol: 'GONEUSDT' })]);
    sendCommand(rig, FLATTEN);
    rig.pass(20_000);
    const notes = rig.notes.filter(({ text }) => text.includes('cannot close 1 GONEUSDT'));
    expect(notes).toHaveLength(1);
    expect(rig.engine.isFlattening).toBe(true);
  });

  it('a flatten reads the positions again without waiting for the next poll', () => {
    const rig = trading([LONG]);
    sendCommand(rig, FLATTEN);
    rig.answer('place', placement());
    rig.answerOrderQuery(fillOf(rig, 0, '1'));
    rig.pass(1_000);
    rig.answer('read-positions', unknown());
    rig.pass(2_000);
    rig.answer('read-positions', yes([]));
    rig.pass(2_000);
    expect(states(rig)).toEqual(['wanted', 'flat']);
  });

  it('a flatten sends another exit after an abandoned one', () => {
    const rig = trading([LONG]);
    rig.tick(60_000);
    rig.submit({ side: 'sell', exit: true, quantity: '1' });
    rig.answer('place', unknown());
    sendCommand(rig, { kind: 'kill', level: 'cancel', reason: 'by hand' });
    rig.answer('cancel', no('order-not-found', 404));
    rig.answerOrderNotFound();
    expect(rig.engine.ledger.byKey(0).state).toBe('quarantined');
    sendCommand(rig, { kind: 'kill', level: 'flatten', reason: 'by hand' }, 'c2');
    rig.pass(300);
    rig.poll([LONG]);
    rig.pass(500);
    expect(exits(rig)).toHaveLength(1);
  });

  it.each([
    { level: 'pause', leaves: true },
    { level: 'flatten', leaves: true },
    { level: 'cancel', leaves: false },
  ] as const)(
    'under kill level $level a fence ends an order that may still land: $leaves',
    ({ level, leaves }) => {
      const rig = EngineRig.trading({ fences: true, gate: standard() });
      rig.submit({ quantity: '0.002' });
      rig.answer('place', unknown());
      sendCommand(rig, { kind: 'kill', level, reason: 'by hand' });
      for (let reads = 0; reads < 12 && rig.pendingRequest('place') === undefined; reads += 1) {
        rig.tick(60_000);
        if (rig.pendingRequest('cancel') !== undefined)
          rig.answer('cancel', no('order-not-found', 404));
        rig.answerOrderNotFound();
      }
      const fence = rig.pendingRequest('place');
      expect(fence?.terms.price).toBe(leaves ? d('30000') : undefined);
      expect(rig.engine.ledger.byKey(0).state).toBe('quarantined');
    },
  );

  it('an exit that a strategy lets rest after the flatten began is canceled', () => {
    const rig = trading([LONG]);
    sendCommand(rig, { kind: 'kill', level: 'flatten', reason: 'by hand' });
    rig.tick(60_000);
    rig.submit({ side: 'sell', exit: true, quantity: '1', price: '61000' });
    rig.answer('place', no('locked', 423));
    for (let ms = 0; rig.pendingRequest('place') === undefined && ms < 5_000; ms += 100)
      rig.pass(100);
    const resting = rig.engine.ledger.byKey(1);
    rig.pass(10_000);
    expect(resting.ended || resting.cancelState !== 'none').toBe(true);
  });

  it('a flatten beside an order that never lands ends flat, by its fence', () => {
    const rig = EngineRig.trading({ fences: true });
    rig.submit({ quantity: '1' });
    rig.answer('place', unknown());
    sendCommand(rig, { kind: 'kill', level: 'flatten', reason: 'by hand' });
    const from = rig.monotonic;
    while (rig.pendingRequest('place') === undefined) {
      if (rig.pendingRequest('cancel') !== undefined)
        rig.answer('cancel', no('order-not-found', 404));
      rig.answerOrderNotFound();
      rig.tick(60_000);
    }
    const { terms } = rig.pendingRequest('place') ?? {};
    rig.answer('place', placement());
    rig.answer('cancel', yes(null));
    if (terms === undefined) throw new Error('A fence has left');
    for (let reads = 0; reads < 2; reads += 1)
      rig.answerOrderQuery(yes(reportOf(terms, { status: 'canceled' })));
    rig.pass(2_000);
    rig.poll([]);
    rig.pass(2_000);
    expect(states(rig)).toEqual(['wanted', 'flat']);
    expect(rig.monotonic - from).toBeLessThan(15_000);
  });

  it('a flatten is journaled before it starts, and ends only when the venue shows the account flat', () => {
    const rig = trading([LONG]);
    const before = rig.records.length;
    sendCommand(rig, FLATTEN);
    const types = rig.records.slice(before).map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['command', 'flatten']);
    rig.answer('place', placement());
    rig.answerOrderQuery(fillOf(rig, 0, '1'));
    expect(states(rig)).toEqual(['wanted']);
    expect(rig.engine.isFlattening).toBe(true);
    rig.pass(1_000);
    expect(rig.pendingRequest('read-positions'), 'it does not wait for the poll').toBeDefined();
    rig.poll([]);
    expect(states(rig)).toEqual(['wanted', 'flat']);
    expect(rig.engine.isFlattening).toBe(false);
  });

  it('a flatten is unfinished while an order of ours is open', () => {
    const rig = trading([]);
    rig.tick(60_000);
    rig.submit({ price: '50000' });
    rig.answer('place', placement());
    sendCommand(rig, FLATTEN);
    rig.pass(1);
    rig.poll([]);
    expect(states(rig)).toEqual(['wanted']);
    rig.answer('cancel', yes(null));
    for (let reads = 0; reads < 2; reads += 1)
      rig.answerOrderQuery(yes(reportOf(rig.engine.ledger.byKey(0).terms, { status: 'canceled' })));
    rig.pass(1);
    rig.poll([]);
    expect(states(rig)).toEqual(['wanted', 'flat']);
  });

  it('a command withdraws a flatten and its unsent exits', () => {
    const rig = trading([LONG]);
    sendCommand(rig, FLATTEN);
    rig.answer('place', no('locked', 423));
    sendCommand(rig, { kind: 'drop-flatten' }, 'c2');
    rig.pass(60_000);
    expect(states(rig)).toEqual(['wanted', 'withdrawn']);
    expect(rig.engine.ledger.byKey(0).ended).toBe(true);
    expect(exits(rig)).toEqual([]);
  });
});

describe('a flatten of a previous run', () => {
  /** The previous run ended with a refused exit: the position is open. */
  function left(): EngineRig {
    const rig = trading([LONG]);
    rig.records.unshift(...adopted());
    sendCommand(rig, FLATTEN);
    rig.answer('place', no('insufficient-balance'));
    return rig;
  }
  /** A rig whose journal holds the position as ours. */
  const adopted = () => {
    const rig = new EngineRig();
    sendCommand(rig, { kind: 'adopt', what: 'BTCUSDT' }, 'a');
    rig.startEngine([LONG]);
    return rig.records;
  };

  it('a flatten continues at the next start, under new ids, before any strategy starts', () => {
    const first = left();
    const rig = nextRun([first], [LONG]);
    expect(rig.host.eventLog).not.toContain('start');
    expect(exits(rig)).toHaveLength(1);
    const ids = [first, rig].map((each) => each.engine.ledger.all.map((o) => o.clientOrderId));
    expect(new Set(ids.flat()).size).toBe(2);
    rig.answer('place', placement());
    rig.answerOrderQuery(fillOf(rig, 1, '1'));
    rig.pass(1_000);
    rig.poll([]);
    expect(states(rig)).toEqual(['flat']);
    while (rig.pendingRequest('read-leverage') !== undefined)
      rig.answer('read-leverage', { kind: 'yes', value: d('2') });
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.host.eventLog).toContain('start');
  });

  it('strategies learn before their start what the flatten closed, in this run and before', () => {
    const first = left();
    const rig = nextRun([first], [LONG]);
    rig.answer('place', placement());
    rig.answerOrderQuery(fillOf(rig, 1, '1'));
    // It ends before the venue has shown it flat; the next run has nothing left to close.
    const last = nextRun([first, rig], []);
    for (let poll = 0; poll < 20 && last.engine.isFlattening; poll += 1) {
      last.pass(2_000);
      last.poll([]);
    }
    while (last.pendingRequest('read-leverage') !== undefined)
      last.answer('read-leverage', { kind: 'yes', value: d('2') });
    const entries = last.host.eventLog.filter((each) => /moved while down|^start/.test(each));
    expect(entries).toEqual(['moved while down BTCUSDT from 1', 'start']);
    expect(states(last)).toEqual(['flat']);
  });

  it('a flatten cancels entries of the previous run before anything else leaves', () => {
    const first = trading([LONG]);
    first.records.unshift(...adopted());
    first.tick(60_000);
    first.submit({ price: '50000' });
    first.answer('place', placement());
    first.submit({ ordinal: 1 }, 3_600_000);
    first.answer('place', no('locked', 423));
    const flatten = { type: 'flatten', commandId: 'c1', state: 'wanted', text: 'by hand' } as const;
    first.records.push({ ...flatten, venueTime: first.venueTime });
    const rig = nextRun([first], [LONG]);
    expect(rig.pendingRequest('cancel')).toMatchObject({ order: { orderId: 'v1' } });
    expect(rig.engine.ledger.byKey(1).ended).toBe(true);
  });

  it('a flatten of a flat account ends at once', () => {
    const rig = nextRun([left()], []);
    for (let poll = 0; poll < 20 && rig.engine.isFlattening; poll += 1) {
      rig.pass(2_000);
      rig.poll([]);
    }
    expect(states(rig)).toEqual(['flat']);
  });

  it('a dropped flatten is not carried out, in this run or the next', () => {
    const first = left();
    const second = nextRun([first], [LONG], { first: { kind: 'drop-flatten' } });
    expect(exits(second)).toEqual([]);
    expect(second.host.eventLog).toContain('start');
    const third = nextRun([first, second], [LONG]);
    expect(exits(third)).toEqual([]);
    expect(third.host.eventLog).toContain('start');
  });

  it('an operator’s session leaves a flatten to the next run, and opens nothing meanwhile', () => {
    const rig = nextRun([left()], [LONG], { manualSession: true });
    rig.tick(60_000);
    expect(exits(rig)).toEqual([]);
    const terms = { symbol: 'BTCUSDT', currency: 'USDT', side: 'buy', type: 'market' } as const;
    const order = { kind: 'order', validUntil: rig.venueTime + 10_000 } as const;
    const quantity = d<'quantity'>('0.002');
    sendCommand(rig, { ...order, terms: { ...terms, quantity, reduceOnly: false } }, 'c7');
    expect(rig.engine.counts.refusedBy.get('FLATTEN')?.count).toBe(1);
    const reduce = { ...terms, side: 'sell', quantity, reduceOnly: true } as const;
    sendCommand(rig, { ...order, terms: reduce }, 'c8');
    expect(exits(rig)).toHaveLength(1);
    expect(states(rig)).toEqual([]);
  });

  it('a flatten continues under the kill switch, which starts no strategy and sets no leverage', () => {
    const kill: OperatorCommand = { kind: 'kill', level: 'cancel', reason: 'KILL was found' };
    const rig = nextRun([left()], [LONG], { first: kill });
    expect(exits(rig)).toHaveLength(1);
    expect(rig.engine.isStartupComplete).toBe(true);
    rig.answer('place', placement());
    rig.answerOrderQuery(fillOf(rig, 1, '1'));
    rig.pass(1_000);
    rig.poll([]);
    expect(states(rig)).toEqual(['flat']);
    expect(rig.host.eventLog).not.toContain('start');
    expect(rig.sent.map(({ request }) => request.kind)).not.toContain('read-leverage');
  });

  describe('by the kill switch', () => {
    const kill: OperatorCommand = { kind: 'kill', level: 'flatten', reason: 'KILL exists' };

    it('closes at a start, and its strategies learn of it as of a change while they were down', () => {
      const first = trading([LONG]);
      first.records.unshift(...adopted());
      const rig = nextRun([first], [LONG], { first: kill });
      expect(exits(rig)).toHaveLength(1);
      rig.answer('place', placement());
      rig.answerOrderQuery(fillOf(rig, 0, '1'));
      rig.pass(1_000);
      rig.poll([]);
      expect(states(rig)).toEqual(['wanted', 'flat']);
      expect(rig.host.eventLog).not.toContain('start');
      expect(rig.host.eventLog).toContain('moved while down BTCUSDT from 1');
    });

    it('given twice, continues one flatten: no second exit for the same quantity', () => {
      const rig = trading([LONG]);
      sendCommand(rig, kill, 'c1');
      rig.answer('place', placement());
      sendCommand(rig, kill, 'c2');
      rig.pass(2_000);
      expect(rig.engine.ledger.all).toHaveLength(1);
      expect(states(rig)).toEqual(['wanted']);
    });
  });
});

it('a kill switch at a start cancels every order and closes nothing', () => {
  const first = trading([]);
  first.tick(60_000);
  first.submit({ price: '50000' });
  first.answer('place', placement());
  const kill: OperatorCommand = { kind: 'kill', level: 'cancel', reason: 'KILL was found' };
  const rig = nextRun([first], [], { first: kill });
  expect(rig.pendingRequest('cancel')).toMatchObject({ order: { orderId: 'v1' } });
  expect(exits(rig)).toEqual([]);
  expect(rig.host.eventLog).not.toContain('start');
});
