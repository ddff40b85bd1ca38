/**
 * The progress of a run, shared with the thread that watches it, and the request of that thread to stop. Plain
 * writes, a few for each candle. All values are integers below 2^53.
 */
export type Heartbeat = Float64Array;

/** Cells of a heartbeat. */
export const HEARTBEAT_CELL = {
  /** Candles passed to the strategy, each of one symbol. */
  candles: 0,
  /** One of `PHASE`. */
  phase: 1,
  /** Open time of the candle, ms UTC. */
  openTime: 2,
  /** Index of its symbol in the run, from 0. */
  symbol: 3,
  /** Written by the thread that watches the run: with `STOP`, the run ends before its next candle. */
  stop: 4,
  /** Open time of the candle that the exchange runs, ms UTC: `openTime` follows at its close. */
  simulated: 5,
} as const;

/** The request to stop. */
export const STOP = 1;

export const HEARTBEAT_CELLS = 6;

/** The phases of a run. `own` is engine code; the others run strategy code, which may hang. */
export const PHASE = { own: 0, load: 1, make: 2, run: 3 } as const;

/** A heartbeat without a watching thread. */
export const unwatchedHeartbeat = (): Heartbeat => new Float64Array(HEARTBEAT_CELLS);
