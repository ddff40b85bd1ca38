import type { Interval } from '../../core/interval.js';
import type { Finding } from './finding.js';

/** What the checking process is asked, as JSON in its first argument. */
export interface CheckJob {
  /** A shipped name, a file, a folder or a package. */
  readonly use: string;
  readonly params: Readonly<Record<string, string>>;
  /** Empty: as many as the form of the strategy wants. */
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Of each symbol; absent: 2,000. */
  readonly candles?: number;
  /** Real ms in one call of the strategy after which it hangs. */
  readonly hangMs: number;
}

/** What it answers, a line of JSON each, on the file descriptor `CHECK_FD`. */
export type CheckMessage =
  | { readonly kind: 'not-found'; readonly message: string }
  /** Nothing has come back from the strategy for `hangMs`. */
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
