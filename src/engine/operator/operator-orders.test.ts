import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { no, placement, reportOf, unknown, yes } from '../../../test/support/rigs/protocol-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import type { OperatorCommand } from '../../core/events.js';
import {
  encodeJournalRecord,
  decodeJournalRecord,
} from '../../execution/journal/journal-record.js';
import { recover } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';
import { Engine } from '../engine.js';
import { manualTrading } from './manual-trading.js';

type OrderCommand = Extract<OperatorCommand, { kind: 'order' }>;

/** An engine of an operator's session that trades BTC at 60,000. */
function manualRig(options: { readonly judged?: boolean } = {}): EngineRig {
  const strategies = [manualTrading({ symbol: 'BTCUSDT', leverage: d('2') })];
  const limits = { ...DEFAULT_LIMITS, symbolsAllow: new Set(['BTCUSDT']) };
  const rig = new EngineRig({
    strategies,
    ...(options.judged === true && { gate: createGate({ preset: 'standard', limits }) }),
  });
  rig.startEngine();
  rig.poll();
  rig.tick(60_000, 60_000);
  return rig;
}

const sendCommand = (rig: EngineRig, command: OperatorCommand, commandId = 'c1'): void => {
  rig.handle({ kind: 'command', commandId, command });
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

describe('a manual order', () => {
  it('a manual order is journaled as command, verdict and intent before it leaves', () => {
    const rig = manualRig();
    const before = rig.records.length;
    sendCommand(rig, buy(rig));
    const records = rig.records.slice(before);
    expect(records.map(({ type }) => type)).toEqual(['command', 'verdict', 'intent', 'attempt']);
    expect(records[2]).toMatchObject({
      strategyId: 'operator',
      decisionKey: 'operator:c1#0',
      cause: { kind: 'operator', commandId: 'c1' },
    });
    expect(rig.pendingRequest('place')?.terms.quantity).toBe(d('0.004'));
    for (const record of records)
      expect(decodeJournalRecord(encodeJournalRecord(record))).toEqual(record);
  });

  it('the order protocol resolves a manual order like any other', () => {
    const rig = manualRig();
    sendCommand(rig, buy(rig));
    rig.answer('place', unknown());
    expect(order(rig, 0).state).toBe('verifying');
    rig.answerOrderQuery(
      yes(reportOf(order(rig, 0).terms, { status: 'filled', filled: '0.004', average: '60000' })),
    );
    expect(order(rig, 0).state).toBe('filled');
    expect(rig.engine.positions.quantity('BTCUSDT', 'USDT')).toBe(d('0.004'));
  });

  it('the gate refuses a manual order like any other', () => {
    const rig = manualRig({ judged: true });
    sendCommand(rig, buy(rig, '1'));
    expect(refusals(rig)).toEqual(['R01']);
    expect(rig.pendingRequest('place')).toBeUndefined();
  });

  it('a repeated command makes no second order', () => {
    const rig = manualRig();
    sendCommand(rig, buy(rig));
    sendCommand(rig, buy(rig));
    expect(rig.engine.ledger.all).toHaveLength(1);
    sendCommand(rig, buy(rig), 'c2');
    expect(order(rig, 1).clientOrderId).not.toBe(order(rig, 0).clientOrderId);
  });

  it('a manual order is refused while no price is known', () => {
    const rig = new EngineRig({
      strategies: [manualTrading({ symbol: 'BTCUSDT', leverage: d('2') })],
    });
    rig.startEngine();
    sendCommand(rig, buy(rig));
    expect(refusals(rig)).toEqual(['PRICE']);
  });

  it('a manual order does not leave after its validity', () => {
    const rig = manualRig();
    sendCommand(rig, { ...buy(rig), validUntil: rig.venueTime - 1 });
    expect(order(rig, 0).state).toBe('dropped');
    expect(rig.pendingRequest('place')).toBeUndefined();
  });
});

/** A limit buy of 0.004 at 50,000 that rests at the venue. */
function withResting(options: { readonly judged?: boolean } = {}): EngineRig {
  const rig = manualRig(options);
  sendCommand(rig, buy(rig, '0.004', '58000'));
  rig.answer('place', placement('v1'));
  rig.answerOrderQuery(yes(reportOf(order(rig, 0).terms)));
  rig.pass(1);
  return rig;
}

const amend = (rig: EngineRig, price: string, quantity: string): OperatorCommand => ({
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

describe('a strategy on the symbol of a manual order', () => {
  it('a strategy waits for a manual order in flight, and not for a resting one', () => {
    const rig = EngineRig.trading();
    rig.handle({ kind: 'command', commandId: 'c1', command: buy(rig, '0.004', '58000') });
    expect(rig.host.world.workingOrders('BTCUSDT')).toHaveLength(1);
    rig.answer('place', placement('v1'));
    expect(rig.host.world.workingOrders('BTCUSDT')).toEqual([]);
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').maxPosition, 'the gate counts it').toBe(
      d('0.004'),
    );
    rig.answerOrderQuery(
      yes(reportOf(order(rig, 0).terms, { status: 'filled', filled: '0.004', average: '58000' })),
    );
    expect(rig.host.eventLog).toContain('moved BTCUSDT');
  });

  it('a strategy waits for its own resting order', () => {
    const rig = EngineRig.trading();
    rig.submit({ price: '58000' });
    rig.answer('place', placement('v1'));
    expect(rig.host.world.workingOrders('BTCUSDT')).toHaveLength(1);
  });
});

describe('a manual cancel', () => {
  it('a manual cancel cancels an order of ours', () => {
    const rig = withResting();
    sendCommand(rig, { kind: 'cancel', clientOrderId: order(rig, 0).clientOrderId }, 'c2');
    rig.answer('cancel', yes(null));
    rig.answerOrderQuery(yes(reportOf(order(rig, 0).terms, canceled())));
    rig.answerOrderQuery(yes(reportOf(order(rig, 0).terms, canceled())));
    expect(order(rig, 0).state).toBe('canceled');
  });

  it('a manual cancel of an external order is reported, and nothing is sent', () => {
    const rig = withResting();
    sendCommand(rig, { kind: 'cancel', clientOrderId: 'foreign-1' }, 'c2');
    expect(rig.pendingRequest('cancel')).toBeUndefined();
    expect(rig.notes.at(-1)?.text).toContain('foreign-1 is no order of ours');
  });
});

describe('a resolution as never landed', () => {
  const resolve = (rig: EngineRig, clientOrderId: string): void => {
    sendCommand(rig, { kind: 'resolve', clientOrderId, as: 'never-landed' }, 'c2');
  };

  it('it ends an unproved order, and frees its exposure', () => {
    const rig = manualRig();
    sendCommand(rig, buy(rig));
    rig.answer('place', unknown());
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('0.004'));
    resolve(rig, order(rig, 0).clientOrderId);
    expect(order(rig, 0).state).toBe('canceled');
    expect(rig.engine.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('0'));
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

  it('it ends an unanswered order of a previous run, before the first trade', () => {
    const before = manualRig();
    sendCommand(before, buy(before));
    const rig = new EngineRig({ recovered: recover(before.records, 'rig') });
    expect(order(rig, 0).state).toBe('sent');
    resolve(rig, order(rig, 0).clientOrderId);
    expect(order(rig, 0).state).toBe('canceled');
    rig.startEngine();
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.pendingRequest('find-order')).toBeUndefined();
  });

  it('it refuses an order that awaits its answer, or that the venue has', () => {
    const rig = manualRig();
    sendCommand(rig, buy(rig, '0.004', '58000'));
    const { clientOrderId } = order(rig, 0);
    resolve(rig, clientOrderId);
    expect(order(rig, 0).state).toBe('sent');
    rig.answer('place', placement('v1'));
    resolve(rig, clientOrderId);
    expect(order(rig, 0).state).toBe('accepted');
    expect(rig.notes.at(-1)?.text).toContain('is not resolved');
  });

  it('a resolved order that is open at the venue halts until it is adopted', () => {
    const rig = manualRig();
    sendCommand(rig, buy(rig, '0.004', '58000'));
    rig.answer('place', unknown());
    const { clientOrderId, terms } = order(rig, 0);
    resolve(rig, clientOrderId);
    rig.poll([], [{ ...reportOf(terms), clientOrderId }]);
    expect(rig.engine.haltReason).toContain(clientOrderId);
    const later = new EngineRig({ recovered: recover(rig.records, 'rig') });
    sendCommand(later, { kind: 'adopt', what: clientOrderId }, 'c3');
    later.startEngine();
    later.poll([], [{ ...reportOf(terms), clientOrderId }]);
    expect(later.engine.haltReason).toBeUndefined();
    expect(later.engine.external.orders).toHaveLength(1);
  });
});

describe('an amendment', () => {
  it('an amendment places the new order only after the proved end of the old one', () => {
    const rig = withResting();
    sendCommand(rig, amend(rig, '57000', '0.006'), 'c2');
    rig.answer('cancel', yes(null));
    rig.answerOrderQuery(yes(reportOf(order(rig, 0).terms, canceled())));
    expect(places(rig)).toEqual([]);
    rig.answerOrderQuery(yes(reportOf(order(rig, 0).terms, canceled())));
    expect(places(rig)).toMatchObject([{ price: d('57000'), quantity: d('0.006') }]);
  });

  it.each([
    { filled: '0.001', placed: [d('0.005')] },
    { filled: '0.004', placed: [d('0.002')] },
  ])('an amendment places the remaining quantity after a fill of $filled', ({ filled, placed }) => {
    const rig = withResting();
    sendCommand(rig, amend(rig, '57000', '0.006'), 'c2');
    rig.answer('cancel', filled === '0.004' ? no('order-not-open') : yes(null));
    const status = filled === '0.004' ? 'filled' : 'canceled';
    const report = reportOf(order(rig, 0).terms, { status, filled, average: '58000' });
    rig.answerOrderQuery(yes(report));
    if (!order(rig, 0).ended) rig.answerOrderQuery(yes(report));
    expect(places(rig).map(({ quantity }) => quantity)).toEqual(placed);
  });

  it('an amendment of a fully filled order places nothing', () => {
    const rig = withResting();
    sendCommand(rig, amend(rig, '57000', '0.004'), 'c2');
    rig.answer('cancel', no('order-not-open'));
    const filled = { status: 'filled', filled: '0.004', average: '58000' } as const;
    rig.answerOrderQuery(yes(reportOf(order(rig, 0).terms, filled)));
    expect(rig.engine.ledger.all).toHaveLength(1);
    expect(rig.notes.at(-1)?.text).toContain('nothing is left');
  });

  it('an amendment that the gate would refuse leaves the old order unchanged', () => {
    const rig = withResting({ judged: true });
    rig.pass(6_000);
    rig.tick(60_000, 60_000);
    rig.poll();
    sendCommand(rig, amend(rig, '57000', '1'), 'c2');
    expect(rig.pendingRequest('cancel')).toBeUndefined();
    expect(refusals(rig)).toEqual(['R01']);
    expect(order(rig, 0).state).toBe('accepted');
  });

  it('an amendment within the duplicate window is refused before the cancel', () => {
    const rig = withResting({ judged: true });
    sendCommand(rig, amend(rig, '57000', '0.004'), 'c2');
    expect(rig.pendingRequest('cancel')).toBeUndefined();
    expect(refusals(rig)).toEqual(['R08']);
  });

  it('an amendment waits for the proved end of the old order', () => {
    const rig = withResting();
    sendCommand(rig, amend(rig, '57000', '0.004'), 'c2');
    rig.answer('cancel', unknown());
    rig.answerOrderQuery(yes(reportOf(order(rig, 0).terms)));
    rig.answerOrderQuery(yes(reportOf(order(rig, 0).terms)));
    expect(places(rig)).toEqual([]);
  });
});

it('an operation command is journaled and does nothing else', () => {
  const rig = manualRig();
  const before = rig.sent.length;
  const command: OperatorCommand = {
    kind: 'operation',
    what: 'transfer',
    phase: 'begun',
    text: '10 USDT to futures',
  };
  sendCommand(rig, command);
  expect(rig.records.at(-1)).toMatchObject({ type: 'command', command });
  expect(rig.sent).toHaveLength(before);
});

it('a command before the start is journaled', () => {
  const rig = new EngineRig();
  rig.handle({
    kind: 'command',
    commandId: 'c1',
    command: { kind: 'operation', what: 'leverage', phase: 'begun', text: '' },
  });
  expect(rig.records.map(({ type }) => type)).toEqual(['command']);
  expect(rig.engine).toBeInstanceOf(Engine);
});
