import { fixedFromNumber, type Price } from '../../core/fixed/fixed.js';
import type { MarketMessage } from '../venue.js';

/** Monotonic ms after which a mark price is outdated. */
const MARK_AGE_MS = 60_000;
/** Monotonic ms without a price after which the close of a minute counts as one. */
const STALE_AFTER_MS = 10_000;

export interface PaperQuote {
  readonly symbol: string;
  readonly last: Price;
  readonly mark: Price;
}

interface QuoteState {
  last: number;
  lastAt: number;
  mark: number | undefined;
  markAt: number;
}

/** Last and mark price of each symbol, from all messages of the market stream. */
export class PaperPrices {
  readonly #monotonicMs: () => number;
  readonly #quotes = new Map<string, QuoteState>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** The current quotes of the symbols that the message updates. */
  onMessage(message: MarketMessage): readonly PaperQuote[] {
    switch (message.kind) {
      case 'tickers':
        return message.rows.flatMap(({ symbol, last, mark }) => this.#quote(symbol, last, mark));
      case 'second':
        return this.#quote(message.symbol, message.candle.close);
      case 'mark-second':
        return this.#quote(message.symbol, undefined, message.candle.close);
      case 'candle':
        return this.#isStale(message.symbol)
          ? this.#quote(message.symbol, message.candle.close)
          : [];
      default:
        return [];
    }
  }

  #isStale(symbol: string): boolean {
    const at = this.#quotes.get(symbol)?.lastAt ?? -Infinity;
    return this.#monotonicMs() - at > STALE_AFTER_MS;
  }

  #quote(symbol: string, last: number | undefined, mark?: number): readonly PaperQuote[] {
    const now = this.#monotonicMs();
    const known = this.#quotes.get(symbol) ?? { last: NaN, lastAt: -Infinity, mark, markAt: now };
    this.#quotes.set(symbol, known);
    if (last !== undefined) Object.assign(known, { last, lastAt: now });
    if (mark !== undefined) Object.assign(known, { mark, markAt: now });
    const markNow = now - known.markAt <= MARK_AGE_MS ? (known.mark ?? known.last) : known.last;
    if (!(known.last > 0) || !(markNow > 0)) return [];
    return [{ symbol, last: fixedFromNumber(known.last), mark: fixedFromNumber(markNow) }];
  }
}
