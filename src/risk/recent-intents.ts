import type { Currency } from '../core/currency.js';
import { absolute, isAtMost, subtract, type Quantity } from '../core/fixed.js';
import { decisionKey, type OrderIntent } from '../core/intent.js';
import { INTERVALS } from '../core/interval.js';
import { LegMemory } from './leg-memory.js';

/** Three refused duplicates of one strategy within it stop the strategy (R08). Venue ms. */
const STORM_WINDOW_MS = 60_000;
const STORM_COUNT = 3;
const ORDINALS = 64;
const LEGS = 8;
const INTERVAL_SLOTS = 16;

type Decision = number | string;

interface Recent {
  readonly buy: boolean;
  readonly quantity: Quantity;
  readonly at: number;
  readonly decision: Decision;
}

/** What one strategy wanted in one symbol and currency. */
interface Book {
  readonly legs: LegMemory;
  /** Ascending by time. */
  readonly recent: Recent[];
}

/** The gate's memory of what it approved. Copies values: callers may reuse their intents. */
export class RecentIntents {
  readonly #books: Readonly<Record<Currency, Map<string, Map<string, Book>>>> = {
    USDT: new Map(),
    INR: new Map(),
  };
  readonly #duplicates = new Map<string, number[]>();

  /** @param at venue ms; not before that of an earlier call by more than a clock's correction */
  remember(intent: OrderIntent, at: number): void {
    const book = this.#bookOf(intent);
    const decision = decisionOf(intent);
    book.legs.add(legOf(decision, intent.leg));
    const { side, quantity } = intent.terms;
    book.recent.push({ buy: side === 'buy', quantity, at, decision });
  }

  /** Whether this decision and leg has passed before, at any time. */
  hasDecision(intent: OrderIntent): boolean {
    return this.#bookOf(intent).legs.has(legOf(decisionOf(intent), intent.leg));
  }

  /**
   * How long ago (venue ms) another decision asked for the same: symbol, side and quantity within a
   * step. Legs of one decision are no duplicates of each other: a reversal sells twice. A window of 0 holds
   * nothing.
   */
  sinceSame(
    intent: OrderIntent,
    within: { readonly now: number; readonly windowMs: number; readonly step: Quantity },
  ): number | undefined {
    const { recent } = this.#bookOf(intent);
    while (recent[0] !== undefined && within.now - recent[0].at > within.windowMs) recent.shift();
    if (recent.length === 0 || within.windowMs === 0) return undefined;
    const decision = decisionOf(intent);
    const buy = intent.terms.side === 'buy';
    const same = recent.findLast(
      (other) =>
        other.buy === buy &&
        isAtMost(absolute(subtract(other.quantity, intent.terms.quantity)), within.step) &&
        other.decision !== decision,
    );
    return same === undefined ? undefined : within.now - same.at;
  }

  /** Counts a refused duplicate. true: it is the third within a minute. */
  countDuplicate(strategyId: string, now: number): boolean {
    const earlier = this.#duplicates.get(strategyId) ?? [];
    const within = [...earlier.filter((at) => now - at < STORM_WINDOW_MS), now];
    this.#duplicates.set(strategyId, within.slice(-STORM_COUNT));
    return within.length >= STORM_COUNT;
  }

  #bookOf(intent: OrderIntent): Book {
    const { currency, symbol } = intent.terms;
    const strategies = this.#books[currency];
    let symbols = strategies.get(intent.strategyId);
    if (symbols === undefined) strategies.set(intent.strategyId, (symbols = new Map()));
    let book = symbols.get(symbol);
    if (book === undefined) symbols.set(symbol, (book = { legs: new LegMemory(), recent: [] }));
    return book;
  }
}

const INTERVAL_SLOT = Object.fromEntries(INTERVALS.map((interval, slot) => [interval, slot]));

/**
 * The decision's key within its book. A candle's, by far the most frequent, as one integer (open
 * second, interval, ordinal): a text for each intent would cost more than its judgement.
 */
function decisionOf(intent: OrderIntent): Decision {
  const { cause, ordinal } = intent;
  const plain =
    cause.kind === 'candle' &&
    cause.symbol === intent.terms.symbol &&
    cause.openTime % 1_000 === 0 &&
    ordinal < ORDINALS &&
    intent.leg < LEGS;
  if (!plain) return decisionKey(cause, ordinal);
  const slot = INTERVAL_SLOT[cause.interval] ?? 0;
  return ((cause.openTime / 1_000) * INTERVAL_SLOTS + slot) * ORDINALS + ordinal;
}

const legOf = (decision: Decision, leg: number): Decision =>
  typeof decision === 'number' ? decision * LEGS + leg : `${decision}/${leg}`;
