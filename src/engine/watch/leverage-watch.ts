import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Stamp } from '../../core/events.js';
import { textFromFixed, type Ratio } from '../../core/fixed.js';
import type { Desk } from '../../execution/desk.js';
import type { EffectSink } from '../../execution/effects.js';
import type { LeverageBook } from './leverage-book.js';

/** Between two reads of what stands as configured, and of what does not; monotonic ms (A33). */
const EVERY_MS = 300_000;
const DOUBTED_EVERY_MS = 30_000;

export interface LeverageWatchParts {
  readonly stamp: Readonly<Stamp>;
  readonly currency: Currency;
  readonly desk: Desk;
  readonly effects: EffectSink;
  readonly leverage: LeverageBook;
  readonly symbols: () => Iterable<string>;
}

/**
 * Reads leverage again while the bot runs: a person may set it in the app. It is not set back, since a
 * position may stand on it; what increases is held by R15 until both are one again.
 */
export class LeverageWatch {
  readonly #parts: LeverageWatchParts;
  /** When each symbol's read was last asked for. */
  readonly #askedAt = new Map<string, number>();
  readonly #differs = new Set<string>();

  constructor(parts: LeverageWatchParts) {
    this.#parts = parts;
  }

  /** One poll of positions: the clock, and a hint, since a row tells the leverage that it stands on. */
  see(rows: readonly PositionReport[]): void {
    const { leverage, symbols, stamp } = this.#parts;
    if (!leverage.settled) return;
    for (const symbol of symbols()) {
      const wanted = leverage.wanted(symbol);
      const askedAt = this.#askedAt.get(symbol);
      if (wanted === undefined) continue;
      if (askedAt === undefined) this.#askedAt.set(symbol, stamp.monotonic);
      const row = rows.find((each) => each.symbol === symbol);
      const doubted =
        leverage.read(symbol) !== wanted || (row !== undefined && row.leverage !== wanted);
      const every = doubted ? DOUBTED_EVERY_MS : EVERY_MS;
      if (askedAt !== undefined && stamp.monotonic - askedAt >= every) this.#ask(symbol, wanted);
    }
  }

  #ask(symbol: string, wanted: Ratio): void {
    const { desk, currency, stamp, leverage } = this.#parts;
    this.#askedAt.set(symbol, stamp.monotonic);
    desk.ask<'read-leverage'>({
      request: { kind: 'read-leverage', symbol, currency },
      priority: 'poll',
      answered: (outcome) => {
        if (outcome.kind !== 'yes') return;
        leverage.told(symbol, outcome.value);
        this.#compare(symbol, wanted, outcome.value);
      },
    });
  }

  #compare(symbol: string, wanted: Ratio, read: Ratio): void {
    if (read === wanted) {
      if (this.#differs.delete(symbol)) this.#say('info', `leverage of ${symbol} is as configured`);
      return;
    }
    if (this.#differs.has(symbol)) return;
    this.#differs.add(symbol);
    const [is, should] = [textFromFixed(read), textFromFixed(wanted)];
    this.#say('warn', `leverage of ${symbol} is ${is} at the venue and ${should} in the config`);
  }

  #say(level: 'info' | 'warn', text: string): void {
    this.#parts.effects.notify({ level, text });
  }
}
