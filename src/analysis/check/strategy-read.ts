/** A file that the code of a strategy has read, or that a program it started was given. */
export interface StrategyRead {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** One of the run's own files of candles, mark prices or funding rates. */
  readonly isData: boolean;
  /** Open time of the candle at that time, ms UTC; undefined: before the first one. */
  readonly candle: number | undefined;
}
