import {
  fixedFromNumber,
  numberFromFixed,
  ZERO,
  type Quantity,
  type Price,
} from '../../core/fixed/fixed.js';
import type { Candle } from '../../core/candle.js';
import { sideSign, type Side } from '../../core/order.js';
import type { TargetTracker } from './target-tracker.js';
import type { OrderFactory } from './order-factory.js';
import { protectionFor, type Protection } from '../contract/protection.js';
import type { DecisionContext } from '../host/decision-context.js';

/** History of an open position, persisted with the strategy's durable state. */
interface ExitState {
  readonly side: 'buy' | 'sell';
  /** Venue ms of the first fill, in this run or a previous one. */
  readonly since: number;
  /** The best price since, USDT. */
  best: number;
  /** The stop as last set, USDT; absent: that of the entry. */
  stop?: number;
}

const VERSION = 1;
/** The stop moves only by at least this fraction of its distance, to save requests. */
const LEAST_STEP = 0.1;

/**
 * Configured exits that the venue does not offer. A trailing or break-even stop is moved at the venue at
 * closed candles, so that the venue's own stop protects the position while the bot is down. A position
 * older than `max_hold` is closed. A stop never moves away from the price.
 */
export class ExitManager {
  readonly #orderFactory: OrderFactory;
  readonly #protection: Protection;
  readonly #states = new Map<string, ExitState>();
  /** No such exit is configured. */
  readonly isIdle: boolean;

  constructor(orderFactory: OrderFactory) {
    this.#orderFactory = orderFactory;
    this.#protection = orderFactory.settings.protection;
    const { trailingPct, breakEvenPct, maxHoldMs } = this.#protection;
    this.isIdle =
      trailingPct === undefined && breakEvenPct === undefined && maxHoldMs === undefined;
    if (trailingPct !== undefined || breakEvenPct !== undefined)
      orderFactory.stopFloorOf = (symbol, side) => this.#stopFloor(symbol, side);
  }

