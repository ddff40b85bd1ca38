import type { ProgressTerminal } from '../../backtest/progress-line.js';
import { formatNumber } from '../../report/figure-format.js';
import { LINE_CLEAR, LINE_START } from '../../core/terminal-text.js';
import type { PoolProgress } from './run-pool.js';

const WIDTH = 24;

/** The progress of further runs on a terminal: bar, share, runs and remaining time. */
export class PoolProgressLine {
  readonly #io: ProgressTerminal;
  #startedAt: number | undefined;

  constructor(io: ProgressTerminal) {
    this.#io = io;
  }

  show(progress: PoolProgress): void {
    if (!this.#io.isTerminal) return;
    const now = this.#io.clock.monotonicMs();
    this.#startedAt ??= now;
    const isDone = progress.runs === progress.allRuns;
    const text = poolProgressText(progress, now - this.#startedAt);
    this.#io.stderr(isDone ? LINE_CLEAR : `${LINE_START}${text}`);
  }
}

/** `[######------] 43 %  run 7 of 16  12 s left` */
export function poolProgressText(
  { runs, allRuns, candles, allCandles }: PoolProgress,
  elapsedMs: number,
): string {
  const share = allCandles > 0 ? Math.min(1, candles / allCandles) : 0;
  const full = Math.floor(share * WIDTH);
  const bar = `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}]`;
  const percent = String(Math.floor(share * 100)).padStart(3);
  const seconds = share > 0 ? Math.ceil(((1 - share) / share) * (elapsedMs / 1_000)) : undefined;
  const left = seconds === undefined ? '' : `  ${formatNumber(seconds, 0)} s left`;
  return `${bar} ${percent} %  ${runs} of ${allRuns} further runs done${left}`.padEnd(78);
}
