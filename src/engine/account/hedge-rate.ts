import type { AccountSnapshot, PositionReport } from '../../core/account.js';
import type { EventTime } from '../../core/events.js';
import {
  absolute,
  compareProducts,
  fixedFromText,
  subtract,
  textFromFixed,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { OrderReport } from '../../core/order.js';
import type { Reply } from '../../core/request.js';
import type { EffectSink } from '../../execution/effects.js';

/** INR per USDT, as the config states it. */
export interface ConfiguredHedgeRate {
  readonly value: Ratio;
  /** Venue ms. Absent: each rate that the venue prints replaces it. */
  readonly asOf?: number;
}

export interface HedgeRateParts {
  readonly configured: ConfiguredHedgeRate | undefined;
  readonly stamp: Readonly<EventTime>;
  readonly effects: EffectSink;
}

/** A rate that differs by as much from the last reported one is reported. */
const DRIFT_PERCENT: Ratio = fixedFromText('1');
/** A rate farther than this from the one in force is an error of the venue or of the config: a person decides. */
const JUMP_PERCENT: Ratio = fixedFromText('10');
const WHOLE_PERCENT: Ratio = fixedFromText('100');

/**
 * The INR rate that values the account. The venue publishes none: it prints its rate on INR orders and
 * positions (interface, Margin currency model, rule 5). The newest of these and of the config is in force.
 */
export class HedgeRate {
  readonly #parts: HedgeRateParts;
  #current: Ratio | undefined;
  /** Venue ms; undefined: of the config, which names no time. */
  #at: number | undefined;
  #startedAt: number | undefined;
  /** The rate that a person configured or was warned of last. */
  #reported: Ratio | undefined;
  /** The last rate that was too far away. */
  #refused: Ratio | undefined;

  constructor(parts: HedgeRateParts) {
    this.#parts = parts;
    this.#current = parts.configured?.value;
    this.#reported = this.#current;
    this.#at = parts.configured?.asOf;
  }

  /** INR per USDT; undefined while neither config nor venue names one. */
  get current(): Ratio | undefined {
    return this.#current;
  }

  /** Venue ms of the rate. A configured one without a time is as old as the run; a simulated one never ages. */
  get at(): number | undefined {
    const { effects, stamp } = this.#parts;
    if (this.#current === undefined) return undefined;
    return effects.journaling ? (this.#at ?? this.#startedAt) : stamp.venueTime;
  }

  start(): void {
    this.#startedAt = this.#parts.stamp.venueTime;
  }

  onSnapshot(snapshot: AccountSnapshot): void {
    if (snapshot.currency !== 'INR') return;
    if (snapshot.kind === 'open-orders') this.#onOrders(snapshot.orders);
    else if (snapshot.kind === 'positions') this.#onPositions(snapshot.positions);
  }

  onReply(reply: Reply): void {
    if (reply.outcome.kind !== 'yes') return;
    if (reply.to === 'find-order') this.#onOrders([reply.outcome.value]);
    else if (reply.to === 'read-order-history') this.#onOrders(reply.outcome.value);
  }

  #onOrders(rows: readonly OrderReport[]): void {
    for (const { currency, hedgeRate, createdAt, updatedAt = createdAt } of rows)
      if (currency === 'INR' && hedgeRate !== undefined) this.#onRate(hedgeRate, updatedAt);
  }

  #onPositions(rows: readonly PositionReport[]): void {
    for (const { entryHedgeRate, openedAt } of rows)
      if (entryHedgeRate !== undefined) this.#onRate(entryHedgeRate, openedAt);
  }

  #onRate(rate: Ratio, at: number | undefined): void {
    if (at === undefined || (this.#at !== undefined && at <= this.#at)) return;
    const current = this.#current;
    // The rates of a simulation are its own, and may be years apart.
    const isGuarded = this.#parts.effects.journaling && current !== undefined;
    if (isGuarded && differs(current, rate, JUMP_PERCENT)) {
      this.#refuse(rate, at, current);
      return;
    }
    this.#current = rate;
    this.#at = at;
    const reported = this.#reported;
    if (reported !== undefined && !differs(reported, rate, DRIFT_PERCENT)) return;
    this.#reported = rate;
    if (reported === undefined) return;
    this.#warn(
      `${saidRate(rate, at)}, not at ${textFromFixed(reported)}: equity and limits follow it, sizes ` +
        'follow after a restart with this venue.inr_rate.value',
    );
  }

  /** Each further row of the same wrong rate says nothing new. */
  #refuse(rate: Ratio, at: number, current: Ratio): void {
    const refused = this.#refused;
    if (refused !== undefined && !differs(refused, rate, DRIFT_PERCENT)) return;
    this.#refused = rate;
    this.#warn(
      `${saidRate(rate, at)}, ${textFromFixed(JUMP_PERCENT)} % or more from ${textFromFixed(current)}: ` +
        'limits do not follow such a jump. If the venue is right, set venue.inr_rate.value to its rate and restart',
    );
  }

  #warn(text: string): void {
    this.#parts.effects.notify({ level: 'warn', text });
  }
}

const saidRate = (rate: Ratio, at: number): string =>
  `the venue values INR at ${textFromFixed(rate)} per USDT (${new Date(at).toISOString()})`;

const differs = (from: Ratio, to: Ratio, percent: Ratio): boolean =>
  compareProducts(absolute(subtract(to, from)), WHOLE_PERCENT, percent, from) >= 0;