  /** The stop that the position has reached: an order that increases it brings none that is farther away. */
  #stopFloor(symbol: string, side: Side): number | undefined {
    const { port } = this.#orderFactory;
    const state = port.position(symbol) === 0 ? undefined : this.#stateOf(symbol);
    if (state?.side !== side) return undefined;
    const sign = sideSign(side);
    const entry = port.entryPrice(symbol);
    const desired = this.#desiredStop(state, entry && numberFromFixed(entry), sign);
    if (state.stop === undefined || desired === undefined) return state.stop ?? desired;
    return sign > 0 ? Math.max(state.stop, desired) : Math.min(state.stop, desired);
  }

  onPositionChanged(symbol: string): void {
    const position = this.#orderFactory.port.position(symbol);
    const side = position > 0 ? 'buy' : 'sell';
    if (position === 0) this.#orderFactory.clearStop(symbol);
    if (this.isIdle || (position !== 0 && this.#stateOf(symbol)?.side === side)) return;
    if (position === 0) this.#stopTracking(symbol);
    else this.#startTracking(symbol, side);
  }

  /** A live candle of the strategy's own interval. */
  onCandle(
    tracker: TargetTracker,
    { high, low, close }: Pick<Candle, 'high' | 'low' | 'close'>,
    decisionContext: DecisionContext,
  ): void {
    const { symbol } = tracker;
    const { port } = this.#orderFactory;
    if (this.isIdle || port.position(symbol) === 0 || tracker.desired === 0) return;
    this.onPositionChanged(symbol);
    const state = this.#stateOf(symbol);
    if (state === undefined) return;
    const { maxHoldMs } = this.#protection;
    const age = port.venueTime - state.since;
    if (maxHoldMs !== undefined && age >= maxHoldMs) {
      this.#closePosition(
        tracker,
        close,
        decisionContext,
        `held for ${age / 60_000} minutes: protect.max_hold`,
      );
      return;
    }
    const best = state.side === 'buy' ? Math.max(state.best, high) : Math.min(state.best, low);
    const moved = best !== state.best;
    state.best = best;
    const stopped = this.#moveStop(symbol, state, close, decisionContext);
    if (stopped === 'passed')
      this.#closePosition(tracker, close, decisionContext, 'the price is beyond its stop already');
    else if (moved || stopped === 'set') this.#persist(symbol, state);
  }

  #moveStop(
    symbol: string,
    state: ExitState,
    close: number,
    decisionContext: DecisionContext,
  ): 'set' | 'passed' | 'stays' {
    const { port } = this.#orderFactory;
    const entry = port.entryPrice(symbol);
    const instrument = port.instrument(symbol);
    if (instrument === undefined) return 'stays';
    const sign = sideSign(state.side);
    const desired = this.#desiredStop(
      state,
      entry === undefined ? undefined : numberFromFixed(entry),
      sign,
    );
    if (desired === undefined) return 'stays';
    const before = state.stop ?? stopNumber(this.#orderFactory.stopOf(symbol));
    const least = Math.abs(close - desired) * LEAST_STEP;
    if (before !== undefined && (desired - before) * sign <= least) return 'stays';
    if ((close - desired) * sign <= 0) return 'passed';
    const facts = { side: state.side, price: fixedFromNumber<'price'>(close), instrument };
    const { stopLoss } = protectionFor(facts, {}, { stopLoss: desired });
    if (stopLoss === undefined) return 'stays';
    state.stop = desired;
    this.#orderFactory.protect(symbol, { stopLoss }, decisionContext.cause());
    return 'set';
  }

  /** The better of the trailing and the break-even stop. */
  #desiredStop({ best }: ExitState, entry: number | undefined, sign: number): number | undefined {
    const { trailingPct, breakEvenPct } = this.#protection;
    const trailing =
      trailingPct === undefined ? undefined : best * (1 - (sign * trailingPct) / 100);
    const reached =
      breakEvenPct !== undefined &&
      entry !== undefined &&
      (best - entry * (1 + (sign * breakEvenPct) / 100)) * sign >= 0;
    if (!reached || entry === undefined) return trailing;
    if (trailing === undefined) return entry;
    return sign > 0 ? Math.max(trailing, entry) : Math.min(trailing, entry);
  }

  #closePosition(
    tracker: TargetTracker,
    close: number,
    decisionContext: DecisionContext,
    why: string,
  ): void {
    this.#orderFactory.log('info', `${tracker.symbol}: closed: ${why}`);
    decisionContext.explain(why);
    const reference = fixedFromNumber<'price'>(close);
    const decision = decisionContext.decision({
      ordinal: decisionContext.nextOrdinal(),
      reference,
      prices: {},
    });
    // The strategy's own target is kept: the same request again is no new entry.
    tracker.setTarget(
      ZERO as Quantity,
      tracker.targetValue ?? { unit: 'conviction', value: 0 },
      decision,
    );
  }

  #startTracking(symbol: string, side: ExitState['side']): void {
    const { port } = this.#orderFactory;
    const entry = port.entryPrice(symbol);
    const best = entry === undefined ? port.lastPrice(symbol) : numberFromFixed(entry);
    if (best === undefined) return;
    const state: ExitState = { side, since: port.venueTime, best };
    this.#states.set(symbol, state);
    this.#persist(symbol, state);
  }

  #stateOf(symbol: string): ExitState | undefined {
    const known = this.#states.get(symbol);
    if (known !== undefined) return known;
    const persisted = this.#orderFactory.port.persisted(exitStateKey(symbol));
    if (persisted === undefined || persisted.version !== VERSION || persisted.value === NO_STATE)
      return undefined;
    const state = JSON.parse(persisted.value) as ExitState;
    this.#states.set(symbol, state);
    return state;
  }

  #stopTracking(symbol: string): void {
    if (this.#stateOf(symbol) === undefined) return;
    this.#states.delete(symbol);
    this.#orderFactory.port.persist(exitStateKey(symbol), { version: VERSION, value: NO_STATE });
  }

  #persist(symbol: string, state: ExitState): void {
    this.#orderFactory.port.persist(exitStateKey(symbol), {
      version: VERSION,
      value: JSON.stringify(state),
    });
  }
}

const NO_STATE = 'null';
export const exitStateKey = (symbol: string): string => `exits:${symbol}`;
const stopNumber = (price: Price | undefined): number | undefined =>
  price === undefined ? undefined : numberFromFixed(price);
