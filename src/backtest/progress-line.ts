import { HEARTBEAT_CELL, PHASE, type Heartbeat } from './heartbeat.js';
import { LINE_CLEAR, LINE_START } from '../core/terminal-text.js';
import type { Clock } from '../core/ports.js';
import { formatNumber } from '../report/figure-format.js';

const WIDTH = 24;
/** Real ms between two drawings. */
const INTERVAL_MS = 100;
/** A shorter run shows no line: it would only flicker. */
const QUIET_MS = 500;

export interface ProgressTerminal {
  readonly isTerminal: boolean;
  readonly stderr: (text: string) => void;
  readonly clock: Clock;
}

/** The progress of a run on a terminal: bar, share, date of the candle, rate and remaining time. */
export class ProgressLine {
  readonly #io: ProgressTerminal;
  #startedAt: number | undefined;
  #drawnAt = -Infinity;
  #isShown = false;

  constructor(io: ProgressTerminal) {
    this.#io = io;
  }

  /** Call often; it draws at most ten times a second. @param total candles of all symbols */
  show(heartbeat: Heartbeat, total: number): void {
    if (!this.#io.isTerminal || heartbeat[HEARTBEAT_CELL.phase] !== PHASE.run) return;
    const now = this.#io.clock.monotonicMs();
    this.#startedAt ??= now;
    if (now - this.#startedAt < QUIET_MS || now - this.#drawnAt < INTERVAL_MS) return;
    this.#drawnAt = now;
    this.#isShown = true;
    const progress = {
      done: heartbeat[HEARTBEAT_CELL.candles] ?? 0,
      total,
      openTime: heartbeat[HEARTBEAT_CELL.openTime] ?? 0,
      elapsedMs: now - this.#startedAt,
    };
    this.#io.stderr(`${LINE_START}${progressText(progress)}`);
  }

  clear(): void {
    if (this.#isShown) this.#io.stderr(LINE_CLEAR);
    this.#isShown = false;
  }
}

export interface RunProgress {
  /** Candles. */
  readonly done: number;
  readonly total: number;
  /** Of the last candle, ms UTC. */
  readonly openTime: number;
  readonly elapsedMs: number;
}

/** `[######------] 43 %  2023-05-06  1,234,000 candles/s  12 s left` */
export function progressText({ done, total, openTime, elapsedMs }: RunProgress): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const full = Math.floor(share * WIDTH);
  const bar = `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}]`;
  const rate = elapsedMs > 0 ? (done / elapsedMs) * 1_000 : 0;
  const left = rate > 0 ? `  ${remainingText((total - done) / rate)} left` : '';
  const date = new Date(openTime).toISOString().slice(0, 10);
  const percent = String(Math.floor(share * 100)).padStart(3);
  // Padded, so that a shorter text covers the one before.
  return `${bar} ${percent} %  ${date}  ${formatNumber(rate, 0)} candles/s${left}`.padEnd(78);
}

function remainingText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
