import { numberFromFixed, type Price, type Quantity } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import { NO_EXPIRY, type DecisionCause, type OrderIntent } from '../../core/intent.js';
import { nominalMs, type Interval } from '../../core/interval.js';
import { sideSign, type OrderTerms, type Side } from '../../core/order.js';
import type { Writable } from '../../core/table/writable.js';
import { marketableLimit, type EntryStyle } from '../contract/entry-style.js';
import {
  protectionFor,
  UNPROTECTED,
  type AttachedPrices,
  type Protection,
  type ProtectionFacts,
  type ProtectionPrices,
} from '../contract/protection.js';
import type { StateWrite } from '../host/durable-state.js';
import type { Decision } from '../host/decision-context.js';
import { EntryExpiry } from './entry-expiry.js';
import { PlacedOrders } from './placed-orders.js';
import type {
  OrderEnd,
  StrategyPort,
  SubmitResult,
  WorkingOrder,
} from '../contract/strategy-port.js';

/** Counters of one strategy since its start. */
export interface HostCounts {
  /** Intents that changed a target. */
  decisions: number;
  /** Orders submitted to the gate. */
  intents: number;
  /** Refused by the gate, or by the host as malformed. */
  refused: number;
  /** Waits of a target: for an order, the venue's minimum, or a retry. */
  waited: number;
  /** Throws of the strategy. */
  errors: number;
}

export interface OrderFactorySettings {
  readonly strategyId: string;
  readonly interval: Interval;
  readonly protection: Protection;
  readonly entry: EntryStyle;
}

interface OrderSpec {
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly instrument: Instrument;
}

/**
 * Validity of an entry in intervals of venue time: it expires when the candle after the next one has
 * closed without it. A reduction never expires.
 */
const OPEN_VALID_INTERVALS = 2;

/** Creates and submits one strategy's orders, and knows which working orders belong to a target. */
export class OrderFactory {
  readonly port: StrategyPort;
  readonly settings: OrderFactorySettings;
  readonly placed: PlacedOrders;
  readonly counts: HostCounts = { decisions: 0, intents: 0, refused: 0, waited: 0, errors: 0 };
  readonly #expiry: EntryExpiry;
  readonly #canceling = new Set<number>();
  readonly #protected = new Map<string, AttachedPrices>();
  /** The stop that the open position of that side keeps at least, USDT; undefined: any will do. */
  stopFloorOf: (symbol: string, side: Side) => number | undefined = () => undefined;

  /** State of the current event, until an order's record includes it. */
  #stagedState: StateWrite | undefined;

  constructor(port: StrategyPort, settings: OrderFactorySettings) {
    this.port = port;
    this.settings = settings;
    this.placed = new PlacedOrders(settings.entry);
    this.#expiry = new EntryExpiry(port, settings.entry);
  }

  log(level: 'info' | 'warn' | 'error', text: string): void {
    this.port.note(level, `${this.settings.strategyId}: ${text}`);
  }

  refuse(text: string): void {
    this.counts.refused++;
    this.log('warn', `refused: ${text}`);
  }

  /** The next approved order carries the state into the journal, so that both are in one record. */
  stageState(state: StateWrite | undefined): void {
    if (state === undefined) return;
    this.persistState();
    this.#stagedState = state;
  }

  /** Drops the state of an event that has failed. */
  discardState(): void {
    this.#stagedState = undefined;
  }

  /** Persists staged state that no order has carried. */
  persistState(): void {
    const state = this.#stagedState;
    this.#stagedState = undefined;
    if (state !== undefined) this.port.persist(state.key, state);
  }

  /** Moves or sets stop and target of the open position at the venue. */
  protect(symbol: string, prices: AttachedPrices, cause: DecisionCause): void {
    const before = this.#protected.get(symbol);
    this.#protected.set(symbol, { ...before, ...prices });
    this.port.protect(symbol, prices, cause);
  }

  /** Last stop that this process has set or moved; undefined: none is known. */
  stopOf(symbol: string): Price | undefined {
    return this.#protected.get(symbol)?.stopLoss;
  }

