import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/harness/engine-rig.js';
import { no, placement, reportOf, unknown, yes } from '../../../test/harness/protocol-rig.js';
import { positionRow } from '../../../test/harness/position-row.js';
import { BTC, d } from '../../../test/harness/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import type { Command } from '../../core/events.js';
import { NO_EXPIRY } from '../../core/intent.js';
import { recover } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits.js';

const LONG = positionRow('1');
const DOGE = positionRow('3', { symbol: 'DOGEUSDT', positionId: 'p2' });
const FLATTEN: Command = { kind: 'stop', policy: 'flatten' };
const limits = { ...DEFAULT_LIMITS, symbolsAllow: new Set(['BTCUSDT']) };
const standard = () => createGate({ preset: 'standard', limits });

const say = (rig: EngineRig, command: Command, commandId = 'c1'): void => {
  rig.happen({ kind: 'command', commandId, command });
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

/** With what is the journal's, on a venue that lists DOGE too. */
function trading(rows: readonly PositionReport[], options: { readonly judged?: boolean } = {}) {
  const rig = new EngineRig({ ...(options.judged === true && { gate: standard() }) });
  rig.beginWith(rows);
  rig.happen({ kind: 'instruments', instruments: [{ ...BTC, symbol: 'DOGEUSDT' }] });
  return rig;
}

/** The next life of a rig, as far as its first picture of the account. */
function nextLife(
  before: readonly EngineRig[],
  rows: readonly PositionReport[],
  more: { readonly byHand?: boolean; readonly first?: Command } = {},
): EngineRig {
  const records = before.flatMap((rig) => rig.records);
  const { byHand = false, first } = more;
  const rig = new EngineRig({ recovered: recover(records, 'rig'), byHand, gate: standard() });
  rig.pass(300_000);
  if (first !== undefined) say(rig, first, 'first');
  const listed = [BTC, { ...BTC, symbol: 'DOGEUSDT' }];
  rig.happen({ kind: 'instruments', instruments: listed });
  if (rig.waiting('read-leverage') !== undefined)
    rig.answer('read-leverage', { kind: 'yes', value: d('2') });
  rig.poll(rows);
  rig.pass(300);
  if (rig.waiting('read-positions') !== undefined) rig.answer('read-positions', yes(rows));
  return rig;
}

describe('a flatten', () => {
  it('closes what the journal knows of a symbol that nothing trades any more', () => {
    const rig = trading([DOGE], { judged: true });
    say(rig, FLATTEN);
    expect(exits(rig)).toMatchObject([{ symbol: 'DOGEUSDT', side: 'sell', quantity: d('3') }]);
    expect(rig.engine.ledger.byKey(0).intent).toMatchObject({
      referencePrice: d('60000'),
      validUntil: NO_EXPIRY,
    });
  });

  it('says what it cannot close, once, and stays wanted', () => {
    const rig = trading([positionRow('1', { symbol: 'GONEUSDT' })]);
    say(rig, FLATTEN);
    rig.pass(20_000);
    const said = rig.notes.filter(({ text }) => text.includes('cannot close 1 GONEUSDT'));
    expect(said).toHaveLength(1);
    expect(rig.engine.flattening).toBe(true);
  });

  it('asks for the positions again where an answer does not come, and does not wait for the poll', () => {
    const rig = trading([LONG]);
    say(rig, FLATTEN);
    rig.answer('place', placement());
    rig.look(fillOf(rig, 0, '1'));
    rig.pass(1_000);
    rig.answer('read-positions', unknown());
    rig.pass(2_000);
    rig.answer('read-positions', yes([]));
    rig.pass(2_000);
    expect(states(rig)).toEqual(['wanted', 'flat']);
  });

  it('sends another exit where the one before was given up without a proof', () => {
    const rig = trading([LONG]);
    rig.tick(60_000);
    rig.submit({ side: 'sell', exit: true, quantity: '1' });
    rig.answer('place', unknown());
    say(rig, { kind: 'kill', level: 'cancel', reason: 'by hand' });
    rig.answer('cancel', no('order-not-found', 404));
    rig.miss();
    expect(rig.engine.ledger.byKey(0).state).toBe('quarantined');
    say(rig, { kind: 'kill', level: 'flatten', reason: 'by hand' }, 'c2');
    rig.pass(300);
    rig.poll([LONG]);
    rig.pass(500);
    expect(exits(rig)).toHaveLength(1);
  });

  it('is journaled before it begins, and at its end only when the venue shows the account flat', () => {
    const rig = trading([LONG]);
    const before = rig.records.length;
    say(rig, FLATTEN);
    const types = rig.records.slice(before).map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['command', 'flatten']);
    rig.answer('place', placement());
    rig.look(fillOf(rig, 0, '1'));
    expect(states(rig)).toEqual(['wanted']);
    expect(rig.engine.flattening).toBe(true);
    rig.pass(1_000);
    expect(rig.waiting('read-positions'), 'it does not wait for the poll').toBeDefined();
    rig.poll([]);
    expect(states(rig)).toEqual(['wanted', 'flat']);
    expect(rig.engine.flattening).toBe(false);
  });

  it('is not at its end while an order of ours is open', () => {
    const rig = trading([]);
    rig.tick(60_000);
    rig.submit({ price: '50000' });
    rig.answer('place', placement());
    say(rig, FLATTEN);
    rig.pass(1);
    rig.poll([]);
    expect(states(rig)).toEqual(['wanted']);
    rig.answer('cancel', yes(null));
    for (let reads = 0; reads < 2; reads += 1)
      rig.look(yes(reportOf(rig.engine.ledger.byKey(0).terms, { status: 'canceled' })));
    rig.pass(1);
    rig.poll([]);
    expect(states(rig)).toEqual(['wanted', 'flat']);
  });

  it('is withdrawn by a word, with the exits that have not left', () => {
    const rig = trading([LONG]);
    say(rig, FLATTEN);
    rig.answer('place', no('locked', 423));
    say(rig, { kind: 'drop-flatten' }, 'c2');
    rig.pass(60_000);
    expect(states(rig)).toEqual(['wanted', 'withdrawn']);
    expect(rig.engine.ledger.byKey(0).ended).toBe(true);
    expect(exits(rig)).toEqual([]);
  });
});

