import type { Answer, Ask, Stray } from './call.js';

/** The way to the thread that one strategy's code runs on. */
export interface StrategyLine {
  /** Waits for the answer. After `silence` nothing is ever answered again. */
  ask(ask: Ask, budgetMs: number): Answer | Silence;
  /** What comes without a call. */
  listen(listener: LineListener): void;
  /** Nothing of the strategy runs after it. */
  close(): void;
}

/** `late`: it did not return; `gone`: there is no thread any more. */
export interface Silence {
  readonly silence: 'late' | 'gone';
}

export interface LineListener {
  strayed(stray: Stray): void;
  /** The thread has ended of its own accord. */
  gone(reason: string): void;
}
