/** Histories and fee rows have no finer times (supplement part 13). ms UTC in, ms UTC out. */
export const wholeSecond = (timeMs: number): number => timeMs - (timeMs % 1_000);
