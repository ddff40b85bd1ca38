import { failurePlace } from './failure-place.js';
import type { Outbox } from './context.js';
import type { Intent } from './intent.js';
import type { OrderDesk } from './order-desk.js';
import type { SizeWish } from './size-wish.js';
import type { Known, Trader } from './trader.js';

/** Intents of one call: a strategy that asks for more is out of its mind. */
const MAX_INTENTS = 100;

export interface HostOutboxParts {
  readonly desk: OrderDesk;
  readonly trader: () => Trader;
  readonly symbols: readonly string[];
  /** It runs: what it asks for counts. */
  readonly runs: () => boolean;
  readonly timer: (symbol: string, at: number, key: string) => void;
  readonly explain: (text: string) => void;
  /** An intent came when nobody had called the strategy. */
  readonly strayed: () => void;
}

/** Where a strategy leaves what it asks for, while it is called. */
export class HostOutbox implements Outbox {
  readonly intents: Intent[] = [];
  /** The strategy is being called: what it asks for belongs to the step. */
  listening = false;
  readonly #parts: HostOutboxParts;
  #tooMany: Error | undefined;

  constructor(parts: HostOutboxParts) {
    this.#parts = parts;
  }

  put(intent: Intent): void {
    const { desk, runs, strayed } = this.#parts;
    if (!runs()) return;
    if (!this.listening) {
      desk.refuse(`${String(intent?.kind)}: it came outside of any step`);
      strayed();
    } else if (this.intents.length < MAX_INTENTS) {
      this.intents.push(intent);
      this.#lookAtSymbol(intent);
    } else
      this.#tooMany ??= new RangeError(`it asked for more than ${MAX_INTENTS} intents in one call`);
  }

  /** @throws RangeError when the call that is over asked for too much */
  check(): void {
    const error = this.#tooMany;
    this.#tooMany = undefined;
    if (error !== undefined) throw error;
  }

  clear(): void {
    this.intents.length = 0;
    this.#tooMany = undefined;
  }

  explain(text: string): void {
    this.#parts.explain(text);
  }

  timer(symbol: string, at: number, key: string): void {
    if (!Number.isSafeInteger(at)) throw new RangeError(`a timer is set at ${at}, not at whole ms`);
    this.#parts.timer(symbol, at, key);
  }

  quantityOf(symbol: string, size: SizeWish, known: Known): number | undefined {
    return this.#parts.trader().quantityOf(symbol, size, known);
  }

  /** Only here is the place known: what is refused later names none. */
  #lookAtSymbol(intent: Intent): void {
    const { symbols, desk } = this.#parts;
    const symbol = (intent as { readonly symbol?: unknown } | undefined | null)?.symbol;
    if (typeof symbol !== 'string' || symbols.includes(symbol)) return;
    const place = failurePlace(new Error('here'));
    if (place === undefined) return;
    desk.say('warn', `${symbol} is not a symbol of this strategy: asked for at ${place}`);
  }
}
