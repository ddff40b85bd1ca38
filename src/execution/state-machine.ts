/** State × event → next state. A missing pair cannot happen. A state without events is final. */
export type TransitionTable<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;

/** A protocol as data: its driver applies every event to it. */
export interface StateMachine<State extends string, Event extends string> {
  readonly states: readonly State[];
  readonly initial: State;
  next(state: State, event: Event): State | undefined;
  isEnd(state: State): boolean;
  /** It is not proved whether the request has taken effect at the venue or still may. */
  isUnproved(state: State): boolean;
}

export function createStateMachine<State extends string, Event extends string>(
  table: TransitionTable<State, Event>,
  options: { readonly initial: State; readonly unproved: readonly State[] },
): StateMachine<State, Event> {
  const states = Object.keys(table) as State[];
  const ends = new Set(states.filter((state) => Object.keys(table[state]).length === 0));
  const unproved = new Set(options.unproved);
  return {
    states,
    initial: options.initial,
    next: (state, event) => table[state][event],
    isEnd: (state) => ends.has(state),
    isUnproved: (state) => unproved.has(state),
  };
}
