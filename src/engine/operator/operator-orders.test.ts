import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/harness/engine-rig.js';
import { no, placement, reportOf, unknown, yes } from '../../../test/harness/protocol-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import type { Command } from '../../core/events.js';
import {
  encodeJournalRecord,
  decodeJournalRecord,
} from '../../execution/journal/journal-record.js';
import { recover } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits.js';
import { Engine } from '../engine.js';
import { operatorSeat } from './operator-seat.js';

type OrderCommand = Extract<Command, { kind: 'order' }>;

/** An engine with a person's seat, that trades BTC at 60,000. */
function atDesk(options: { readonly judged?: boolean } = {}): EngineRig {
  const seats = [operatorSeat({ symbol: 'BTCUSDT', leverage: d('2') })];
  const limits = { ...DEFAULT_LIMITS, symbolsAllow: new Set(['BTCUSDT']) };
  const rig = new EngineRig({
    seats,
    ...(options.judged === true && { gate: createGate({ preset: 'standard', limits }) }),
  });
  rig.begin();
  rig.poll();
  rig.tick(60_000, 60_000);
  return rig;
}

const say = (rig: EngineRig, command: Command, commandId = 'c1'): void => {
  rig.happen({ kind: 'command', commandId, command });
};
const buy = (rig: EngineRig, quantity = '0.004', price?: string): OrderCommand => ({
  kind: 'order',
  terms: {
    symbol: 'BTCUSDT',
    currency: 'USDT',
    side: 'buy',
    type: price === undefined ? 'market' : 'limit',
    quantity: d(quantity),
    ...(price !== undefined && { price: d<'price'>(price) }),
    reduceOnly: false,
  },
  validUntil: rig.venueTime + 10_000,
});
const order = (rig: EngineRig, key: number) => rig.engine.ledger.byKey(key);
const refusals = (rig: EngineRig) => [...rig.engine.counts.refusedBy.keys()];

describe('an order by hand', () => {
  it('is journaled as a word, a verdict and an intent before it leaves', () => {
    const rig = atDesk();
    const before = rig.records.length;
    say(rig, buy(rig));
    const records = rig.records.slice(before);
    expect(records.map(({ type }) => type)).toEqual(['command', 'verdict', 'intent', 'attempt']);
    expect(records[2]).toMatchObject({
      strategyId: 'operator',
      decisionKey: 'operator:c1#0',
      cause: { kind: 'operator', commandId: 'c1' },
    });
    expect(rig.waiting('place')?.terms.quantity).toBe(d('0.004'));
    for (const record of records)
      expect(decodeJournalRecord(encodeJournalRecord(record))).toEqual(record);
  });

  it('is brought to its proof by the protocol of every order', () => {
    const rig = atDesk();
    say(rig, buy(rig));
    rig.answer('place', unknown());
    expect(order(rig, 0).state).toBe('verifying');
    rig.look(
      yes(reportOf(order(rig, 0).terms, { status: 'filled', filled: '0.004', average: '60000' })),
    );
    expect(order(rig, 0).state).toBe('filled');
    expect(rig.engine.positions.quantity('BTCUSDT', 'USDT')).toBe(d('0.004'));
  });

  it('is refused by the gate, and by nothing weaker', () => {
    const rig = atDesk({ judged: true });
    say(rig, buy(rig, '1'));
    expect(refusals(rig)).toEqual(['R01']);
    expect(rig.waiting('place')).toBeUndefined();
  });

  it('is given once: the same word again makes no second order', () => {
    const rig = atDesk();
    say(rig, buy(rig));
    say(rig, buy(rig));
    expect(rig.engine.ledger.all).toHaveLength(1);
    say(rig, buy(rig), 'c2');
    expect(order(rig, 1).clientOrderId).not.toBe(order(rig, 0).clientOrderId);
  });

  it('is refused while no price is known', () => {
    const rig = new EngineRig({ seats: [operatorSeat({ symbol: 'BTCUSDT', leverage: d('2') })] });
    rig.begin();
    say(rig, buy(rig));
    expect(refusals(rig)).toEqual(['PRICE']);
  });

  it('does not leave after its validity', () => {
    const rig = atDesk();
    say(rig, { ...buy(rig), validUntil: rig.venueTime - 1 });
    expect(order(rig, 0).state).toBe('dropped');
    expect(rig.waiting('place')).toBeUndefined();
  });
});

