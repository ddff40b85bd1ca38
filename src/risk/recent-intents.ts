import type { Currency } from '../core/currency.js';
import { absolute, isAtMost, isGreater, isLess, subtract } from '../core/fixed/fixed.js';
import type { Price, Quantity } from '../core/fixed/fixed.js';
import { decisionKey, type OrderIntent } from '../core/intent.js';
import { INTERVALS } from '../core/interval.js';
import { SubmittedLegs } from './submitted-legs.js';

/** Venue ms: `STORM_COUNT` refused duplicates of a strategy within this window stop it (R08). */
export const STORM_WINDOW_MS = 60_000;
export const STORM_COUNT = 3;
/** More entries than a limit per minute can be. */
const MAX_COUNTED_ENTRIES = 10_000;
const ORDINALS = 64;
const LEGS = 8;
const MAX_INTERVALS = 16;

type DecisionKey = number | string;

interface Recent {
  readonly buy: boolean;
  readonly quantity: Quantity;
  /** Of an order that rests; undefined: it fills at the market's price. */
  readonly price: Price | undefined;
  readonly at: number;
  readonly decision: DecisionKey;
}

/** Approved intents of one strategy in one symbol and currency. */
interface IntentHistory {
  readonly legs: SubmittedLegs;
  /** Ascending by time. */
  readonly recent: Recent[];
}

/** The intents that the gate has approved. Values are copied: callers may reuse their objects. */
export class RecentIntents {
  readonly #histories: Readonly<Record<Currency, Map<string, Map<string, IntentHistory>>>> = {
    USDT: new Map(),
    INR: new Map(),
  };
  readonly #duplicates = new Map<string, number[]>();
  /** Venue times of the last entries, in order of approval. */
  readonly #entries: number[] = [];

  /** @param at venue ms; ascending, except for clock corrections */
  remember(intent: OrderIntent, at: number): void {
    const history = this.#historyOf(intent);
    const decision = decisionKeyOf(intent);
    history.legs.add(legKeyOf(decision, intent.leg));
    const { side, quantity } = intent.terms;
    const price = restingPrice(intent);
    history.recent.push({ buy: side === 'buy', quantity, price, at, decision });
    if (intent.terms.reduceOnly) return;
    this.#entries.push(at);
    if (this.#entries.length > MAX_COUNTED_ENTRIES) this.#entries.shift();
  }

  /** Approved entries after a venue time, at most `MAX_COUNTED_ENTRIES`. */
  entriesSince(venueTime: number): number {
    let count = 0;
    for (let index = this.#entries.length - 1; index >= 0; index -= 1) {
      // Times ascend but for a correction of the clock: the first older one ends the minute.
      if ((this.#entries[index] ?? venueTime) <= venueTime) break;
      count += 1;
    }
    return count;
  }

  /** Whether this decision and leg has been approved before, at any time. */
  hasDecision(intent: OrderIntent): boolean {
    return this.#historyOf(intent).legs.has(legKeyOf(decisionKeyOf(intent), intent.leg));
  }

  /**
   * Venue ms since another decision requested the same symbol, side, quantity (within a step) and price. An
   * order that fills at the market's price equals every other such order: its limit and stop are not compared. Legs
   * of one decision are no duplicates of each other: a reversal sells twice. A window of 0 disables the check.
   */
  msSinceSame(
    intent: OrderIntent,
    window: { readonly now: number; readonly windowMs: number; readonly step: Quantity },
  ): number | undefined {
    const { recent } = this.#historyOf(intent);
    while (recent[0] !== undefined && window.now - recent[0].at > window.windowMs) recent.shift();
    if (recent.length === 0 || window.windowMs === 0) return undefined;
    const decision = decisionKeyOf(intent);
    const buy = intent.terms.side === 'buy';
    const price = restingPrice(intent);
    const same = recent.findLast(
      (other) =>
        other.buy === buy &&
        other.price === price &&
        isAtMost(absolute(subtract(other.quantity, intent.terms.quantity)), window.step) &&
        other.decision !== decision,
    );
    return same === undefined ? undefined : window.now - same.at;
  }

  /** Counts a refused duplicate. @returns whether it is the third within a minute */
  countDuplicate(strategyId: string, now: number): boolean {
    const earlier = this.#duplicates.get(strategyId) ?? [];
    const within = [...earlier.filter((at) => now - at < STORM_WINDOW_MS), now];
    this.#duplicates.set(strategyId, within.slice(-STORM_COUNT));
    return within.length >= STORM_COUNT;
  }

  /** Refused duplicates of a strategy within the minute before a venue time. */
  duplicates(strategyId: string, now: number): number {
    const times = this.#duplicates.get(strategyId) ?? [];
    return times.filter((at) => now - at < STORM_WINDOW_MS).length;
  }

  #historyOf(intent: OrderIntent): IntentHistory {
    const { currency, symbol } = intent.terms;
    const strategies = this.#histories[currency];
    let symbols = strategies.get(intent.strategyId);
    if (symbols === undefined) strategies.set(intent.strategyId, (symbols = new Map()));
    let history = symbols.get(symbol);
    if (history === undefined)
      symbols.set(symbol, (history = { legs: new SubmittedLegs(), recent: [] }));
    return history;
  }
}

/**
 * The limit price of an order that rests. The limit of a marketable order follows the market, so that a loop of such
 * orders would never repeat one.
 */
function restingPrice({ terms: { side, price }, referencePrice }: OrderIntent): Price | undefined {
  if (price === undefined) return undefined;
  const isPast = side === 'buy' ? isGreater : isLess;
  return isPast(price, referencePrice) ? undefined : price;
}

const INTERVAL_INDEX = Object.fromEntries(INTERVALS.map((interval, index) => [interval, index]));

/**
 * The decision's key within its history. The key of a candle decision, by far the most frequent, is one
 * integer (open second, interval, ordinal): a text per intent would cost more than the checks.
 */
function decisionKeyOf(intent: OrderIntent): DecisionKey {
  const { cause, ordinal } = intent;
  const plain =
    cause.kind === 'candle' &&
    cause.symbol === intent.terms.symbol &&
    cause.openTime % 1_000 === 0 &&
    ordinal < ORDINALS &&
    intent.leg < LEGS;
  if (!plain) return decisionKey(cause, ordinal);
  const intervalIndex = INTERVAL_INDEX[cause.interval] ?? 0;
  return ((cause.openTime / 1_000) * MAX_INTERVALS + intervalIndex) * ORDINALS + ordinal;
}

const legKeyOf = (decision: DecisionKey, leg: number): DecisionKey =>
  typeof decision === 'number' ? decision * LEGS + leg : `${decision}/${leg}`;
