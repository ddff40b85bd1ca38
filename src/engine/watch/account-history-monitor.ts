import { CURRENCIES, type Currency } from '../../core/currency.js';
import type { OrderReport } from '../../core/order.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Recovery } from '../../execution/recovery/recovery.js';
import { HistoryMonitor, type HistoryMonitorParts } from './history-monitor.js';
import type { SecondWriterDetector } from './second-writer-detector.js';

/** Monotonic ms between reads, in the traded currency and in the other. */
const EVERY_MS = { own: 30_000, other: 300_000 };

type HistoryMonitorShared = Omit<HistoryMonitorParts, 'currency' | 'everyMs' | 'onRead'>;

export interface AccountHistoryMonitorParts extends HistoryMonitorShared {
  /** The traded currency. */
  readonly currency: Currency;
  readonly effects: Pick<EffectSink, 'journaling'>;
  readonly secondWriter: SecondWriterDetector;
}

/** Order history in every currency: an account name may have traded in either. */
export class AccountHistoryMonitor {
  readonly #parts: AccountHistoryMonitorParts;
  readonly #monitors: ReadonlyMap<Currency, HistoryMonitor>;
  /** Currencies without a complete read so far. */
  readonly #unread = new Set(CURRENCIES);
  #recovered: Pick<Recovery, 'judgedUntil' | 'until'> | undefined;

  constructor(parts: AccountHistoryMonitorParts) {
    this.#parts = parts;
    this.#monitors = new Map(
      CURRENCIES.map((currency) => [currency, this.#createMonitor(currency)]),
    );
  }

  restore(recovered: Pick<Recovery, 'adopted' | 'strays' | 'judgedUntil' | 'until'>): void {
    this.#recovered = recovered;
    this.#parts.secondWriter.restore(recovered);
  }

  /** A backtest has no journal that history could contradict. */
  start(): void {
    const { currency: own, effects, secondWriter } = this.#parts;
    if (!effects.journaling) return;
    secondWriter.start();
    for (const [currency, monitor] of this.#monitors)
      monitor.start(
        { judgedUntil: this.#recovered?.judgedUntil.get(currency), until: this.#recovered?.until },
        currency === own ? 'verify' : 'poll',
      );
  }

  /** Rows that any part of the engine has read. */
  onRows(rows: readonly OrderReport[]): void {
    for (const monitor of this.#monitors.values()) monitor.onRows(rows);
  }

  /** A list of open orders, read from monotonic ms `startedAt` on, has been compared. */
  onOpenOrdersListed(currency: Currency, startedAt: number): void {
    this.#monitors.get(currency)?.onOpenOrdersListed(startedAt);
  }

  /** Venue ms since which rows are unchecked; undefined where history is not read. */
  uncheckedSince(currency: Currency): number | undefined {
    const since = this.#monitors.get(currency)?.uncheckedSince;
    return since === Number.POSITIVE_INFINITY ? undefined : since;
  }

  /** A position changed without an order of ours. */
  queryNow(): void {
    this.#monitors.get(this.#parts.currency)?.queryNow();
  }

  #createMonitor(currency: Currency): HistoryMonitor {
    return new HistoryMonitor({
      ...this.#parts,
      currency,
      everyMs: currency === this.#parts.currency ? EVERY_MS.own : EVERY_MS.other,
      onRead: () => {
        this.#unread.delete(currency);
        if (this.#unread.size === 0) this.#parts.secondWriter.onHistoryRead();
      },
    });
  }
}
