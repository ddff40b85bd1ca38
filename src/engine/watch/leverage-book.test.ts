import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/harness/engine-rig.js';
import { no, unknown, yes } from '../../../test/harness/protocol-rig.js';
import { rowOf } from '../../../test/harness/operation-rig.js';
import { BTC, d } from '../../../test/harness/risk-case.js';
import type { Ratio } from '../../core/fixed.js';
import { createGate } from '../../risk/gate.js';
import { DEFAULT_LIMITS } from '../../risk/limits.js';

const lev = (text: string): Ratio => d<'ratio'>(text);

function starting(): EngineRig {
  const rig = new EngineRig();
  rig.happen({ kind: 'instruments', instruments: [BTC] });
  return rig;
}

/** Nothing but leverage stands in the way of trading. */
function trades(rig: EngineRig): boolean {
  rig.poll();
  rig.pass(400);
  while (rig.waiting('read-positions') !== undefined) rig.answer('read-positions', yes([]));
  return rig.engine.mode === 'TRADING';
}

describe('leverage', () => {
  it('that is as wanted is not set', () => {
    const rig = starting();
    rig.answer('read-leverage', yes(lev('2')));
    expect(trades(rig)).toBe(true);
    expect(rig.waiting('set-leverage')).toBeUndefined();
    expect(rig.engine.facts.leverage('BTCUSDT')).toBe(lev('2'));
  });

  it.each([
    { named: 'another', first: yes(lev('5')) },
    { named: 'none', first: no('leverage-not-set', 404) },
  ])('where there is $named is set, and read back before the first order', ({ first }) => {
    const rig = starting();
    rig.answer('read-leverage', first);
    expect(rig.waiting('set-leverage')).toMatchObject({ symbol: 'BTCUSDT', leverage: lev('2') });
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
      expect(rig.waiting('read-leverage')).toBeUndefined();
      rig.pass(250);
      rig.answer('read-leverage', yes(lev('2')));
      expect(trades(rig)).toBe(true);
    },
  );

  it('whose set has no clear answer is read before it is set again', () => {
    const rig = starting();
    rig.answer('read-leverage', yes(lev('5')));
    rig.answer('set-leverage', unknown());
    expect(rig.waiting('set-leverage')).toBeUndefined();
    rig.answer('read-leverage', yes(lev('2')));
    expect(trades(rig)).toBe(true);
  });

  it.each([unknown(500), no('rate-limited', 429), no('locked', 423)])(
    'whose set is refused for the moment is set again, not at once and without end',
    (failed) => {
      const rig = starting();
      for (let round = 0; round < 12; round += 1) {
        rig.answer('read-leverage', yes(lev('5')));
        if (round > 0) expect(rig.waiting('set-leverage')).toBeUndefined();
        rig.pass(4_000);
        rig.answer('set-leverage', failed);
      }
      rig.answer('read-leverage', yes(lev('2')));
      expect(rig.engine.haltReason).toBeUndefined();
      expect(trades(rig)).toBe(true);
    },
  );

  it('that does not stay is given up after five sets', () => {
    const rig = starting();
    for (let set = 0; set < 5; set += 1) {
      rig.answer('read-leverage', yes(lev('5')));
      rig.pass(4_000);
      rig.answer('set-leverage', yes(lev('2')));
    }
    expect(rig.engine.haltReason).toBeUndefined();
    rig.answer('read-leverage', yes(lev('5')));
    expect(trades(rig)).toBe(false);
    rig.pass(60_000);
    expect(rig.waiting('set-leverage')).toBeUndefined();
    expect(rig.engine.haltReason).toContain('does not stay at 2');
  });

  it('that the venue refuses halts, and says why', () => {
    const rig = starting();
    rig.answer('read-leverage', no('leverage-not-set', 404));
    rig.answer('set-leverage', no('leverage-range'));
    expect(trades(rig)).toBe(false);
    expect(rig.engine.mode).toBe('HALTED');
    expect(rig.engine.haltReason).toContain('leverage-range');
  });

  it('that the venue refuses while something is open holds entries back, and no exit', () => {
    const rig = new EngineRig({
      gate: createGate({ preset: 'standard', limits: DEFAULT_LIMITS }),
    });
    const command = { kind: 'adopt', what: 'BTCUSDT' } as const;
    rig.happen({ kind: 'command', commandId: 'known', command });
    rig.happen({ kind: 'instruments', instruments: [BTC] });
    rig.answer('read-leverage', yes(lev('3')));
    rig.answer('set-leverage', no('leverage-range'));
    const open = [rowOf()];
    rig.poll(open);
    rig.pass(400);
    while (rig.waiting('read-positions') !== undefined) rig.answer('read-positions', yes(open));
    rig.tick(60_000);
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.notes.some(({ text }) => text.includes('only exits leave'))).toBe(true);
    expect(rig.submit({ quantity: '0.001' })).toBe('refused');
    expect([...rig.engine.counts.refusedBy.keys()]).toEqual(['R15']);
    expect(rig.submit({ quantity: '0.001', side: 'sell', exit: true, leg: 1 })).toBe('accepted');
  });

  it('that is set by a word is journaled, held against its answer and read back', () => {
    const rig = starting();
    rig.answer('read-leverage', yes(lev('2')));
    expect(trades(rig)).toBe(true);
    rig.happen({
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
