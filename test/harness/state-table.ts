import type { Machine } from '../../src/execution/machine.js';

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
