import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../test/harness/engine-rig.js';
import { no, placement, reportOf, yes } from '../../test/harness/protocol-rig.js';
import { d } from '../../test/harness/risk-case.js';
import { AssertionError } from '../core/assert.js';
import { createGate } from '../risk/gate.js';
import { DEFAULT_LIMITS } from '../risk/limits.js';

describe('an intent', () => {
  it('that passes is journaled with its verdict, sent, and its fill and end reach its strategy', () => {
    const rig = EngineRig.trading();
    expect(rig.submit({ quantity: '1' })).toBe('accepted');
    expect(rig.records.slice(-3).map((record) => record.type)).toEqual([
      'verdict',
      'intent',
      'attempt',
    ]);
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.host.heard.length = 0;
    rig.look(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60001' })));
    expect(rig.host.heard).toEqual(['fill buy 100000000 6000100000000', 'ended 0 filled']);
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

  it('that the gate refuses is journaled with the reason, and explained', () => {
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

  it('is judged again when its slot comes', () => {
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
    expect(rig.waiting('place')).toBeUndefined();
    expect(rig.engine.ledger.byKey(0).state).toBe('rejected');
    expect(rig.host.heard.at(-1)).toBe('ended 0 rejected');
  });

  it('leaves nothing of a replayed decision behind: the same events make the same ids', () => {
    const ids = [1, 2].map(() => {
      const rig = EngineRig.trading();
      rig.submit({ quantity: '1' });
      return rig.engine.ledger.byKey(0).clientOrderId;
    });
    expect(ids[0]).toBe(ids[1]);
  });
});

describe('a strategy', () => {
  it('sees its own working orders and cancels no other’s', () => {
    const rig = EngineRig.trading({
      hosts: [
        { id: 'cross', interval: '1m' },
        { id: 'other', interval: '1m', symbols: ['BTCUSDT'] },
      ],
    });
    const [own, other] = rig.hosts;
    expect(own?.world.working('BTCUSDT')).toEqual([]);
    rig.submit({ quantity: '2', price: '59000' });
    expect(own?.world.working('BTCUSDT')).toEqual([
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

  it('is woken at a venue time', () => {
    const rig = EngineRig.trading();
    rig.host.world.timer(rig.venueTime + 500, 'mine');
    rig.pass(499);
    expect(rig.host.heard).not.toContain('timer mine');
    rig.pass(1);
    expect(rig.host.heard).toContain('timer mine');
  });
});

describe('a strategy whose code was lost', () => {
  it('is told so by the event, and no other', () => {
    const rig = EngineRig.trading();
    const lost = { kind: 'strategy-lost', call: 7, reason: 'gone' } as const;
    rig.happen({ ...lost, strategy: 'another' });
    expect(rig.host.heard).not.toContain('lost gone');
    rig.happen({ ...lost, strategy: rig.host.id });
    expect(rig.host.heard).toContain('lost gone');
  });
});

describe('a journal that cannot be written', () => {
  it('halts: nothing more is placed', () => {
    const rig = EngineRig.trading();
    rig.happen({ kind: 'journal-failed', reason: 'no space' });
    expect(rig.engine.mode).toBe('HALTED');
    expect(rig.engine.haltReason).toContain('no space');
  });

  it('keeps the first reason, and says each once', () => {
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
  it('asserts that the venue lists what is traded', () => {
    const rig = new EngineRig();
    expect(() => {
      rig.happen({ kind: 'instruments', instruments: [] });
    }).toThrow(AssertionError);
  });

  it('says when the feed goes and comes', () => {
    const rig = new EngineRig();
    rig.happen({ kind: 'feed', up: false, reason: 'gone' });
    rig.happen({ kind: 'feed', up: true, reason: 'back' });
    expect(rig.notes).toEqual([
      { level: 'warn', text: 'market data is down: gone' },
      { level: 'info', text: 'market data is up: back' },
    ]);
  });

  it('passes over timers and slots that nobody waits for any more', () => {
    const rig = EngineRig.trading();
    rig.happen({ kind: 'timer', key: 't9999' });
    rig.happen({ kind: 'slot', requestId: 9_999 });
    expect(rig.sent).toEqual([]);
  });

  it('asserts that a reply answers a request that was sent', () => {
    const rig = EngineRig.trading();
    expect(() => {
      rig.happen({
        kind: 'reply',
        requestId: 9_999,
        reply: { to: 'place', outcome: placement() },
      });
    }).toThrow(AssertionError);
  });
});
