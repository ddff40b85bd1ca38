import { expect } from 'vitest';
import { AssertionError } from '../../../src/core/assert.js';
import type { StateMachine } from '../../../src/execution/state-machine.js';

/** What one of these protocols has in each of its operations. */
interface StateMachineOperation<State extends string, Event extends string> {
  state: State;
  apply(event: Event): void;
}

/** Every pair of a machine, with what a table that is written a second time says of it. */
export function transitionCases<State extends string, Event extends string>(
  machine: StateMachine<State, Event>,
  events: readonly Event[],
  table: Readonly<Record<string, State>>,
): readonly (readonly [State, Event, State | undefined])[] {
  return machine.states.flatMap((state) =>
    events.map((event) => [state, event, table[`${state} ${event}`]] as const),
  );
}

/** In this state, the event leads to the next one; without a next one it is refused and changes nothing. */
export function expectTransition<State extends string, Event extends string>(
  operation: StateMachineOperation<State, Event>,
  state: State,
  event: Event,
  next: State | undefined,
): void {
  operation.state = state;
  const step = (): void => {
    operation.apply(event);
  };
  if (next === undefined) expect(step).toThrow(AssertionError);
  else step();
  expect(operation.state).toBe(next ?? state);
}

/** Every state that some row of events leads to. */
export function reachableStates<State extends string, Event extends string>(
  start: State,
  machine: StateMachine<State, Event>,
  events: readonly Event[],
): ReadonlySet<State> {
  const reached = new Set<State>();
  const walk = (state: State): void => {
    for (const event of events) {
      const next = machine.next(state, event);
      if (next === undefined || reached.has(next)) continue;
      reached.add(next);
      walk(next);
    }
  };
  walk(start);
  return reached;
}
