import { fixedFromNumber, type Price } from '../../core/fixed.js';
import type { MarketMessage } from '../../venue/venue.js';

/** Monotonic ms after which a mark price is no longer taken for the one of now. */
const MARK_AGE_MS = 60_000;
/** Without a newer price the close of a minute is one. */
const SILENT_MS = 10_000;

export interface PaperQuote {
  readonly symbol: string;
  readonly last: Price;
  readonly mark: Price;
}

interface Known {
  last: number;
  lastAt: number;
  mark: number | undefined;
  markAt: number;
}

/** Last and mark price of each symbol, from whatever the market stream brings. */
export class PaperPrices {
  readonly #monotonicMs: () => number;
  readonly #known = new Map<string, Known>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** The symbols whose price a message tells, with the prices of now. */
  see(message: MarketMessage): readonly PaperQuote[] {
    switch (message.kind) {
      case 'tickers':
        return message.rows.flatMap(({ symbol, last, mark }) => this.#quote(symbol, last, mark));
      case 'second':
        return this.#quote(message.symbol, message.candle.close);
      case 'mark-second':
        return this.#quote(message.symbol, undefined, message.candle.close);
      case 'candle':
        return this.#isSilent(message.symbol)
          ? this.#quote(message.symbol, message.candle.close)
          : [];
      default:
        return [];
    }
  }

  #isSilent(symbol: string): boolean {
    const at = this.#known.get(symbol)?.lastAt ?? -Infinity;
    return this.#monotonicMs() - at > SILENT_MS;
  }

  #quote(symbol: string, last: number | undefined, mark?: number): readonly PaperQuote[] {
    const now = this.#monotonicMs();
    const known = this.#known.get(symbol) ?? { last: NaN, lastAt: -Infinity, mark, markAt: now };
    this.#known.set(symbol, known);
    if (last !== undefined) Object.assign(known, { last, lastAt: now });
    if (mark !== undefined) Object.assign(known, { mark, markAt: now });
    const markNow = now - known.markAt <= MARK_AGE_MS ? (known.mark ?? known.last) : known.last;
    if (!(known.last > 0) || !(markNow > 0)) return [];
    return [{ symbol, last: fixedFromNumber(known.last), mark: fixedFromNumber(markNow) }];
  }
}
