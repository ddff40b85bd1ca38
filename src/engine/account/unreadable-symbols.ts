import type { UnreadableRow } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';

/** Lists of the venue that show open orders and positions. */
export type ListName = 'positions' | 'open orders' | 'order history';

interface UnreadableSymbolsParts {
  readonly journal: Pick<Journal, 'accountNote'>;
  readonly effects: Pick<EffectSink, 'notify'>;
}

/**
 * Symbols with an unreadable row in the newest lists. Their state is unknown, so nothing increases
 * them; the venue itself bounds a reduction. A note reports each symbol once, and once more when all of
 * its rows are readable again.
 */
export class UnreadableSymbols {
  readonly #parts: UnreadableSymbolsParts;
  /** Reasons by symbol, of each list. */
  readonly #lists = new Map<string, ReadonlyMap<string, string>>();

  constructor(parts: UnreadableSymbolsParts) {
    this.#parts = parts;
  }

  /** Applies the newest read of one list. */
  update(list: ListName, currency: Currency, rows: readonly UnreadableRow[] = []): void {
    const name = `${list} in ${currency}`;
    if (rows.length === 0 && !this.#lists.has(name)) return;
    const before = this.all;
    const reasons = rows.map(({ symbol, fault }) => {
      return [symbol, `its row of the ${name} does not read: ${fault}`] as const;
    });
    if (reasons.length === 0) this.#lists.delete(name);
    else this.#lists.set(name, new Map(reasons));
    const now = this.all;
    for (const [symbol, reason] of now)
      if (!before.has(symbol)) this.#reportUnreadable(symbol, reason);
    for (const symbol of before.keys()) if (!now.has(symbol)) this.#reportReadable(symbol);
  }

  /** Reasons by symbol. */
  get all(): ReadonlyMap<string, string> {
    return new Map([...this.#lists.values()].flatMap((reasons) => [...reasons]));
  }

  /** Why this symbol is unknown; undefined: all of its rows are readable. */
  reason(symbol: string): string | undefined {
    for (const reasons of this.#lists.values()) {
      const reason = reasons.get(symbol);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  #reportUnreadable(symbol: string, reason: string): void {
    const text = `${symbol} is unknown: ${reason}. Only reductions leave for it until its rows read; other symbols go on`;
    this.#parts.journal.accountNote('warn', text);
    this.#parts.effects.notify({ level: 'warn', text });
  }

  #reportReadable(symbol: string): void {
    const text = `${symbol} reads again: it may trade`;
    this.#parts.journal.accountNote('info', text);
    this.#parts.effects.notify({ level: 'info', text });
  }
}