  /** Called when the position is closed. */
  clearStop(symbol: string): void {
    this.#protected.delete(symbol);
  }

  /** An increase, in the configured entry style, with its protection. */
  increase(spec: OrderSpec, decision: Decision): SubmitResult {
    const { entry } = this.settings;
    if (entry.kind === 'market') return this.#submitIncrease(spec, decision, undefined, true);
    const last = this.port.lastPrice(spec.symbol) ?? numberFromFixed(decision.reference);
    const price = marketableLimit(spec.side, last, entry.bps, spec.instrument);
    return this.#submitIncrease(spec, decision, price, true);
  }

  reduce({ symbol, side, quantity }: OrderSpec, decision: Decision): SubmitResult {
    const { currency } = this.port;
    const type = 'market';
    const terms = { symbol, currency, side, type, quantity, reduceOnly: true } as const;
    return this.#submit(terms, decision, true);
  }

  /** A resting order of the strategy. */
  placeLimit(
    spec: OrderSpec & { readonly price: Price },
    reduceOnly: boolean,
    decision: Decision,
  ): SubmitResult {
    if (!reduceOnly) return this.#submitIncrease(spec, decision, spec.price, false);
    const { symbol, side, quantity, price } = spec;
    const { currency } = this.port;
    const type = 'limit';
    const terms = { symbol, currency, side, type, quantity, price, reduceOnly } as const;
    return this.#submit(terms, decision, false);
  }

