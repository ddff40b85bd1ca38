import type { Clock } from '../../core/ports.js';
import { LINE_CLEAR, LINE_START } from '../../core/terminal-text.js';
import type { DownloadProgress } from './candle-download.js';

interface ProgressTerminal {
  readonly isTerminal: boolean;
  readonly stderr: (text: string) => void;
  readonly clock: Clock;
}

const MINUTE_MS = 60_000;
const BAR_WIDTH = 24;
const DRAW_INTERVAL_MS = 200;

/** The progress on a terminal: `[####----] 43 %  157 of 365 calls  2024-06-01  298 calls/min  42 s left`. */
export class DownloadLine {
  readonly #io: ProgressTerminal;
  #startedAt: number | undefined;
  #drawnAt = -Infinity;

  constructor(io: ProgressTerminal) {
    this.#io = io;
  }

  show({ calls, totalCalls, timeMs }: DownloadProgress): void {
    const now = this.#io.clock.monotonicMs();
    this.#startedAt ??= now;
    if (!this.#io.isTerminal || now - this.#drawnAt < DRAW_INTERVAL_MS) return;
    this.#drawnAt = now;
    const full = Math.floor((calls / totalCalls) * BAR_WIDTH);
    const elapsedMs = now - this.#startedAt;
    const perMs = elapsedMs > 0 ? calls / elapsedMs : 0;
    const left = perMs > 0 ? `  ${Math.ceil((totalCalls - calls) / perMs / 1_000)} s left` : '';
    const bar = `[${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}]`;
    const date = new Date(timeMs).toISOString().slice(0, 10);
    const rate = `${Math.round(perMs * MINUTE_MS)} calls/min`;
    const text = `${bar} ${calls} of ${totalCalls} calls  ${date}  ${rate}${left}`;
    this.#io.stderr(`${LINE_START}${text.padEnd(78)}`);
  }

  clear(): void {
    if (this.#drawnAt !== -Infinity) this.#io.stderr(LINE_CLEAR);
    this.#drawnAt = -Infinity;
  }
}
