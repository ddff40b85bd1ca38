import { assert } from '../../core/assert.js';
import type { Price } from '../../core/fixed.js';
import { decisionKey, type Cause } from '../../core/intent.js';
import type { Interval } from '../../core/interval.js';
import type { CandleArrays } from '../../market/candle-columns.js';
import type { ProtectionPrices } from '../protection.js';
import type { StrategyWorld } from '../world.js';

/** UTF-16 units: an explanation goes into the journal with each order. */
const EXPLANATION_LENGTH = 500;

interface Judgement {
  /** Which of the intents of one cause. */
  readonly ordinal: number;
  /** What size and protection are computed from. */
  readonly reference: Price;
  /** Given by the strategy instead of the configured percentages. */
  readonly prices: ProtectionPrices;
}

/** What one intent of a strategy became: the root of its orders' identities. */
export interface Decision extends Judgement {
  readonly cause: Cause;
  /** Venue ms. */
  readonly decidedAt: number;
  /** Monotonic ms of the same moment. */
  readonly decidedMonotonic: number;
  /** It says a target again that was refused. */
  readonly repeats?: boolean;
  /** What the strategy said on the event. */
  readonly explanation?: string;
  /** How its size was cut to what the limits leave. */
  readonly sizing?: string;
  /** Of the next order. */
  leg: number;
}

/** By content: after a journal has been read back, a cause is an equal object, not the same. */
export const isSameDecision = (
  a: Pick<Decision, 'cause' | 'ordinal'>,
  b: Pick<Decision, 'cause' | 'ordinal'>,
): boolean =>
  a.ordinal === b.ordinal &&
  (a.cause === b.cause || decisionKey(a.cause, a.ordinal) === decisionKey(b.cause, b.ordinal));

/** The close of a symbol's candle that belongs to the event; undefined where it has none. */
export type CloseOf = (symbol: string) => number | undefined;

/** Of an event that nothing but venue time tells from another of the same key. */
export const causeOfNow = (
  { venueTime }: Pick<StrategyWorld, 'venueTime'>,
  key: string,
): Cause => ({
  kind: 'timer',
  venueTime,
  key,
});

/**
 * The event being handled, as far as decisions need it. One reused object; a cause is made when
 * somebody decides.
 */
export class Step {
  readonly #world: StrategyWorld;
  #symbol = '';
  #interval: Interval = '1m';
  /** Of the last candle; the event may be another one since. */
  #candles: CandleArrays | undefined;
  #isCandle = false;
  #index = 0;
  #cause: Cause | undefined;
  #ordinal = 0;
  #explanation: string | undefined;
  /** Ordinals taken of causes that are no candle, while venue time stands still. */
  readonly #taken = new Map<string, number>();
  #takenAt = Number.NaN;
  #key = '';
  #closeOf: CloseOf | undefined;

  constructor(world: StrategyWorld) {
    this.#world = world;
  }

  candle(symbol: string, interval: Interval, candles: CandleArrays, index: number): void {
    this.#symbol = symbol;
    this.#interval = interval;
    this.#candles = candles;
    this.#isCandle = true;
    this.#index = index;
    this.#cause = undefined;
    this.#ordinal = 0;
    this.#explanation = undefined;
  }

  /** An event that is no candle. One that comes again goes on counting: no two decisions share a key. */
  other(cause: Cause, closeOf?: CloseOf): void {
    this.#closeOf = closeOf;
    const { venueTime } = this.#world;
    if (venueTime !== this.#takenAt) this.#taken.clear();
    this.#takenAt = venueTime;
    this.#key = decisionKey(cause, 0);
    this.#ordinal = this.#taken.get(this.#key) ?? 0;
    this.#isCandle = false;
    this.#cause = cause;
    this.#explanation = undefined;
  }

  /** The last word of the event goes with its decisions. */
  explain(text: string): void {
    this.#explanation = text.slice(0, EXPLANATION_LENGTH);
  }

  /** Counts every intent, also one that changes nothing: the state must not move later keys. */
  takeOrdinal(): number {
    const ordinal = this.#ordinal++;
    if (!this.#isCandle) this.#taken.set(this.#key, this.#ordinal);
    return ordinal;
  }

  /** Whether the decision was taken on the event being handled. */
  isOf(decision: Decision): boolean {
    return decision.cause === this.#cause;
  }

  /** undefined when no price of the symbol is known. */
  reference(symbol: string): number | undefined {
    if (this.#isCandle && symbol === this.#symbol) return this.#candles?.close[this.#index];
    const close = this.#isCandle ? undefined : this.#closeOf?.(symbol);
    return close ?? this.#world.lastPrice(symbol);
  }

  /** The candle that was handled last, this one or one before this event. */
  get lastCandle(): Omit<Extract<Cause, { kind: 'candle' }>, 'kind'> | undefined {
    const openTime = this.#candles?.openTime[this.#index];
    if (openTime === undefined) return undefined;
    return { symbol: this.#symbol, interval: this.#interval, openTime };
  }

  /** Of the event being handled. */
  cause(): Cause {
    return (this.#cause ??= this.#candleCause());
  }

  decision({ ordinal, reference, prices }: Judgement): Decision {
    const cause = this.cause();
    return {
      cause,
      ordinal,
      decidedAt: this.#world.venueTime,
      decidedMonotonic: this.#world.monotonic,
      reference,
      prices,
      ...(this.#explanation !== undefined && { explanation: this.#explanation }),
      leg: 0,
    };
  }

  #candleCause(): Cause {
    const candle = this.#isCandle ? this.lastCandle : undefined;
    assert(candle !== undefined, 'A decision has an event');
    return { kind: 'candle', ...candle };
  }
}