/** A limit buy of 0.004 at 50,000 that rests at the venue. */
function withResting(options: { readonly judged?: boolean } = {}): EngineRig {
  const rig = atDesk(options);
  say(rig, buy(rig, '0.004', '58000'));
  rig.answer('place', placement('v1'));
  rig.look(yes(reportOf(order(rig, 0).terms)));
  rig.pass(1);
  return rig;
}

const amend = (rig: EngineRig, price: string, quantity: string): Command => ({
  kind: 'amend',
  clientOrderId: order(rig, 0).clientOrderId,
  price: d(price),
  quantity: d(quantity),
  validUntil: rig.venueTime + 60_000,
});
const canceled = (filled = '0') =>
  ({ status: 'canceled', filled, ...(filled !== '0' && { average: '58000' }) }) as const;
const places = (rig: EngineRig) =>
  rig.sent.flatMap(({ request }) => (request.kind === 'place' ? [request.terms] : []));

describe('a strategy on the same symbol', () => {
  it('waits for an order by hand that is on its way, and not for one that rests', () => {
    const rig = EngineRig.trading();
    rig.happen({ kind: 'command', commandId: 'c1', command: buy(rig, '0.004', '58000') });
    expect(rig.host.world.working('BTCUSDT')).toHaveLength(1);
    rig.answer('place', placement('v1'));
    expect(rig.host.world.working('BTCUSDT')).toEqual([]);
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').longest, 'the gate counts it').toBe(d('0.004'));
    rig.look(
      yes(reportOf(order(rig, 0).terms, { status: 'filled', filled: '0.004', average: '58000' })),
    );
    expect(rig.host.heard).toContain('moved BTCUSDT');
  });

  it('waits for its own order that rests', () => {
    const rig = EngineRig.trading();
    rig.submit({ price: '58000' });
    rig.answer('place', placement('v1'));
    expect(rig.host.world.working('BTCUSDT')).toHaveLength(1);
  });
});

describe('a cancel by hand', () => {
  it('takes back an order of ours', () => {
    const rig = withResting();
    say(rig, { kind: 'cancel', clientOrderId: order(rig, 0).clientOrderId }, 'c2');
    rig.answer('cancel', yes(null));
    rig.look(yes(reportOf(order(rig, 0).terms, canceled())));
    rig.look(yes(reportOf(order(rig, 0).terms, canceled())));
    expect(order(rig, 0).state).toBe('canceled');
  });

  it('of what is not ours is said, and nothing is sent', () => {
    const rig = withResting();
    say(rig, { kind: 'cancel', clientOrderId: 'foreign-1' }, 'c2');
    expect(rig.waiting('cancel')).toBeUndefined();
    expect(rig.notes.at(-1)?.text).toContain('foreign-1 is no order of ours');
  });
});

describe('a person who says that an order never landed', () => {
  const resolve = (rig: EngineRig, clientOrderId: string): void => {
    say(rig, { kind: 'resolve', clientOrderId, as: 'never-landed' }, 'c2');
  };

  it('ends one whose outcome is not proved, and frees its room', () => {
    const rig = atDesk();
    say(rig, buy(rig));
    rig.answer('place', unknown());
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('0.004'));
    resolve(rig, order(rig, 0).clientOrderId);
    expect(order(rig, 0).state).toBe('canceled');
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('0'));
    expect(rig.records.slice(-2)).toMatchObject([
      { type: 'command', command: { kind: 'resolve', as: 'never-landed' } },
      {
        type: 'update',
        status: 'canceled',
        final: true,
        reason: 'a person says that it never landed',
      },
    ]);
    expect(recover(rig.records, 'rig').orders.map(({ state }) => state)).toEqual(['canceled']);
  });

  it('ends one whose attempt an earlier life left without an answer, before anything starts', () => {
    const before = atDesk();
    say(before, buy(before));
    const rig = new EngineRig({ recovered: recover(before.records, 'rig') });
    expect(order(rig, 0).state).toBe('sent');
    resolve(rig, order(rig, 0).clientOrderId);
    expect(order(rig, 0).state).toBe('canceled');
    rig.begin();
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.waiting('find-order')).toBeUndefined();
  });

  it('is told that an order whose answer is awaited, or that the venue has, is not resolved', () => {
    const rig = atDesk();
    say(rig, buy(rig, '0.004', '58000'));
    const { clientOrderId } = order(rig, 0);
    resolve(rig, clientOrderId);
    expect(order(rig, 0).state).toBe('sent');
    rig.answer('place', placement('v1'));
    resolve(rig, clientOrderId);
    expect(order(rig, 0).state).toBe('accepted');
    expect(rig.notes.at(-1)?.text).toContain('is not resolved');
  });

  it('halts by its id when it is open at the venue after all, until that is adopted', () => {
    const rig = atDesk();
    say(rig, buy(rig, '0.004', '58000'));
    rig.answer('place', unknown());
    const { clientOrderId, terms } = order(rig, 0);
    resolve(rig, clientOrderId);
    rig.poll([], [{ ...reportOf(terms), clientOrderId }]);
    expect(rig.engine.haltReason).toContain(clientOrderId);
    const later = new EngineRig({ recovered: recover(rig.records, 'rig') });
    say(later, { kind: 'adopt', what: clientOrderId }, 'c3');
    later.begin();
    later.poll([], [{ ...reportOf(terms), clientOrderId }]);
    expect(later.engine.haltReason).toBeUndefined();
    expect(later.engine.foreign.orders).toHaveLength(1);
  });
});

