/** Histories and fee rows have whole seconds (supplement: part 13). Takes and returns ms UTC. */
export const wholeSecond = (timeMs: number): number => timeMs - (timeMs % 1_000);
