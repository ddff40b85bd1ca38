import { describe, expect, it } from 'vitest';
import { AMEND_MACHINE } from './operation/amend-state.js';
import { LEVERAGE_MACHINE } from './operation/leverage-state.js';
import { createStateMachine } from './state-machine.js';
import { MARGIN_MACHINE } from './operation/margin-state.js';
import { PROTECT_MACHINE } from './protection/protect-state.js';
import { TRANSFER_MACHINE } from './operation/transfer-state.js';

describe('state machine', () => {
  const machine = createStateMachine(
    { idle: { go: 'busy' }, busy: { stop: 'idle', fail: 'broken' }, broken: {} },
    { initial: 'idle', unproved: ['busy'] },
  );

  it('the machine follows its table, and a state without events is final', () => {
    expect(machine.initial).toBe('idle');
    expect(machine.states).toEqual(['idle', 'busy', 'broken']);
    expect(machine.next('busy', 'fail')).toBe('broken');
    expect(machine.next('idle', 'fail')).toBeUndefined();
    expect(machine.states.map((state) => machine.isEnd(state))).toEqual([false, false, true]);
    expect(machine.states.map((state) => machine.isUnproved(state))).toEqual([false, true, false]);
  });
});

describe('unproved states', () => {
  it.each([
    {
      kind: 'an amendment',
      machine: AMEND_MACHINE,
      unproved: ['sent', 'verifying', 'acknowledged', 'fencing'],
    },
    { kind: 'a protective order', machine: PROTECT_MACHINE, unproved: ['sent', 'verifying'] },
    { kind: 'a change of margin', machine: MARGIN_MACHINE, unproved: ['sent', 'verifying'] },
    { kind: 'a transfer', machine: TRANSFER_MACHINE, unproved: ['sent', 'verifying'] },
    { kind: 'a leverage', machine: LEVERAGE_MACHINE, unproved: ['sent'] },
  ])('$kind is unproved in $unproved', ({ machine, unproved }) => {
    const states: readonly string[] = machine.states;
    const isUnproved = machine.isUnproved as (state: string) => boolean;
    expect(states.filter((state) => isUnproved(state))).toEqual(unproved);
  });
});