describe('an amendment', () => {
  it('places the new order only when the old one is proved to be over', () => {
    const rig = withResting();
    say(rig, amend(rig, '57000', '0.006'), 'c2');
    rig.answer('cancel', yes(null));
    rig.look(yes(reportOf(order(rig, 0).terms, canceled())));
    expect(places(rig)).toEqual([]);
    rig.look(yes(reportOf(order(rig, 0).terms, canceled())));
    expect(places(rig)).toMatchObject([{ price: d('57000'), quantity: d('0.006') }]);
  });

  it.each([
    { filled: '0.001', placed: [d('0.005')] },
    { filled: '0.004', placed: [d('0.002')] },
  ])('places what $filled filled of the old one leave', ({ filled, placed }) => {
    const rig = withResting();
    say(rig, amend(rig, '57000', '0.006'), 'c2');
    rig.answer('cancel', filled === '0.004' ? no('order-not-open') : yes(null));
    const status = filled === '0.004' ? 'filled' : 'canceled';
    const report = reportOf(order(rig, 0).terms, { status, filled, average: '58000' });
    rig.look(yes(report));
    if (!order(rig, 0).ended) rig.look(yes(report));
    expect(places(rig).map(({ quantity }) => quantity)).toEqual(placed);
  });

  it('of an order that filled in full meanwhile places nothing', () => {
    const rig = withResting();
    say(rig, amend(rig, '57000', '0.004'), 'c2');
    rig.answer('cancel', no('order-not-open'));
    const filled = { status: 'filled', filled: '0.004', average: '58000' } as const;
    rig.look(yes(reportOf(order(rig, 0).terms, filled)));
    expect(rig.engine.ledger.all).toHaveLength(1);
    expect(rig.notes.at(-1)?.text).toContain('nothing is left');
  });

  it('that the gate would refuse leaves the old order as it is', () => {
    const rig = withResting({ judged: true });
    rig.pass(6_000);
    rig.tick(60_000, 60_000);
    rig.poll();
    say(rig, amend(rig, '57000', '1'), 'c2');
    expect(rig.waiting('cancel')).toBeUndefined();
    expect(refusals(rig)).toEqual(['R01']);
    expect(order(rig, 0).state).toBe('accepted');
  });

  it('within the window of duplicates is refused while nothing is lost yet', () => {
    const rig = withResting({ judged: true });
    say(rig, amend(rig, '57000', '0.004'), 'c2');
    expect(rig.waiting('cancel')).toBeUndefined();
    expect(refusals(rig)).toEqual(['R08']);
  });

  it('waits for the old order for as long as nobody has proved its end', () => {
    const rig = withResting();
    say(rig, amend(rig, '57000', '0.004'), 'c2');
    rig.answer('cancel', unknown());
    rig.look(yes(reportOf(order(rig, 0).terms)));
    rig.look(yes(reportOf(order(rig, 0).terms)));
    expect(places(rig)).toEqual([]);
  });
});

it('an operation is journaled and does nothing else', () => {
  const rig = atDesk();
  const before = rig.sent.length;
  const command: Command = {
    kind: 'operation',
    what: 'transfer',
    phase: 'begun',
    text: '10 USDT to futures',
  };
  say(rig, command);
  expect(rig.records.at(-1)).toMatchObject({ type: 'command', command });
  expect(rig.sent).toHaveLength(before);
});

it('a word is journaled before the engine has begun', () => {
  const rig = new EngineRig();
  rig.happen({
    kind: 'command',
    commandId: 'c1',
    command: { kind: 'operation', what: 'leverage', phase: 'begun', text: '' },
  });
  expect(rig.records.map(({ type }) => type)).toEqual(['command']);
  expect(rig.engine).toBeInstanceOf(Engine);
});
