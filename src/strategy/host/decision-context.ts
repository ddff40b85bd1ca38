import { assert } from '../../core/assert.js';
import type { Price } from '../../core/fixed/fixed.js';
import { decisionKey, type DecisionCause } from '../../core/intent.js';
import type { Interval } from '../../core/interval.js';
import type { Writable } from '../../core/table/writable.js';
import type { CandleArrays } from '../../market/candles/candle-columns.js';
import type { ProtectionPrices } from '../contract/protection.js';
import type { StrategyPort } from '../contract/strategy-port.js';

/** UTF-16 units: an explanation goes into the journal with each order. */
const EXPLANATION_LENGTH = 500;

interface DecisionTerms {
  /** Index among the intents of one cause. */
  readonly ordinal: number;
  /** Price for size and protection. */
  readonly reference: Price;
  /** Prices of the strategy instead of the configured percentages. */
  readonly prices: ProtectionPrices;
}

/** The decision of one intent: its orders' ids derive from it. */
export interface Decision extends DecisionTerms {
  readonly cause: DecisionCause;
  /** Venue ms. */
  readonly decidedAt: number;
  /** Monotonic ms of the same moment. */
  readonly decidedMonotonic: number;
  /** It repeats a target that was refused. */
  readonly repeats?: boolean;
  /** The strategy's explanation on the event. */
  readonly explanation?: string;
  /** How the risk limits cut its size, for people. */
  readonly sizing?: string;
  /** Index of the next order. */
  leg: number;
}

/** Compares by content: a cause read back from the journal is another object. */
export const isSameDecision = (
  a: Pick<Decision, 'cause' | 'ordinal'>,
  b: Pick<Decision, 'cause' | 'ordinal'>,
): boolean =>
  a.ordinal === b.ordinal &&
  (a.cause === b.cause || decisionKey(a.cause, a.ordinal) === decisionKey(b.cause, b.ordinal));

/** The close of a symbol's candle that belongs to the event; undefined where it has none. */
export type CloseOf = (symbol: string) => number | undefined;

/** Cause of an event that only venue time distinguishes from another of the same key. */
export const timerCause = (
  { venueTime }: Pick<StrategyPort, 'venueTime'>,
  key: string,
): DecisionCause => ({
  kind: 'timer',
  venueTime,
  key,
});

/**
 * The event being handled, as far as decisions need it. One reused object; a cause is created with the
 * first decision.
 */
export class DecisionContext {
  readonly #port: StrategyPort;
  #symbol = '';
  #interval: Interval = '1m';
  /** Candles of the last candle event; the current event may be another one. */
  #candles: CandleArrays | undefined;
  #isCandle = false;
  #index = 0;
  #cause: DecisionCause | undefined;
  #ordinal = 0;
  #explanation: string | undefined;
  /** Ordinals used by causes that are no candle, at the current venue time. */
  readonly #usedOrdinals = new Map<string, number>();
  #usedOrdinalsAt = Number.NaN;
  #key = '';
  #closeOf: CloseOf | undefined;

  constructor(port: StrategyPort) {
    this.#port = port;
  }

  setCandle(symbol: string, interval: Interval, candles: CandleArrays, index: number): void {
    this.#symbol = symbol;
    this.#interval = interval;
    this.#candles = candles;
    this.#isCandle = true;
    this.#index = index;
    this.#cause = undefined;
    this.#ordinal = 0;
    this.#explanation = undefined;
  }

  /** Sets an event that is no candle. A repeated one continues its ordinals: no two decisions share a key. */
  setEvent(cause: DecisionCause, closeOf?: CloseOf): void {
    this.#closeOf = closeOf;
    const { venueTime } = this.#port;
    if (venueTime !== this.#usedOrdinalsAt) this.#usedOrdinals.clear();
    this.#usedOrdinalsAt = venueTime;
    this.#key = decisionKey(cause, 0);
    this.#ordinal = this.#usedOrdinals.get(this.#key) ?? 0;
    this.#isCandle = false;
    this.#cause = cause;
    this.#explanation = undefined;
  }

  /** The last explanation of an event is part of its decisions. */
  explain(text: string): void {
    this.#explanation = text.slice(0, EXPLANATION_LENGTH);
  }

  /** Counts every intent, even one without effect: later keys must not depend on the state. */
  nextOrdinal(): number {
    const ordinal = this.#ordinal++;
    if (!this.#isCandle) this.#usedOrdinals.set(this.#key, this.#ordinal);
    return ordinal;
  }

  /** Whether the decision belongs to the current event. */
  isFromCurrentEvent(decision: Decision): boolean {
    return decision.cause === this.#cause;
  }

  /** undefined when no price of the symbol is known. */
  reference(symbol: string): number | undefined {
    if (this.#isCandle && symbol === this.#symbol) return this.#candles?.close[this.#index];
    const close = this.#isCandle ? undefined : this.#closeOf?.(symbol);
    return close ?? this.#port.lastPrice(symbol);
  }

  /** The last handled candle: that of the current event, or an earlier one. */
  get lastCandle(): Omit<Extract<DecisionCause, { kind: 'candle' }>, 'kind'> | undefined {
    const openTime = this.#candles?.openTime[this.#index];
    if (openTime === undefined) return undefined;
    return { symbol: this.#symbol, interval: this.#interval, openTime };
  }

  /** Cause of the current event. */
  cause(): DecisionCause {
    return (this.#cause ??= this.#candleCause());
  }

  decision({ ordinal, reference, prices }: DecisionTerms): Decision {
    const decision: Writable<Decision> = {
      cause: this.cause(),
      ordinal,
      decidedAt: this.#port.venueTime,
      decidedMonotonic: this.#port.monotonic,
      reference,
      prices,
      leg: 0,
    };
    if (this.#explanation !== undefined) decision.explanation = this.#explanation;
    return decision;
  }

  #candleCause(): DecisionCause {
    const candle = this.#isCandle ? this.lastCandle : undefined;
    assert(candle !== undefined, 'A decision has an event');
    const { symbol, interval, openTime } = candle;
    return { kind: 'candle', symbol, interval, openTime };
  }
}
