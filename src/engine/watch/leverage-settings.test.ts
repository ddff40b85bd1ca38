import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { no, unknown, yes } from '../../../test/support/rigs/protocol-rig.js';
import { rowOf } from '../../../test/support/rigs/operation-rig.js';
import { BTC, d } from '../../../test/support/builders/risk-case.js';
import type { Ratio } from '../../core/fixed/fixed.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits/risk-limits.js';

const lev = (text: string): Ratio => d<'ratio'>(text);

function starting(): EngineRig {
  const rig = new EngineRig();
  rig.handle({ kind: 'instruments', instruments: [BTC] });
  return rig;
}

/** Ready to trade but for leverage. */
function trades(rig: EngineRig): boolean {
  rig.poll();
  rig.pass(400);
  while (rig.pendingRequest('read-positions') !== undefined) rig.answer('read-positions', yes([]));
  return rig.engine.mode === 'TRADING';
}

describe('leverage settings', () => {
  it('a leverage that matches the configuration is not set', () => {
    const rig = starting();
    rig.answer('read-leverage', yes(lev('2')));
    expect(trades(rig)).toBe(true);
    expect(rig.pendingRequest('set-leverage')).toBeUndefined();
    expect(rig.engine.facts.leverage('BTCUSDT')).toBe(lev('2'));
  });

  it.each([
    { named: 'another', first: yes(lev('5')) },
    { named: 'none', first: no('leverage-not-set', 404) },
  ])('with $named the leverage is set and read back before the first order', ({ first }) => {
    const rig = starting();
    rig.answer('read-leverage', first);
    expect(rig.pendingRequest('set-leverage')).toMatchObject({
      symbol: 'BTCUSDT',
      leverage: lev('2'),
    });
    rig.answer('set-leverage', yes(lev('2')));
    expect(trades(rig), 'not before it is read back').toBe(false);
    rig.answer('read-leverage', yes(lev('2')));
    expect(trades(rig)).toBe(true);
  });

  it.each([unknown(), unknown(500), no('rate-limited', 429)])(
    'that cannot be read is read again later',
    (failed) => {
      const rig = starting();
      rig.answer('read-leverage', failed);
      expect(rig.pendingRequest('read-leverage')).toBeUndefined();
      rig.pass(250);
      rig.answer('read-leverage', yes(lev('2')));
      expect(trades(rig)).toBe(true);
    },
  );

  it('after an unclear answer the leverage is read before it is set again', () => {
    const rig = starting();
    rig.answer('read-leverage', yes(lev('5')));
    rig.answer('set-leverage', unknown());
    expect(rig.pendingRequest('set-leverage')).toBeUndefined();
    rig.answer('read-leverage', yes(lev('2')));
    expect(trades(rig)).toBe(true);
  });

  it.each([unknown(500), no('rate-limited', 429), no('locked', 423)])(
    'whose set is refused for the moment is set again, not at once and without end',
    (failed) => {
      const rig = starting();
      for (let round = 0; round < 12; round += 1) {
        rig.answer('read-leverage', yes(lev('5')));
        if (round > 0) expect(rig.pendingRequest('set-leverage')).toBeUndefined();
        rig.pass(4_000);
        rig.answer('set-leverage', failed);
      }
      rig.answer('read-leverage', yes(lev('2')));
      expect(rig.engine.haltReason).toBeUndefined();
      expect(trades(rig)).toBe(true);
    },
  );

  it('a leverage that does not stay is abandoned after five attempts', () => {
    const rig = starting();
    for (let set = 0; set < 5; set += 1) {
      rig.answer('read-leverage', yes(lev('5')));
      rig.pass(4_000);
      rig.answer('set-leverage', yes(lev('2')));
    }
    expect(rig.engine.haltReason).toBeUndefined();
    rig.answer('read-leverage', yes(lev('5')));
    rig.pass(60_000);
    expect(rig.pendingRequest('set-leverage')).toBeUndefined();
    expect(rig.engine.haltReason).toBeUndefined();
    expect(rig.engine.restrictions).toMatchObject([
      {
        control: 'R15',
        symbol: 'BTCUSDT',
        class: 'latching',
        cause: expect.stringContaining('does not stay at 2') as string,
      },
    ]);
  });

  it('a refused leverage holds the entries of its symbol alone', () => {
    const rig = starting();
    rig.answer('read-leverage', no('leverage-not-set', 404));
    rig.answer('set-leverage', no('leverage-range'));
    expect(trades(rig)).toBe(true);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.engine.facts.mode('BTCUSDT')).toBe('REDUCE_ONLY');
    expect(rig.engine.facts.mode('ETHUSDT')).toBe('TRADING');
    expect(rig.engine.restrictions).toMatchObject([
      { cause: expect.stringContaining('leverage-range') as string },
    ]);
  });

  it('a leverage that is refused again keeps its restriction, without a second alarm', () => {
    const rig = starting();
    rig.answer('read-leverage', no('leverage-not-set', 404));
    rig.answer('set-leverage', no('leverage-range'));
    expect(trades(rig)).toBe(true);
    const modes = () => rig.records.filter(({ type }) => type === 'mode').length;
    const alarms = () => rig.notes.filter(({ level }) => level === 'error').length;
    const before = [modes(), alarms()];
    const command = { kind: 'resume', symbol: 'BTCUSDT' } as const;
    rig.handle({ kind: 'command', commandId: 'r1', command });
    rig.answer('read-leverage', no('leverage-not-set', 404));
    rig.answer('set-leverage', no('leverage-range'));
    expect(rig.notes.at(-1)?.text).toMatch(/resume BTCUSDT: is refused/);
    expect([modes(), alarms()]).toEqual(before);
    expect(rig.engine.facts.mode('BTCUSDT')).toBe('REDUCE_ONLY');
  });

  it('with an open position a refused leverage holds entries, and no exit', () => {
    const rig = new EngineRig({
      gate: createGate({ preset: 'standard', limits: DEFAULT_LIMITS }),
    });
    const command = { kind: 'adopt', what: 'BTCUSDT' } as const;
    rig.handle({ kind: 'command', commandId: 'known', command });
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(lev('3')));
    rig.answer('set-leverage', no('leverage-range'));
    const open = [rowOf()];
    rig.poll(open);
    rig.pass(400);
    while (rig.pendingRequest('read-positions') !== undefined)
      rig.answer('read-positions', yes(open));
    rig.tick(60_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.notes.some(({ text }) => text.includes('Exits leave'))).toBe(true);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused');
    expect([...rig.engine.counts.refusedBy.keys()]).toEqual(['mode']);
    expect(rig.submit({ quantity: '0.001', side: 'sell', exit: true, leg: 1 })).toBe('accepted');
  });

  it('an open position waits 10 s for the leverage, then its exits leave and entries wait on', () => {
    const rig = new EngineRig({
      gate: createGate({ preset: 'standard', limits: DEFAULT_LIMITS }),
    });
    const command = { kind: 'adopt', what: 'BTCUSDT' } as const;
    rig.handle({ kind: 'command', commandId: 'known', command });
    rig.handle({ kind: 'instruments', instruments: [BTC] });
    const open = [rowOf()];
    const reconcile = (): void => {
      rig.poll(open);
      rig.pass(400);
      while (rig.pendingRequest('read-positions') !== undefined)
        rig.answer('read-positions', yes(open));
      if (rig.pendingRequest('read-leverage') !== undefined)
        rig.answer('read-leverage', unknown(500));
    };
    reconcile();
    rig.tick(60_000);
    expect(rig.engine.mode).toBe('RECONCILING');
    expect(rig.engine.missingStartFact).toBe('the venue has not confirmed the leverage of BTCUSDT');
    rig.pass(9_000);
    reconcile();
    expect(rig.host.eventLog).not.toContain('start');
    rig.pass(1_000);
    reconcile();
    expect(rig.host.eventLog).toContain('start');
    expect(rig.engine.facts.mode('BTCUSDT')).toBe('REDUCE_ONLY');
    rig.tick(60_000);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused-for-now');
    expect(rig.submit({ quantity: '0.001', side: 'sell', exit: true, leg: 1 })).toBe('accepted');
    rig.pass(10_000);
    rig.answer('read-leverage', yes(lev('2')));
    expect(rig.engine.restrictions).toEqual([]);
    expect(rig.engine.facts.mode('BTCUSDT')).toBe('TRADING');
  });

  it('without a position the start waits for the leverage', () => {
    const rig = starting();
    for (let round = 0; round < 5; round += 1) {
      rig.answer('read-leverage', unknown(500));
      expect(trades(rig)).toBe(false);
      rig.pass(20_000);
    }
    rig.answer('read-leverage', yes(lev('2')));
    expect(trades(rig)).toBe(true);
    expect(rig.engine.restrictions).toEqual([]);
  });

  it('a leverage command is journaled, and its answer is verified by a read', () => {
    const rig = starting();
    rig.answer('read-leverage', yes(lev('2')));
    expect(trades(rig)).toBe(true);
    rig.handle({
      kind: 'command',
      commandId: 'w1',
      command: {
        kind: 'set-leverage',
        symbol: 'ETHUSDT',
        currency: 'USDT',
        leverage: lev('3'),
      },
    });
    rig.answer('read-leverage', yes(lev('5')));
    expect(rig.records.slice(-2).map(({ type }) => type)).toEqual([
      'operation',
      'operation-attempt',
    ]);
    rig.answer('set-leverage', unknown());
    rig.answer('read-leverage', yes(lev('3')));
    expect(rig.engine.operations.all.byCommand('w1')).toMatchObject({ state: 'set', attempts: 1 });
  });
});