  /** An order of the target is in flight; resting orders of the strategy do not count. */
  hasOrderInFlight(symbol: string): boolean {
    for (const order of this.port.workingOrders(symbol)) {
      if (order.abandoned !== true && !this.#isResting(order)) return true;
    }
    return false;
  }

  /** An order with an unknown outcome may still land. */
  hasAbandonedOrder(symbol: string): boolean {
    return this.port.workingOrders(symbol).some((order) => order.abandoned === true);
  }

  /** An order may still increase or open the position. */
  hasEntryUnderWay(symbol: string): boolean {
    return this.port.workingOrders(symbol).some(({ reduceOnly }) => !reduceOnly);
  }

  /** Cancels the strategy's resting orders of a symbol; true while one of them may still trade. */
  cancelResting(symbol: string): boolean {
    return this.#cancelWhere(symbol, (order) => this.#isResting(order));
  }

  /** Cancels every limit order that could still increase. */
  cancelEntries(symbol: string): void {
    this.#cancelWhere(symbol, (order) => order.type === 'limit' && !order.reduceOnly);
  }

  cancel(key: number): void {
    this.#canceling.add(key);
    this.placed.withdraw(key);
    this.port.cancel(key);
  }

  /** Allows a second cancel where the outcome of the first never came. */
  resetCancels(symbol: string): void {
    if (this.#canceling.size === 0) return;
    for (const { key } of this.port.workingOrders(symbol)) this.#canceling.delete(key);
  }

  validUntil(decision: Decision, reduceOnly: boolean): number {
    if (reduceOnly) return NO_EXPIRY;
    return decision.decidedAt + OPEN_VALID_INTERVALS * nominalMs(this.settings.interval);
  }

  /** Continues the lifetimes of entries of a previous run. */
  restoreEntryTimers(symbol: string): void {
    this.#expiry.restore(symbol);
  }

  /** @returns whether the timer was the expiry of an entry */
  onTimer(key: string): boolean {
    if (!this.#expiry.owns(key)) return false;
    const expired = this.#expiry.expired(key);
    if (expired !== undefined) this.cancel(expired);
    return true;
  }

  /** @returns whether a target had submitted the order */
  onOrderEnded(end: OrderEnd): boolean {
    this.#canceling.delete(end.key);
    return this.placed.onEnded(end);
  }

  #submitIncrease(
    { symbol, side, quantity, instrument }: OrderSpec,
    decision: Decision,
    price: Price | undefined,
    isTargetOrder: boolean,
  ): SubmitResult {
    const entry = { side, price: price ?? decision.reference, instrument };
    const prices = this.#entryPrices(symbol, entry, decision.prices);
    const { stopLoss, takeProfit } = prices;
    const terms: Writable<OrderTerms> = {
      symbol,
      currency: this.port.currency,
      side,
      type: price === undefined ? 'market' : 'limit',
      quantity,
      reduceOnly: false,
    };
    if (price !== undefined) terms.price = price;
    if (stopLoss !== undefined) terms.stopLoss = stopLoss;
    if (takeProfit !== undefined) terms.takeProfit = takeProfit;
    const verdict = this.#submit(terms, decision, isTargetOrder);
    if (verdict === 'accepted' && prices !== UNPROTECTED) this.#protected.set(symbol, prices);
    return verdict;
  }

  /** Stop and target of an increase. The venue moves the stop of the whole position to it: never back. */
  #entryPrices(symbol: string, entry: ProtectionFacts, given: ProtectionPrices): AttachedPrices {
    const { protection } = this.settings;
    const own = protectionFor(entry, protection, given);
    const floor = this.stopFloorOf(symbol, entry.side);
    const sign = sideSign(entry.side);
    const isOnItsSide = floor !== undefined && (numberFromFixed(entry.price) - floor) * sign > 0;
    if (!isOnItsSide) return own;
    const isNearer =
      own.stopLoss === undefined || (floor - numberFromFixed(own.stopLoss)) * sign > 0;
    return isNearer ? protectionFor(entry, protection, { ...given, stopLoss: floor }) : own;
  }

  #submit(terms: OrderTerms, decision: Decision, isTargetOrder: boolean): SubmitResult {
    const { port } = this;
    const { symbol } = terms;
    const before = port.workingOrders(symbol);
    const leg = decision.leg++;
    this.counts.intents++;
    const result = port.submit(this.#intent(terms, decision, leg));
    if (result !== 'accepted') {
      this.counts.refused++;
      return result;
    }
    this.#stagedState = undefined;
    const order = newOrderOf(port.workingOrders(symbol), before);
    if (order === undefined) return 'accepted';
    this.placed.add(order.key, { decision, leg, isTargetOrder });
    if (isTargetOrder && terms.type === 'limit') this.#expiry.start(symbol, order.key);
    return 'accepted';
  }

  #intent(terms: OrderTerms, decision: Decision, leg: number): OrderIntent {
    const { cause, ordinal, decidedAt, decidedMonotonic, reference } = decision;
    const intent: Writable<OrderIntent> = {
      strategyId: this.settings.strategyId,
      cause,
      ordinal,
      leg,
      terms,
      referencePrice: reference,
      decidedAt,
      validUntil: this.validUntil(decision, terms.reduceOnly),
      decidedMonotonic,
    };
    const { repeats, explanation, sizing } = decision;
    if (repeats === true) intent.repeats = true;
    if (explanation !== undefined) intent.explanation = explanation;
    if (sizing !== undefined && !terms.reduceOnly) intent.sizing = sizing;
    if (this.#stagedState !== undefined) intent.persistedState = this.#stagedState;
    return intent;
  }

  /** Limit orders that no target of this run submitted: the strategy's own, or those of a previous run. */
  #isResting({ type, key }: WorkingOrder): boolean {
    return type === 'limit' && !this.placed.isTargetOrder(key);
  }

  #cancelWhere(symbol: string, matches: (order: WorkingOrder) => boolean): boolean {
    let found = false;
    for (const order of this.port.workingOrders(symbol)) {
      if (!matches(order)) continue;
      found = true;
      if (!this.#canceling.has(order.key)) this.cancel(order.key);
    }
    return found;
  }
}

/** The order that is working now and was not before. */
function newOrderOf(
  working: readonly WorkingOrder[],
  before: readonly WorkingOrder[],
): WorkingOrder | undefined {
  if (before.length === 0) return working[0];
  return working.find(({ key }) => !before.some((order) => order.key === key));
}
