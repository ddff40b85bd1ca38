import type { StrategyFace } from '../../strategy/host/strategy-host.js';
import type { StrategyLine } from '../../strategy/thread/strategy-line.js';

/** What a thread is started for. */
export interface ThreadJob {
  /** A shipped name, a file, a folder or a package. */
  readonly use: string;
  /** What `./` means in it. */
  readonly configDir: string;
  /** As YAML reads them. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** The code of one strategy, loaded on a thread of its own. */
export interface StrategyThread {
  readonly face: StrategyFace;
  readonly line: StrategyLine;
  /**
   * Where its code was when it did not return, or what ended the thread, for people; undefined: it
   * answered all that it was asked. Takes about a second at most.
   */
  autopsy(): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * Loads a strategy and checks its parameters, both on its thread.
 * @throws StrategyLoadError, StrategyParamsError
 */
export type StartThread = (job: ThreadJob) => Promise<StrategyThread>;
