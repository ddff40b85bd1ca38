import { expect } from 'vitest';
import { AssertionError } from '../../src/core/assert.js';
import type { Machine } from '../../src/execution/machine.js';

/** What one of these protocols has in each of its operations. */
interface Stepping<State extends string, Move extends string> {
  state: State;
  move(move: Move): void;
}

/** Every pair of a machine, with what a table that is written a second time says of it. */
export function pairsOf<State extends string, Move extends string>(
  machine: Machine<State, Move>,
  moves: readonly Move[],
  table: Readonly<Record<string, State>>,
): readonly (readonly [State, Move, State | undefined])[] {
  return machine.states.flatMap((state) =>
    moves.map((move) => [state, move, table[`${state} ${move}`]] as const),
  );
}

/** In this state, the move leads to the next one; without a next one it is refused and changes nothing. */
export function expectStep<State extends string, Move extends string>(
  operation: Stepping<State, Move>,
  state: State,
  move: Move,
  next: State | undefined,
): void {
  operation.state = state;
  const step = (): void => {
    operation.move(move);
  };
  if (next === undefined) expect(step).toThrow(AssertionError);
  else step();
  expect(operation.state).toBe(next ?? state);
}

/** Every state that some row of moves leads to. */
export function reachedFrom<State extends string, Move extends string>(
  start: State,
  machine: Machine<State, Move>,
  moves: readonly Move[],
): ReadonlySet<State> {
  const reached = new Set<State>();
  const walk = (state: State): void => {
    for (const move of moves) {
      const next = machine.next(state, move);
      if (next === undefined || reached.has(next)) continue;
      reached.add(next);
      walk(next);
    }
  };
  walk(start);
  return reached;
}
