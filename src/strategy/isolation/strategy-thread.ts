import type { StrategyMetadata } from '../host/strategy-host.js';
import type { WorkerChannel } from './worker-channel.js';

/** The strategy that a thread loads. */
export interface StrategyThreadSpec {
  /** A shipped name, a file, a folder or a package. */
  readonly use: string;
  /** Directory that `./` in `use` is relative to. */
  readonly configDir: string;
  /** Parameters as YAML reads them. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** The code of one strategy, loaded on a thread of its own. */
export interface StrategyThread {
  readonly metadata: StrategyMetadata;
  readonly channel: WorkerChannel;
  /**
   * Describes a failed thread for people: the source line of a call that did not return, or the reason why
   * the thread ended. Node's inspector needs up to about 1 s to find the line.
   * @returns undefined when the thread has answered every call
   */
  describeFailure(): Promise<string | undefined>;
  /** Ends the thread, even in the middle of a call. */
  close(): Promise<void>;
}

/**
 * Loads a strategy and checks its parameters, both on its thread.
 * @throws StrategyLoadError, StrategyParamsError
 */
export type StartThread = (spec: StrategyThreadSpec) => Promise<StrategyThread>;
