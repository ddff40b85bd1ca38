import {
  add,
  fixed,
  numberFromFixed,
  textFromFixed,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import { decisionKey, NO_EXPIRY, type Cause, type OrderIntent } from '../core/intent.js';
import { nominalMs, type Interval } from '../core/interval.js';
import type { OrderTerms, Side } from '../core/order.js';
import { marketableLimit, type EntryStyle } from './entry.js';
import { protectionFor, type AttachedPrices, type Protection } from './protection.js';
import type { StateWrite } from './host/state-cell.js';
import type { Decision } from './host/step.js';
import type { FillEvent, OrderEnd, StrategyWorld, SubmitResult, WorkingOrder } from './world.js';

/** How often something was done for one strategy, since it began. */
export interface HostCounts {
  /** Intents that changed what is wanted. */
  decisions: number;
  /** Orders given to the gate. */
  intents: number;
  /** By the gate, or by the host because they could not be orders. */
  refused: number;
  /** Times that a target had to wait: for an order, the venue's minimum, or another try. */
  waited: number;
  /** Throws of the strategy. */
  errors: number;
}

export interface DeskSettings {
  readonly strategyId: string;
  readonly interval: Interval;
  readonly protection: Protection;
  readonly entry: EntryStyle;
}

interface Placed {
  readonly symbol: string;
  readonly decision: Decision;
  readonly leg: number;
  /** Sent by a lane, not as a resting order of the strategy. */
  readonly ofLane: boolean;
  filled: Quantity;
}

interface Wish {
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly instrument: Instrument;
}

/**
 * In intervals, from the decision on (venue time): an entry is given up when the candle after the next
 * has closed without it. A reduction has no age at which it is given up.
 */
const OPEN_VALID_INTERVALS = 2;

/** Where one strategy's orders are written, and which of the working ones are whose. */
export class OrderDesk {
  readonly world: StrategyWorld;
  readonly settings: DeskSettings;
  readonly counts: HostCounts = { decisions: 0, intents: 0, refused: 0, waited: 0, errors: 0 };
  readonly #placed = new Map<number, Placed>();
  readonly #canceling = new Set<number>();
  readonly #protected = new Map<string, AttachedPrices>();

  /** Of the step being handled, until an order takes it along. */
  #state: StateWrite | undefined;

  constructor(world: StrategyWorld, settings: DeskSettings) {
    this.world = world;
    this.settings = settings;
  }

  say(level: 'info' | 'warn' | 'error', text: string): void {
    this.world.note(level, `${this.settings.strategyId}: ${text}`);
  }

  refuse(text: string): void {
    this.counts.refused++;
    this.say('warn', `refused: ${text}`);
  }

  /** The next order that is approved carries it into the journal: one record, whole or not at all. */
  carry(state: StateWrite | undefined): void {
    if (state === undefined) return;
    this.keepState();
    this.#state = state;
  }

  /** The step has failed: what it did to the state is undone. */
  dropState(): void {
    this.#state = undefined;
  }

  /** What no order has taken along goes by itself. */
  keepState(): void {
    const state = this.#state;
    this.#state = undefined;
    if (state !== undefined) this.world.keep(state.key, state);
  }

  /** Moves or sets stop and target of the open position at the venue. */
  protect(symbol: string, prices: AttachedPrices, cause: Cause): void {
    const before = this.#protected.get(symbol);
    this.#protected.set(symbol, { ...before, ...prices });
    this.world.protect(symbol, prices, cause);
  }

  /** As this process has set or moved it last; undefined: there is none that it knows. */
  stopOf(symbol: string): Price | undefined {
    return this.#protected.get(symbol)?.stopLoss;
  }

  /** There is no position any more to be stopped. */
  forgetStop(symbol: string): void {
    this.#protected.delete(symbol);
  }

  /** An increase, in the configured entry style, with its protection. */
  open(wish: Wish, decision: Decision): SubmitResult {
    const { entry } = this.settings;
    if (entry.kind === 'market') return this.#increase(wish, decision, undefined, true);
    const last = this.world.lastPrice(wish.symbol) ?? numberFromFixed(decision.reference);
    const price = marketableLimit(wish.side, last, entry.bps, wish.instrument);
    return this.#increase(wish, decision, price, true);
  }

  reduce({ symbol, side, quantity }: Wish, decision: Decision): SubmitResult {
    const { currency } = this.world;
    const type = 'market';
    const terms = { symbol, currency, side, type, quantity, reduceOnly: true } as const;
    return this.#submit(terms, decision, true);
  }

  /** A resting order of the strategy. */
  rest(
    wish: Wish & { readonly price: Price },
    reduceOnly: boolean,
    decision: Decision,
  ): SubmitResult {
    if (!reduceOnly) return this.#increase(wish, decision, wish.price, false);
    const { symbol, side, quantity, price } = wish;
    const { currency } = this.world;
    const type = 'limit';
    const terms = { symbol, currency, side, type, quantity, price, reduceOnly } as const;
    return this.#submit(terms, decision, false);
  }

  /** An order of a lane is under way there; resting orders of the strategy do not count. */
  isBusy(symbol: string): boolean {
    for (const order of this.world.working(symbol)) {
      if (order.abandoned !== true && !this.#isResting(order)) return true;
    }
    return false;
  }

  /** An order that was given up on may still land there. */
  mayLand(symbol: string): boolean {
    return this.world.working(symbol).some((order) => order.abandoned === true);
  }

  /** Cancels the strategy's resting orders of a symbol; true while one of them may still trade. */
  cancelResting(symbol: string): boolean {
    return this.#cancelThose(symbol, (order) => this.#isResting(order));
  }

  /** Cancels every limit order that could still increase. */
  cancelEntries(symbol: string): void {
    this.#cancelThose(symbol, (order) => order.type === 'limit' && !order.reduceOnly);
  }

  cancel(key: number): void {
    this.#canceling.add(key);
    this.world.cancel(key);
  }

  /** So that a cancel whose outcome never came is asked for again. */
  forgetCancels(symbol: string): void {
    if (this.#canceling.size === 0) return;
    for (const { key } of this.world.working(symbol)) this.#canceling.delete(key);
  }

  validUntil(decision: Decision, reduceOnly: boolean): number {
    if (reduceOnly) return NO_EXPIRY;
    return decision.decidedAt + OPEN_VALID_INTERVALS * nominalMs(this.settings.interval);
  }

  /** Entries of a life before this one have lost their timers: gives them new ones. */
  adoptEntries(symbol: string): void {
    if (this.settings.entry.kind === 'market') return;
    for (const order of this.world.working(symbol))
      if (order.type === 'limit' && !order.reduceOnly) this.#limitLife(symbol, order.key);
  }

  /** True when the key was one of ours to handle. */
  timer(key: string): boolean {
    if (!key.startsWith(LIFE_KEY)) return false;
    const [, order, symbol = ''] = key.split(':');
    const working = this.world.working(symbol).find((each) => String(each.key) === order);
    if (working !== undefined) this.cancel(working.key);
    return true;
  }

  /** Whether a lane had sent the order; counts the fill. A limit order of an earlier life rested, or was an entry. */
  fill(fill: FillEvent): boolean {
    const placed = this.#placed.get(fill.key);
    if (placed === undefined)
      return fill.type === 'market' || this.settings.entry.kind !== 'market';
    placed.filled = add(placed.filled, fill.quantity);
    return placed.ofLane;
  }

  /**
   * A cause of what a strategy decides on a fill that `fill` has counted: the order by its decision,
   * the fill by the quantity filled so far, because both are the same after a restart.
   */
  causeOf(fill: FillEvent): Cause {
    const placed = this.#placed.get(fill.key);
    if (placed === undefined) {
      const fillId = `${fill.time}:${textFromFixed(fill.quantity)}`;
      return { kind: 'fill', orderId: `order-${fill.key}`, fillId };
    }
    const { decision, leg, filled } = placed;
    return fillCause(decision, leg, textFromFixed(filled));
  }

  /** A cause of what a strategy decides on the end of an order. */
  causeOfEnd({ intent, end }: OrderEnd): Cause {
    return fillCause(intent, intent.leg, end);
  }

  /** Whether a lane had sent it. */
  ended(end: OrderEnd): boolean {
    const placed = this.#placed.get(end.key);
    this.#placed.delete(end.key);
    this.#canceling.delete(end.key);
    return placed?.ofLane ?? end.intent.terms.type === 'market';
  }

  #increase(
    { symbol, side, quantity, instrument }: Wish,
    decision: Decision,
    price: Price | undefined,
    ofLane: boolean,
  ): SubmitResult {
    const entry = { side, price: price ?? decision.reference, instrument };
    const terms: OrderTerms = {
      symbol,
      currency: this.world.currency,
      side,
      type: price === undefined ? 'market' : 'limit',
      quantity,
      ...(price === undefined ? {} : { price }),
      reduceOnly: false,
      ...protectionFor(entry, this.settings.protection, decision.prices),
    };
    const verdict = this.#submit(terms, decision, ofLane);
    const { stopLoss, takeProfit } = terms;
    if (verdict === 'accepted' && (stopLoss !== undefined || takeProfit !== undefined))
      this.#protected.set(symbol, {
        ...(stopLoss !== undefined && { stopLoss }),
        ...(takeProfit !== undefined && { takeProfit }),
      });
    return verdict;
  }

  #submit(terms: OrderTerms, decision: Decision, ofLane: boolean): SubmitResult {
    const { world } = this;
    const { symbol } = terms;
    const before = world.working(symbol).map(({ key }) => key);
    const leg = decision.leg++;
    this.counts.intents++;
    const result = world.submit(this.#intent(terms, decision, leg));
    if (result !== 'accepted') {
      this.counts.refused++;
      return result;
    }
    this.#state = undefined;
    const order = world.working(symbol).find(({ key }) => !before.includes(key));
    if (order === undefined) return 'accepted';
    this.#placed.set(order.key, { symbol, decision, leg, ofLane, filled: fixed(0) });
    if (ofLane && terms.type === 'limit') this.#limitLife(symbol, order.key);
    return 'accepted';
  }

  #intent(terms: OrderTerms, decision: Decision, leg: number): OrderIntent {
    const { cause, ordinal, decidedAt, decidedMonotonic, reference } = decision;
    const { explanation, sizing } = decision;
    return {
      strategyId: this.settings.strategyId,
      cause,
      ordinal,
      leg,
      terms,
      referencePrice: reference,
      decidedAt,
      validUntil: this.validUntil(decision, terms.reduceOnly),
      decidedMonotonic,
      ...(decision.repeats === true && { repeats: true }),
      ...(explanation !== undefined && { explanation }),
      ...(sizing !== undefined && !terms.reduceOnly && { sizing }),
      ...(this.#state !== undefined && { kept: this.#state }),
    };
  }

  #limitLife(symbol: string, key: number): void {
    const { entry } = this.settings;
    if (entry.kind === 'market') return;
    this.world.timer(this.world.venueTime + entry.ttlMs, `${LIFE_KEY}${key}:${symbol}`);
  }

  /** Limit orders that no lane of this life sent: the strategy's own, or left from before a restart. */
  #isResting({ type, key }: WorkingOrder): boolean {
    return type === 'limit' && this.#placed.get(key)?.ofLane !== true;
  }

  #cancelThose(symbol: string, wanted: (order: WorkingOrder) => boolean): boolean {
    let found = false;
    for (const order of this.world.working(symbol)) {
      if (!wanted(order)) continue;
      found = true;
      if (!this.#canceling.has(order.key)) this.cancel(order.key);
    }
    return found;
  }
}

const LIFE_KEY = 'life:';

const fillCause = (
  { cause, ordinal }: Pick<Decision, 'cause' | 'ordinal'>,
  leg: number,
  fillId: string,
): Cause => ({ kind: 'fill', orderId: `${decisionKey(cause, ordinal)}/${leg}`, fillId });
