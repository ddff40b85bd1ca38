import type { BacktestStartInfo } from './backtest-command.js';
import type { BacktestOptions } from './backtest-options.js';
import type { Io } from '../../command-io.js';

/** The job of the backtest thread. */
export interface BacktestJob extends Pick<Io, 'isTerminal' | 'version'> {
  readonly options: BacktestOptions;
  /** Shared memory, see backtest/heartbeat.ts. */
  readonly heartbeat: Float64Array;
}

/** The messages of the backtest thread, in order. */
export type BacktestMessage =
  | { readonly kind: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'began'; readonly run: BacktestStartInfo }
  | { readonly kind: 'ended'; readonly exitCode: number };
