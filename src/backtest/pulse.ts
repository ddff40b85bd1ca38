/**
 * The signs of life of a run for the thread that watches it: plain writes, a few a candle. All values are
 * whole numbers below 2^53.
 */
export type Pulse = Float64Array;

/** Cells of a pulse. */
export const PULSE = {
  /** Candles that the strategy was told; of one symbol each. */
  candles: 0,
  /** One of `PHASE`. */
  phase: 1,
  /** Open time of the candle, ms UTC. */
  openTime: 2,
  /** Which of the run's symbols it is of, from 0. */
  symbol: 3,
} as const;

export const PULSE_CELLS = 4;

/** The phases of a run. Those of a strategy's code may hang and are watched; `own` is ours and is not. */
export const PHASE = { own: 0, load: 1, make: 2, run: 3 } as const;

/** Nobody watches. */
export const noPulse = (): Pulse => new Float64Array(PULSE_CELLS);
