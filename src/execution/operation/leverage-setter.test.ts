import { describe, expect, it } from 'vitest';
import { OperationRig } from '../../../test/support/rigs/operation-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import { no, unknown, unsent, yes } from '../../../test/support/rigs/protocol-rig.js';
import { eventLog } from '../../../test/support/builders/event-log.js';
import type { Ratio } from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import type { Outcome } from '../../core/request.js';
import type { LeverageRequest } from './leverage-setter.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';

const times = (text: string): Ratio => d<'ratio'>(text);
const REQUEST: LeverageRequest = { symbol: 'BTCUSDT', currency: 'USDT', leverage: times('3') };
const NOT_SET = no('leverage-not-set');
const PERSON: DecisionCause = { kind: 'operator', commandId: 'c1' };

/** Leverage 3 is requested; `calls` has what the handlers were called with. */
function requested(cause?: DecisionCause, rig = new OperationRig()) {
  const calls: string[] = [];
  rig.leverage.ensure(
    REQUEST,
    {
      onRead: (leverage) =>
        calls.push(`read ${leverage === undefined ? 'none' : scaledOf(leverage) / 1e8}`),
      onSet: () => calls.push('set'),
      onFailed: (reason) => calls.push(`failed: ${reason}`),
    },
    cause,
  );
  rig.grantPermit();
  const read = (outcome: Outcome<Ratio>): void => {
    rig.passUntil('read-leverage');
    rig.answer('read-leverage', outcome);
    rig.grantPermit();
  };
  const set = (outcome: Outcome<Ratio>): void => {
    rig.passUntil('set-leverage');
    rig.answer('set-leverage', outcome);
    rig.grantPermit();
  };
  return { rig, calls, read, set };
}

