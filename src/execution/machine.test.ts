import { describe, expect, it } from 'vitest';
import { AMEND } from './operation/amend-state.js';
import { LEVERAGE } from './operation/leverage-state.js';
import { machineOf } from './machine.js';
import { MARGIN } from './operation/margin-state.js';
import { PROTECT } from './protection/protect-state.js';
import { TRANSFER } from './operation/transfer-state.js';

describe('a machine', () => {
  const machine = machineOf(
    { idle: { go: 'busy' }, busy: { stop: 'idle', fail: 'broken' }, broken: {} },
    { initial: 'idle', unproved: ['busy'] },
  );

  it('is its table: a state without moves is an end', () => {
    expect(machine.initial).toBe('idle');
    expect(machine.states).toEqual(['idle', 'busy', 'broken']);
    expect(machine.next('busy', 'fail')).toBe('broken');
    expect(machine.next('idle', 'fail')).toBeUndefined();
    expect(machine.states.map((state) => machine.isEnd(state))).toEqual([false, false, true]);
    expect(machine.states.map((state) => machine.isUnproved(state))).toEqual([false, true, false]);
  });
});

describe('what may have taken effect, or may yet, is', () => {
  it.each([
    {
      kind: 'an amendment',
      machine: AMEND,
      unproved: ['sent', 'verifying', 'acknowledged', 'fencing'],
    },
    { kind: 'a leg', machine: PROTECT, unproved: ['sent', 'verifying'] },
    { kind: 'a change of margin', machine: MARGIN, unproved: ['sent', 'verifying'] },
    { kind: 'a transfer', machine: TRANSFER, unproved: ['sent', 'verifying'] },
    { kind: 'a leverage', machine: LEVERAGE, unproved: ['sent'] },
  ])('$kind that is $unproved', ({ machine, unproved }) => {
    const states: readonly string[] = machine.states;
    const isUnproved = machine.isUnproved as (state: string) => boolean;
    expect(states.filter((state) => isUnproved(state))).toEqual(unproved);
  });
});
