import type { Interval } from '../../core/interval.js';
import type { Finding } from './finding.js';

/** The job of the check process, as JSON in its first argument. */
export interface CheckJob {
  /** A shipped name, a file, a folder or a package. */
  readonly use: string;
  readonly params: Readonly<Record<string, string>>;
  /** Empty: the default symbols for the form of the strategy. */
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Candles per symbol. Absent: 2,000. */
  readonly candles?: number;
  /** Real ms after which one call of the strategy counts as hung. */
  readonly hangMs: number;
}

/** The messages of the check process, one line of JSON each, on the file descriptor `CHECK_FD`. */
export type CheckMessage =
  | { readonly kind: 'not-found'; readonly message: string }
  /** A call of the strategy has not returned for `hangMs`. */
  | { readonly kind: 'hung' }
  | { readonly kind: 'loaded'; readonly file: string; readonly name: string }
  | { readonly kind: 'finding'; readonly finding: Finding }
  | {
      readonly kind: 'done';
      readonly candles: number;
      readonly intents: number;
      readonly orders: number;
      readonly fills: number;
    };

export const CHECK_FD = 3;