describe('leverage', () => {
  it('a leverage that is already there is not set, and nothing is journaled', () => {
    const { rig, calls, read } = requested();
    read(yes(times('3')));
    expect(calls).toEqual(['read 3', 'set']);
    expect(rig.left.map(({ kind }) => kind)).toEqual(['read-leverage']);
    expect(rig.priorityOf('read-leverage')).toBe('verify');
    expect(rig.records).toEqual([]);
  });

  it.each([
    { before: NOT_SET, named: 'none' },
    { before: yes(times('5')), named: '5' },
  ])('a leverage that is $named is set and read back (A33)', ({ before, named }) => {
    const rig = new OperationRig();
    const log = eventLog(rig);
    const { calls, read, set } = requested(undefined, rig);
    read(before);
    set(yes(times('3')));
    read(yes(times('3')));
    expect(calls).toEqual([`read ${named}`, 'read 3', 'set']);
    expect(log).toEqual([
      '0 send read-leverage as verify',
      '0 operation {"plan":{"kind":"leverage","symbol":"BTCUSDT","currency":"USDT","leverage":"3"}}',
      '0 operation-attempt {"attempt":1,"step":{"kind":"set-leverage"}}',
      '0 send set-leverage 3 as place',
      '0 operation-outcome {"attempt":1,"outcome":"yes"}',
      '0 send read-leverage as verify',
      '0 operation-ended {"end":"set","evidence":"a read shows 3"}',
    ]);
  });

  it('a command of the operator is journaled even where nothing is sent', () => {
    const { rig, read } = requested(PERSON);
    read(yes(times('3')));
    expect(rig.records).toMatchObject([
      { type: 'operation', cause: PERSON, plan: { kind: 'leverage', ...REQUEST } },
      { type: 'operation-ended', end: 'set' },
    ]);
    expect(rig.effects[0], 'before any request').toBe('journal operation');
    expect(rig.left.map(({ kind }) => kind)).toEqual(['read-leverage']);
  });

  it('a leverage that cannot be read is read again ever later, and not set', () => {
    const { rig, calls } = requested();
    const waits = [unknown(), no('rate-limited', 429), unsent].map((outcome) => {
      rig.answer('read-leverage', outcome);
      return rig.passUntil('read-leverage');
    });
    expect(waits).toEqual([...new Set(waits)].sort((a, b) => a - b));
    expect(waits[0]).toBeGreaterThan(0);
    expect(rig.left.map(({ kind }) => kind)).toEqual(Array(4).fill('read-leverage'));
    expect(rig.records).toEqual([]);
    expect(calls).toEqual([]);
  });

  it.each([unknown(), unsent, no('locked', 423), no('rate-limited', 429)])(
    'a set without an acknowledgement is followed by a read, and repeated where the value does not show',
    (outcome) => {
      const { rig, calls, read, set } = requested();
      read(NOT_SET);
      set(outcome);
      const since = rig.stamp.monotonic;
      read(NOT_SET);
      expect(rig.sends('set-leverage'), 'at once').toBe(1);
      set(yes(times('3')));
      expect(rig.stamp.monotonic - since).toBe(500);
      read(yes(times('3')));
      expect(calls.at(-1)).toBe('set');
      expect(rig.lastEnd).toBe('set');
    },
  );

  it('a set without a clear reply is not repeated when a read shows the value (F4)', () => {
    const { rig, calls, read, set } = requested();
    read(NOT_SET);
    set(unknown());
    read(yes(times('3')));
    expect(rig.sends('set-leverage')).toBe(1);
    expect(calls.at(-1)).toBe('set');
  });

  it('a refused leverage fails with the text of the venue', () => {
    const { rig, calls, read, set } = requested();
    read(NOT_SET);
    set(no('leverage-range'));
    const reason = 'the venue refuses leverage 3 on BTCUSDT: leverage-range';
    expect(calls).toEqual(['read none', `failed: ${reason}`]);
    expect(rig.operationEnds).toEqual([{ end: 'refused', evidence: reason }]);
    rig.pass(60_000);
    expect(rig.sends('set-leverage')).toBe(1);
  });

  it('a leverage that five sets do not change is given up, since something else sets it too', () => {
    const { rig, calls, read, set } = requested();
    for (let sets = 1; sets <= 5; sets += 1) {
      read(yes(times('7')));
      set(yes(times('3')));
    }
    expect(calls).not.toContain(expect.stringContaining('failed'));
    read(yes(times('7')));
    const reason = 'leverage of BTCUSDT does not stay at 3: something else sets it too';
    expect(calls.at(-1)).toBe(`failed: ${reason}`);
    expect(rig.operationEnds).toEqual([{ end: 'contested', evidence: reason }]);
    expect(rig.sends('set-leverage')).toBe(5);
  });

  it('unclear sets do not count towards that limit', () => {
    const { rig, calls, read, set } = requested();
    for (let sets = 1; sets <= 7; sets += 1) {
      read(NOT_SET);
      set(unknown());
    }
    read(yes(times('3')));
    expect(calls.at(-1)).toBe('set');
    expect(rig.sends('set-leverage')).toBe(7);
  });

  it('a leverage is not set while the engine holds it', () => {
    const { rig, calls, read } = requested();
    rig.holdOperations = 'halted';
    read(NOT_SET);
    expect(calls).toEqual(['read none', 'failed: halted']);
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence: 'halted' }]);
    expect(rig.sends('set-leverage')).toBe(0);
  });

  it('a set waits for its lock: an order in flight, or an unproved change of margin', () => {
    const { rig, read } = requested();
    const other = {};
    rig.symbolLocks.tryReserve('BTCUSDT/USDT', other);
    read(NOT_SET);
    expect(rig.sends('set-leverage')).toBe(0);
    rig.symbolLocks.release('BTCUSDT/USDT', other);
    rig.grantPermit();
    expect(rig.sends('set-leverage')).toBe(1);
  });

  it('a leverage that a previous run was setting is dropped, since every start requests its own', () => {
    const { rig, read } = requested();
    read(NOT_SET);
    const next = OperationRig.revived(rig.records, rig.stamp);
    next.leverage.resume();
    expect(next.operationEnds).toEqual([
      { end: 'dropped', evidence: 'left by a previous run: the value is read again' },
    ]);
    expect(next.permits).toEqual([]);
  });
});
