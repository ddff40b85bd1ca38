import { CURRENCIES, type Currency } from '../../core/currency.js';
import type { OrderReport } from '../../core/order.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Recovery } from '../../execution/recovery/recovery.js';
import { HistoryWatch, type HistoryWatchParts } from './history-watch.js';
import type { SecondWriter } from './second-writer.js';

/** Monotonic ms between reads, in the currency that is traded and in the other. */
const EVERY_MS = { own: 30_000, other: 300_000 };

type Shared = Omit<HistoryWatchParts, 'currency' | 'everyMs' | 'wasRead'>;

export interface AccountHistoryParts extends Shared {
  /** That is traded. */
  readonly currency: Currency;
  readonly effects: Pick<EffectSink, 'journaling'>;
  readonly secondWriter: SecondWriter;
}

/** Order history in every currency: an account name may have traded in either. */
export class AccountHistory {
  readonly #parts: AccountHistoryParts;
  readonly #watches: ReadonlyMap<Currency, HistoryWatch>;
  /** Currencies of which no whole read has been judged. */
  readonly #unread = new Set(CURRENCIES);
  #left: Pick<Recovery, 'judgedUntil' | 'until'> | undefined;

  constructor(parts: AccountHistoryParts) {
    this.#parts = parts;
    this.#watches = new Map(CURRENCIES.map((currency) => [currency, this.#watchOf(currency)]));
  }

  takeOver(left: Pick<Recovery, 'adopted' | 'strays' | 'judgedUntil' | 'until'>): void {
    this.#left = left;
    this.#parts.secondWriter.takeOver(left);
  }

  /** A backtest has no journal that history could contradict. */
  start(): void {
    const { currency: own, effects, secondWriter } = this.#parts;
    if (!effects.journaling) return;
    secondWriter.start();
    for (const [currency, watch] of this.#watches)
      watch.start(
        { judgedUntil: this.#left?.judgedUntil.get(currency), until: this.#left?.until },
        currency === own ? 'verify' : 'poll',
      );
  }

  /** Rows that any part of the engine has read. */
  see(rows: readonly OrderReport[]): void {
    for (const watch of this.#watches.values()) watch.see(rows);
  }

  /** A list of open orders that was read from `startedAt` on (monotonic ms) has been judged. */
  listed(currency: Currency, startedAt: number): void {
    this.#watches.get(currency)?.listed(startedAt);
  }

  /** Venue ms since which rows are news; undefined where history is not read. */
  unjudgedSince(currency: Currency): number | undefined {
    const since = this.#watches.get(currency)?.unjudgedSince;
    return since === Number.POSITIVE_INFINITY ? undefined : since;
  }

  /** A position moved, and no order of ours did it. */
  hurry(): void {
    this.#watches.get(this.#parts.currency)?.hurry();
  }

  #watchOf(currency: Currency): HistoryWatch {
    return new HistoryWatch({
      ...this.#parts,
      currency,
      everyMs: currency === this.#parts.currency ? EVERY_MS.own : EVERY_MS.other,
      wasRead: () => {
        this.#unread.delete(currency);
        if (this.#unread.size === 0) this.#parts.secondWriter.historyRead();
      },
    });
  }
}
