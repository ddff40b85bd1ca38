import type { EventTime } from '../../core/events.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';

/** Refusals on different symbols within this time have one cause at the venue, monotonic ms. */
const WINDOW_MS = 60_000;
/** Monotonic ms between two alarms of one outage. */
const ALARM_INTERVAL_MS = 60_000;

export interface StopOutageParts {
  readonly stamp: Readonly<EventTime>;
  readonly journal: Journal;
  readonly effects: EffectSink;
  /** Stops entries. `latching`: until a person resumes. */
  readonly restrictEntries: (kind: 'self-clearing' | 'latching', cause: string) => void;
  /** Positions without a stop, for a person: `BTCUSDT 0.5`. */
  readonly nakedPositions: () => readonly string[];
}

/**
 * An outage of the venue's stop orders: refusals for substance on more than one symbol within a minute.
 * (On 9 December 2025 a venue moved its stop endpoint, and the stops of three frameworks broke overnight.)
 * Entries stop and a person is alarmed before any position is closed.
 */
export class StopOutage {
  readonly #parts: StopOutageParts;
  /** Monotonic ms of the last refusal, by symbol. */
  readonly #refusedAt = new Map<string, number>();
  #isActive = false;
  #alarmedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: StopOutageParts) {
    this.#parts = parts;
  }

  get isActive(): boolean {
    return this.#isActive;
  }

  /** The venue refused a stop for substance. `text`: the venue's own. */
  onRefused(symbol: string, text: string): void {
    const { monotonic } = this.#parts.stamp;
    this.#refusedAt.set(symbol, monotonic);
    for (const [each, at] of this.#refusedAt)
      if (monotonic - at > WINDOW_MS) this.#refusedAt.delete(each);
    if (this.#refusedAt.size > 1) this.#isActive = true;
    if (!this.#isActive) return;
    const cause = `the venue refuses stops of several symbols: ${text}`;
    this.#parts.restrictEntries('self-clearing', cause);
    if (monotonic - this.#alarmedAt < ALARM_INTERVAL_MS) return;
    this.#alarmedAt = monotonic;
    this.#alarm(text);
  }

  /** A position had to be closed: the venue has changed, and a person decides how to go on. */
  onClosed(symbol: string): void {
    if (!this.#isActive) return;
    const cause = `${symbol} was closed while the venue refused stops of several symbols`;
    this.#parts.restrictEntries('latching', cause);
  }

  /** No position misses its stop any more. */
  end(): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    this.#alarmedAt = Number.NEGATIVE_INFINITY;
    this.#refusedAt.clear();
    this.#report('info', 'no position misses its stop any more');
  }

  #alarm(text: string): void {
    const names = this.#parts.nakedPositions();
    const list = names.length === 0 ? 'none' : names.join(', ');
    this.#report(
      'error',
      `the venue refuses stops of several symbols: ${text}. Entries stop, and the stops are tried again. ` +
        `Positions without a stop: ${list}. Each closes when the market passes the price of its stop, or in time`,
    );
  }

  #report(level: 'info' | 'error', text: string): void {
    this.#parts.journal.accountNote(level, text);
    this.#parts.effects.notify({ level, text });
  }
}
