import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../test/support/rigs/engine-rig.js';
import { no, placement, reportOf, yes } from '../../test/support/rigs/protocol-rig.js';
import { d } from '../../test/support/builders/risk-case.js';
import { AssertionError } from '../core/assert.js';
import { createGate } from '../risk/gate.js';
import { DEFAULT_LIMITS } from '../risk/limits/risk-limits.js';

describe('an intent in the engine', () => {
  it('an accepted intent is journaled and sent, and its fill and end reach its strategy', () => {
    const rig = EngineRig.trading();
    expect(rig.submit({ quantity: '1' })).toBe('accepted');
    expect(rig.records.slice(-3).map((record) => record.type)).toEqual([
      'verdict',
      'intent',
      'attempt',
    ]);
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.host.eventLog.length = 0;
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60001' })));
    expect(rig.host.eventLog).toEqual(['fill buy 100000000 6000100000000', 'ended 0 filled']);
    expect(rig.engine.counts).toMatchObject({
      intents: 1,
      refused: 0,
      ordersPlaced: 1,
      ordersFilled: 1,
      fills: 1,
      firstFillAt: rig.monotonic,
    });
    expect(rig.engine.positions.entryPrice('BTCUSDT', 'USDT')).toBe(d('60001'));
  });

  it('a refused intent is journaled and explained with the reason', () => {
    const rig = EngineRig.trading({
      gate: createGate({ preset: 'standard', limits: DEFAULT_LIMITS }),
    });
    expect(rig.submit({ quantity: '1' })).toBe('refused');
    const verdict = rig.records.at(-1);
    expect(verdict).toMatchObject({ type: 'verdict', ok: false, phase: 'decide' });
    const [[control, { count, lastText }] = ['', { count: 0, lastText: '' }]] = [
      ...rig.engine.counts.refusedBy,
    ];
    expect(verdict).toMatchObject({ control, text: lastText });
    expect(count).toBe(1);
    expect(rig.notes.at(-1)).toMatchObject({ level: 'warn', fields: { control } });
    expect(rig.sent).toEqual([]);
  });

  it('an intent is judged again when its permit is granted', () => {
    const rig = EngineRig.trading({
      gate: createGate({
        preset: 'standard',
        limits: { ...DEFAULT_LIMITS, symbolsAllow: new Set(['BTCUSDT']) },
      }),
    });
    rig.poll();
    rig.tick(60_000, 60_000);
    const intent = { quantity: '0.001', stopLoss: '59000' };
    expect(rig.submit(intent), JSON.stringify(rig.records.at(-1))).toBe('accepted');
    rig.answer('place', no('rate-limited', 429));
    rig.engine.halt('by a test');
    rig.pass(1_000);
    expect(rig.pendingRequest('place')).toBeUndefined();
    expect(rig.engine.ledger.byKey(0).state).toBe('rejected');
    expect(rig.host.eventLog.at(-1)).toBe('ended 0 rejected');
  });

  it('equal events make equal client order ids', () => {
    const ids = [1, 2].map(() => {
      const rig = EngineRig.trading();
      rig.submit({ quantity: '1' });
      return rig.engine.ledger.byKey(0).clientOrderId;
    });
    expect(ids[0]).toBe(ids[1]);
  });
});

describe('the port of a strategy', () => {
  it('a strategy sees its own working orders and cannot cancel another strategy’s', () => {
    const rig = EngineRig.trading({
      hosts: [
        { id: 'cross', interval: '1m' },
        { id: 'other', interval: '1m', symbols: ['BTCUSDT'] },
      ],
    });
    const [own, other] = rig.hosts;
    expect(own?.world.workingOrders('BTCUSDT')).toEqual([]);
    rig.submit({ quantity: '2', price: '59000' });
    expect(own?.world.workingOrders('BTCUSDT')).toEqual([
      {
        key: 0,
        side: 'buy',
        type: 'limit',
        reduceOnly: false,
        remaining: d('2'),
        price: d('59000'),
      },
    ]);
    other?.world.cancel(0);
    expect(rig.engine.ledger.byKey(0).cancelState).toBe('none');
    expect(rig.notes.at(-1)).toMatchObject({ level: 'error' });
    own?.world.cancel(0);
    expect(rig.engine.ledger.byKey(0).cancelState).toBe('wanted');
  });

  it('a strategy’s timer fires at its venue time', () => {
    const rig = EngineRig.trading();
    rig.host.world.setTimer(rig.venueTime + 500, 'mine');
    rig.pass(499);
    expect(rig.host.eventLog).not.toContain('timer mine');
    rig.pass(1);
    expect(rig.host.eventLog).toContain('timer mine');
  });
});

describe('a strategy whose worker failed', () => {
  it('the event of a failed worker reaches its own strategy alone', () => {
    const rig = EngineRig.trading();
    const lost = { kind: 'strategy-lost', call: 7, reason: 'gone' } as const;
    rig.handle({ ...lost, strategy: 'another' });
    expect(rig.host.eventLog).not.toContain('lost gone');
    rig.handle({ ...lost, strategy: rig.host.id });
    expect(rig.host.eventLog).toContain('lost gone');
  });
});

describe('a failed journal', () => {
  it('a failed journal halts the engine', () => {
    const rig = EngineRig.trading();
    rig.handle({ kind: 'journal-failed', reason: 'no space' });
    expect(rig.engine.mode).toBe('HALTED');
    expect(rig.engine.haltReason).toContain('no space');
  });

  it('a halt keeps its first reason and reports each reason once', () => {
    const rig = EngineRig.trading();
    const errors = () => rig.notes.filter(({ level }) => level === 'error').length;
    rig.engine.halt('first');
    rig.engine.halt('first');
    expect(errors()).toBe(1);
    rig.engine.halt('second');
    expect(rig.engine.haltReason).toBe('first');
  });
});

describe('the engine', () => {
  it('the engine asserts that the venue lists every traded symbol', () => {
    const rig = new EngineRig();
    expect(() => {
      rig.handle({ kind: 'instruments', instruments: [] });
    }).toThrow(AssertionError);
  });

  it('the engine reports when the feed goes down and comes up', () => {
    const rig = new EngineRig();
    rig.handle({ kind: 'feed', up: false, reason: 'gone' });
    rig.handle({ kind: 'feed', up: true, reason: 'back' });
    expect(rig.notes).toEqual([
      { level: 'warn', text: 'market data is down: gone' },
      { level: 'info', text: 'market data is up: back' },
    ]);
  });

  it('the engine ignores timers and permits without a waiter', () => {
    const rig = EngineRig.trading();
    rig.handle({ kind: 'timer', key: 't9999' });
    rig.handle({ kind: 'slot', requestId: 9_999 });
    expect(rig.sent).toEqual([]);
  });

  it('the engine asserts that a reply belongs to a pending request', () => {
    const rig = EngineRig.trading();
    expect(() => {
      rig.handle({
        kind: 'reply',
        requestId: 9_999,
        reply: { to: 'place', outcome: placement() },
      });
    }).toThrow(AssertionError);
  });
});
