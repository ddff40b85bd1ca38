/** States × moves. A pair that is not in it cannot happen. A state without moves is an end. */
export type Table<State extends string, Move extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Move, State>>>>
>;

/** One protocol as data: whoever drives it asks for every step. */
export interface Machine<State extends string, Move extends string> {
  readonly states: readonly State[];
  readonly initial: State;
  next(state: State, move: Move): State | undefined;
  isEnd(state: State): boolean;
  /** Something may have taken effect at the venue, or may yet, and nobody has proved whether. */
  isUnproved(state: State): boolean;
}

export function machineOf<State extends string, Move extends string>(
  table: Table<State, Move>,
  options: { readonly initial: State; readonly unproved: readonly State[] },
): Machine<State, Move> {
  const states = Object.keys(table) as State[];
  const ends = new Set(states.filter((state) => Object.keys(table[state]).length === 0));
  const unproved = new Set(options.unproved);
  return {
    states,
    initial: options.initial,
    next: (state, move) => table[state][move],
    isEnd: (state) => ends.has(state),
    isUnproved: (state) => unproved.has(state),
  };
}
