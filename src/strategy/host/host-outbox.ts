import { FarError, failurePlace } from './failure-place.js';
import type { Failures } from './failures.js';
import type { Outbox } from '../context.js';
import type { Intent } from '../intent.js';
import type { OrderDesk } from '../order-desk.js';
import type { SizeWish } from '../size/size-wish.js';
import type { Known, Trader } from '../trader.js';
import type { HookTimers } from './hook-timers.js';
import type { Life } from './life.js';
import type { Step } from './step.js';

/** Intents of one call: a strategy that asks for more is out of its mind. */
export const MAX_INTENTS = 100;

const STRAYED = 'an intent came outside of any step: operators that need time take `scheduler`';

export interface HostOutboxParts {
  readonly desk: OrderDesk;
  readonly trader: Trader;
  readonly symbols: readonly string[];
  readonly life: Life;
  readonly step: Step;
  readonly timers: HookTimers;
  readonly failures: Failures;
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

  put(intent: Intent, place?: string): void {
    const { desk, life, failures } = this.#parts;
    if (!life.runs) return;
    if (!this.listening) {
      desk.refuse(`${String(intent?.kind)}: it came outside of any step`);
      failures.note(STRAYED);
      life.end('failed', STRAYED);
    } else if (this.intents.length < MAX_INTENTS) {
      this.intents.push(intent);
      this.#lookAtSymbol(intent, place);
    } else this.#tooMany ??= tooMany(place);
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
    const { life, desk, step } = this.#parts;
    if (!life.live) return;
    desk.say('info', text);
    step.explain(String(text));
  }

  timer(symbol: string, at: number, key: string): void {
    checkTimer(at);
    this.#parts.timers.set(symbol, at, key);
  }

  quantityOf(symbol: string, size: SizeWish, known: Known): number | undefined {
    return this.#parts.trader.quantityOf(symbol, size, known);
  }

  /** Only here is the place known: what is refused later names none. */
  #lookAtSymbol(intent: Intent, told: string | undefined): void {
    const { symbols, desk } = this.#parts;
    const symbol = foreignSymbol(intent, symbols);
    if (symbol === undefined) return;
    const place = told ?? failurePlace(new Error('here'));
    if (place === undefined) return;
    desk.say('warn', `${symbol} is not a symbol of this strategy: asked for at ${place}`);
  }
}

function tooMany(place: string | undefined): Error {
  const text = `it asked for more than ${MAX_INTENTS} intents in one call`;
  return place === undefined
    ? new RangeError(text)
    : new FarError(`RangeError: ${text} at ${place}`);
}

/** What an intent names that the strategy does not trade. */
export function foreignSymbol(intent: unknown, symbols: readonly string[]): string | undefined {
  const symbol = (intent as { readonly symbol?: unknown } | undefined | null)?.symbol;
  return typeof symbol === 'string' && !symbols.includes(symbol) ? symbol : undefined;
}

/** @throws RangeError for what is no venue time */
export function checkTimer(at: number): void {
  if (!Number.isSafeInteger(at)) throw new RangeError(`a timer is set at ${at}, not at whole ms`);
}