describe('a flatten that an earlier life left', () => {
  /** It died with an exit refused: the position stands. */
  function left(): EngineRig {
    const rig = trading([LONG]);
    rig.records.unshift(...adopted());
    say(rig, FLATTEN);
    rig.answer('place', no('insufficient-balance'));
    return rig;
  }
  /** A rig whose journal has the position as ours. */
  const adopted = () => {
    const rig = new EngineRig();
    say(rig, { kind: 'adopt', what: 'BTCUSDT' }, 'a');
    rig.begin([LONG]);
    return rig.records;
  };

  it('goes on at the next start, under another id, before a strategy is started', () => {
    const first = left();
    const rig = nextLife([first], [LONG]);
    expect(rig.host.heard).not.toContain('start');
    expect(exits(rig)).toHaveLength(1);
    const ids = [first, rig].map((each) => each.engine.ledger.all.map((o) => o.clientOrderId));
    expect(new Set(ids.flat()).size).toBe(2);
    rig.answer('place', placement());
    rig.look(fillOf(rig, 1, '1'));
    rig.pass(1_000);
    rig.poll([]);
    expect(states(rig)).toEqual(['flat']);
    while (rig.waiting('read-leverage') !== undefined)
      rig.answer('read-leverage', { kind: 'yes', value: d('2') });
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.host.heard).toContain('start');
  });

  it('tells who trades the symbol what it closed, in this life and before, ahead of their start', () => {
    const first = left();
    const rig = nextLife([first], [LONG]);
    rig.answer('place', placement());
    rig.look(fillOf(rig, 1, '1'));
    // It dies before the venue has shown it flat; the next life has nothing left to close.
    const last = nextLife([first, rig], []);
    for (let poll = 0; poll < 20 && last.engine.flattening; poll += 1) {
      last.pass(2_000);
      last.poll([]);
    }
    while (last.waiting('read-leverage') !== undefined)
      last.answer('read-leverage', { kind: 'yes', value: d('2') });
    const told = last.host.heard.filter((each) => /moved while down|^start/.test(each));
    expect(told).toEqual(['moved while down BTCUSDT from 1', 'start']);
    expect(states(last)).toEqual(['flat']);
  });

  it('takes entries of that life back before anything else leaves', () => {
    const first = trading([LONG]);
    first.records.unshift(...adopted());
    first.tick(60_000);
    first.submit({ price: '50000' });
    first.answer('place', placement());
    first.submit({ ordinal: 1 }, 3_600_000);
    first.answer('place', no('locked', 423));
    const flatten = { type: 'flatten', commandId: 'c1', state: 'wanted', text: 'by hand' } as const;
    first.records.push({ ...flatten, venueTime: first.venueTime });
    const rig = nextLife([first], [LONG]);
    expect(rig.waiting('cancel')).toMatchObject({ order: { orderId: 'v1' } });
    expect(rig.engine.ledger.byKey(1).ended).toBe(true);
  });

  it('is at its end when it is flat already', () => {
    const rig = nextLife([left()], []);
    for (let poll = 0; poll < 20 && rig.engine.flattening; poll += 1) {
      rig.pass(2_000);
      rig.poll([]);
    }
    expect(states(rig)).toEqual(['flat']);
  });

  it('is not carried out after a word that drops it, nor in the life after that', () => {
    const first = left();
    const second = nextLife([first], [LONG], { first: { kind: 'drop-flatten' } });
    expect(exits(second)).toEqual([]);
    expect(second.host.heard).toContain('start');
    const third = nextLife([first, second], [LONG]);
    expect(exits(third)).toEqual([]);
    expect(third.host.heard).toContain('start');
  });

  it("is left to the next run by a person's session, which opens nothing meanwhile", () => {
    const rig = nextLife([left()], [LONG], { byHand: true });
    rig.tick(60_000);
    expect(exits(rig)).toEqual([]);
    const terms = { symbol: 'BTCUSDT', currency: 'USDT', side: 'buy', type: 'market' } as const;
    const order = { kind: 'order', validUntil: rig.venueTime + 10_000 } as const;
    const quantity = d<'quantity'>('0.002');
    say(rig, { ...order, terms: { ...terms, quantity, reduceOnly: false } }, 'c7');
    expect(rig.engine.counts.refusedBy.get('FLATTEN')?.count).toBe(1);
    const reduce = { ...terms, side: 'sell', quantity, reduceOnly: true } as const;
    say(rig, { ...order, terms: reduce }, 'c8');
    expect(exits(rig)).toHaveLength(1);
    expect(states(rig)).toEqual([]);
  });

  it('goes on under the kill switch, which starts no strategy and sets no leverage', () => {
    const kill: Command = { kind: 'kill', level: 'cancel', reason: 'KILL was found' };
    const rig = nextLife([left()], [LONG], { first: kill });
    expect(exits(rig)).toHaveLength(1);
    expect(rig.engine.begun).toBe(true);
    rig.answer('place', placement());
    rig.look(fillOf(rig, 1, '1'));
    rig.pass(1_000);
    rig.poll([]);
    expect(states(rig)).toEqual(['flat']);
    expect(rig.host.heard).not.toContain('start');
    expect(rig.sent.map(({ request }) => request.kind)).not.toContain('read-leverage');
  });
});

it('a kill switch that a start finds takes back every order and closes nothing', () => {
  const first = trading([]);
  first.tick(60_000);
  first.submit({ price: '50000' });
  first.answer('place', placement());
  const kill: Command = { kind: 'kill', level: 'cancel', reason: 'KILL was found' };
  const rig = nextLife([first], [], { first: kill });
  expect(rig.waiting('cancel')).toMatchObject({ order: { orderId: 'v1' } });
  expect(exits(rig)).toEqual([]);
  expect(rig.host.heard).not.toContain('start');
});
