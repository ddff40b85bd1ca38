import type { EntryStyle } from '../contract/entry-style.js';
import type { StrategyPort } from '../contract/strategy-port.js';

const EXPIRY_KEY = 'life:';

type ExpiryPort = Pick<StrategyPort, 'venueTime' | 'workingOrders' | 'decidedAt' | 'setTimer'>;

/** Lifetimes of marketable limit entries: `ttl_ms` of venue time. */
export class EntryExpiry {
  readonly #port: ExpiryPort;
  readonly #entry: EntryStyle;

  constructor(port: ExpiryPort, entry: EntryStyle) {
    this.#port = port;
    this.#entry = entry;
  }

  /** @param from venue ms of the decision; default: now */
  start(symbol: string, key: number, from = this.#port.venueTime): void {
    if (this.#entry.kind === 'market') return;
    this.#port.setTimer(from + this.#entry.ttlMs, `${EXPIRY_KEY}${key}:${symbol}`);
  }

  /** Sets the timers of entries of a previous run again: their lifetime goes on over a restart. */
  restore(symbol: string): void {
    if (this.#entry.kind === 'market') return;
    for (const { type, reduceOnly, key } of this.#port.workingOrders(symbol))
      if (type === 'limit' && !reduceOnly) this.start(symbol, key, this.#port.decidedAt?.(key));
  }

  owns(timerKey: string): boolean {
    return timerKey.startsWith(EXPIRY_KEY);
  }

  /** Key of the entry whose lifetime is over; undefined: it is not working any more. */
  expired(timerKey: string): number | undefined {
    const [, order, symbol = ''] = timerKey.split(':');
    return this.#port.workingOrders(symbol).find(({ key }) => String(key) === order)?.key;
  }
}
