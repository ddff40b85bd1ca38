import {
  fixedFromNumber,
  numberFromFixed,
  ZERO,
  type Quantity,
  type Price,
} from '../core/fixed.js';
import type { Candle } from '../core/candle.js';
import type { Lane } from './lane.js';
import type { OrderDesk } from './order-desk.js';
import { protectionFor, type Protection } from './protection.js';
import type { Step } from './host/step.js';

/** What an open position has been through: kept with the strategy's durable state. */
interface Ride {
  readonly side: 'buy' | 'sell';
  /** Venue ms of the first fill that this process, or one before it, saw. */
  readonly since: number;
  /** The best price since, USDT. */
  best: number;
  /** The stop as it was set last, USDT; absent: as it came with the entry. */
  stop?: number;
}

const VERSION = 1;
/** A better stop is worth a request when it is better by this part of its distance. */
const LEAST_STEP = 0.1;

/**
 * Exits that the venue does not know, by configuration: a stop that trails or goes to the entry is moved
 * at the venue at closed candles, so that the venue's own stop guards the position whatever becomes of
 * the bot; a position that is too old is closed. A stop never moves away from the price.
 */
export class Exits {
  readonly #desk: OrderDesk;
  readonly #protection: Protection;
  readonly #rides = new Map<string, Ride>();
  /** Nothing to see to. */
  readonly isIdle: boolean;

  constructor(desk: OrderDesk) {
    this.#desk = desk;
    this.#protection = desk.settings.protection;
    const { trailingPct, breakEvenPct, maxHoldMs } = this.#protection;
    this.isIdle =
      trailingPct === undefined && breakEvenPct === undefined && maxHoldMs === undefined;
  }

  /** The position has changed. */
  moved(symbol: string): void {
    const position = this.#desk.world.position(symbol);
    const side = position > 0 ? 'buy' : 'sell';
    if (position === 0) this.#desk.forgetStop(symbol);
    if (this.isIdle || (position !== 0 && this.#ride(symbol)?.side === side)) return;
    if (position === 0) this.#forget(symbol);
    else this.#begin(symbol, side);
  }

  /** A live candle of the strategy's own interval. */
  candle(
    lane: Lane,
    { high, low, close }: Pick<Candle, 'high' | 'low' | 'close'>,
    step: Step,
  ): void {
    const { symbol } = lane;
    const { world } = this.#desk;
    if (this.isIdle || world.position(symbol) === 0 || lane.desired === 0) return;
    this.moved(symbol);
    const ride = this.#ride(symbol);
    if (ride === undefined) return;
    const { maxHoldMs } = this.#protection;
    const age = world.venueTime - ride.since;
    if (maxHoldMs !== undefined && age >= maxHoldMs) {
      this.#leave(lane, close, step, `held for ${age / 60_000} minutes: protect.max_hold`);
      return;
    }
    const best = ride.side === 'buy' ? Math.max(ride.best, high) : Math.min(ride.best, low);
    const moved = best !== ride.best;
    ride.best = best;
    const stopped = this.#raise(symbol, ride, close, step);
    if (stopped === 'passed')
      this.#leave(lane, close, step, 'the price is beyond its stop already');
    else if (moved || stopped === 'set') this.#keep(symbol, ride);
  }

  #raise(symbol: string, ride: Ride, close: number, step: Step): 'set' | 'passed' | 'stays' {
    const { world } = this.#desk;
    const entry = world.entryPrice(symbol);
    const instrument = world.instrument(symbol);
    if (instrument === undefined) return 'stays';
    const sign = ride.side === 'buy' ? 1 : -1;
    const wanted = this.#wanted(
      ride,
      entry === undefined ? undefined : numberFromFixed(entry),
      sign,
    );
    if (wanted === undefined) return 'stays';
    const before = ride.stop ?? stopNumber(this.#desk.stopOf(symbol));
    const least = Math.abs(close - wanted) * LEAST_STEP;
    if (before !== undefined && (wanted - before) * sign <= least) return 'stays';
    if ((close - wanted) * sign <= 0) return 'passed';
    const facts = { side: ride.side, price: fixedFromNumber<'price'>(close), instrument };
    const { stopLoss } = protectionFor(facts, {}, { stopLoss: wanted });
    if (stopLoss === undefined) return 'stays';
    ride.stop = wanted;
    this.#desk.protect(symbol, { stopLoss }, step.cause());
    return 'set';
  }

  /** The best of what trailing and break-even ask for. */
  #wanted({ best }: Ride, entry: number | undefined, sign: number): number | undefined {
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

  #leave(lane: Lane, close: number, step: Step, why: string): void {
    this.#desk.say('info', `${lane.symbol}: closed: ${why}`);
    step.explain(why);
    const reference = fixedFromNumber<'price'>(close);
    const decision = step.decision({ ordinal: step.takeOrdinal(), reference, prices: {} });
    // The strategy's own word stands: asking for the same again is no new entry.
    lane.decide(ZERO as Quantity, lane.wanted ?? { unit: 'conviction', value: 0 }, decision);
  }

  #begin(symbol: string, side: Ride['side']): void {
    const { world } = this.#desk;
    const entry = world.entryPrice(symbol);
    const best = entry === undefined ? world.lastPrice(symbol) : numberFromFixed(entry);
    if (best === undefined) return;
    const ride: Ride = { side, since: world.venueTime, best };
    this.#rides.set(symbol, ride);
    this.#keep(symbol, ride);
  }

  #ride(symbol: string): Ride | undefined {
    const known = this.#rides.get(symbol);
    if (known !== undefined) return known;
    const kept = this.#desk.world.kept(keyOf(symbol));
    if (kept === undefined || kept.version !== VERSION || kept.value === GONE) return undefined;
    const ride = JSON.parse(kept.value) as Ride;
    this.#rides.set(symbol, ride);
    return ride;
  }

  #forget(symbol: string): void {
    if (this.#ride(symbol) === undefined) return;
    this.#rides.delete(symbol);
    this.#desk.world.keep(keyOf(symbol), { version: VERSION, value: GONE });
  }

  #keep(symbol: string, ride: Ride): void {
    this.#desk.world.keep(keyOf(symbol), { version: VERSION, value: JSON.stringify(ride) });
  }
}

const GONE = 'null';
const keyOf = (symbol: string): string => `exits:${symbol}`;
const stopNumber = (price: Price | undefined): number | undefined =>
  price === undefined ? undefined : numberFromFixed(price);
