import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import { textFromFixed, type Ratio } from '../../core/fixed/fixed.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { EffectSink } from '../../execution/effects.js';
import type { LeverageSettings } from './leverage-settings.js';

/** Between two reads of a matching leverage, and of a differing one; monotonic ms. */
const INTERVAL_MS = 300_000;
const MISMATCH_INTERVAL_MS = 30_000;

export interface LeverageMonitorParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  readonly requests: RequestTracker;
  readonly effects: EffectSink;
  readonly leverage: LeverageSettings;
  readonly symbols: () => Iterable<string>;
}

/**
 * Reads leverage periodically, because a person may change it in the app. It is not set back, since a
 * position may depend on it. Control R15 refuses entries until both agree again (hazard A33).
 */
export class LeverageMonitor {
  readonly #parts: LeverageMonitorParts;
  /** When each symbol's leverage was last queried. */
  readonly #queriedAt = new Map<string, number>();
  readonly #differs = new Set<string>();

  constructor(parts: LeverageMonitorParts) {
    this.#parts = parts;
  }

  /** One poll of positions. It is the clock of the reads, and each row shows its position's leverage. */
  onPositions(rows: readonly PositionReport[]): void {
    const { leverage, symbols, stamp } = this.#parts;
    if (!leverage.isSettled) return;
    for (const symbol of symbols()) {
      const configured = leverage.configured(symbol);
      const queriedAt = this.#queriedAt.get(symbol);
      if (configured === undefined) continue;
      if (queriedAt === undefined) this.#queriedAt.set(symbol, stamp.monotonic);
      const row = rows.find((each) => each.symbol === symbol);
      const isMismatch =
        leverage.read(symbol) !== configured || (row !== undefined && row.leverage !== configured);
      const intervalMs = isMismatch ? MISMATCH_INTERVAL_MS : INTERVAL_MS;
      if (queriedAt !== undefined && stamp.monotonic - queriedAt >= intervalMs)
        this.#queryLeverage(symbol, configured);
    }
  }

  #queryLeverage(symbol: string, configured: Ratio): void {
    const { requests, currency, stamp, leverage } = this.#parts;
    this.#queriedAt.set(symbol, stamp.monotonic);
    requests.enqueue<'read-leverage'>({
      request: { kind: 'read-leverage', symbol, currency },
      priority: 'poll',
      onReply: (outcome) => {
        if (outcome.kind !== 'yes') return;
        leverage.update(symbol, outcome.value);
        this.#compare(symbol, configured, outcome.value);
      },
    });
  }

  #compare(symbol: string, configured: Ratio, read: Ratio): void {
    if (read === configured) {
      if (this.#differs.delete(symbol))
        this.#notify('info', `leverage of ${symbol} is as configured`);
      return;
    }
    if (this.#differs.has(symbol)) return;
    this.#differs.add(symbol);
    const [is, should] = [textFromFixed(read), textFromFixed(configured)];
    this.#notify('warn', `leverage of ${symbol} is ${is} at the venue and ${should} in the config`);
  }

  #notify(level: 'info' | 'warn', text: string): void {
    this.#parts.effects.notify({ level, text });
  }
}
