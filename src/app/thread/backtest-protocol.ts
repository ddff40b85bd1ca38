import type { BegunBacktest } from '../backtest-command.js';
import type { BacktestOptions, Io } from '../command-options.js';

/** What the thread of a backtest is started with. */
export interface BacktestJob extends Pick<Io, 'isTerminal'> {
  readonly options: BacktestOptions;
  /** Shared: see backtest/pulse.ts. */
  readonly pulse: Float64Array;
}

/** What it says, in order. */
export type BacktestNews =
  | { readonly kind: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'began'; readonly run: BegunBacktest }
  | { readonly kind: 'ended'; readonly exitCode: number };
