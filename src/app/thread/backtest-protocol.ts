import type { BegunBacktest } from '../backtest-command.js';
import type { BacktestOptions, Io } from '../command-options.js';

/** The start data of a backtest's thread. */
export interface BacktestJob extends Pick<Io, 'isTerminal'> {
  readonly options: BacktestOptions;
  /** Shared: see backtest/pulse.ts. */
  readonly pulse: Float64Array;
}

/** The messages of that thread, in order. */
export type BacktestNews =
  | { readonly kind: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'began'; readonly run: BegunBacktest }
  | { readonly kind: 'ended'; readonly exitCode: number };
