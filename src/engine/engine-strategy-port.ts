import type { Currency } from '../core/currency.js';
import type { EventTime } from '../core/events.js';
import type { Amount, Price, Quantity, Ratio } from '../core/fixed/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { DecisionCause, OrderIntent } from '../core/intent.js';
import type { Interval } from '../core/interval.js';
import type { EffectSink } from '../execution/effects.js';
import type { RequestTracker } from '../execution/request-tracker.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { OrderProtocol } from '../execution/order/order-protocol.js';
import type { OwnOrder } from '../execution/order/own-order.js';
import type { Journal } from '../execution/journal/journal.js';
import type { PositionLedger } from '../execution/position-ledger.js';
import type { ProtectiveOrderManager } from '../execution/protection/protective-order-manager.js';
import type { StrategyHost } from '../strategy/host/host.js';
import type {
  NextFunding,
  PersistedState,
  ProtectionRequest,
  PositionHeadroom,
  PositionHeadroomQuery,
  StrategyPort,
  SubmitResult,
  WorkingOrder,
} from '../strategy/contract/strategy-port.js';
import type { EngineFacts } from './engine-facts.js';
import type { PriceCache } from './market/price-cache.js';
import type { PersistedStates } from './persisted-states.js';

/** One configured strategy, before it is attached to the engine. */
export interface StrategyInstance {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Absent: it places no entries. */
  readonly leverage?: Ratio;
  readonly create: (port: StrategyPort) => StrategyHost;
}

export interface EngineStrategyPortParts {
  readonly strategyId: string;
  readonly currency: Currency;
  readonly stamp: Readonly<EventTime>;
  readonly effects: EffectSink;
  readonly requests: RequestTracker;
  readonly ledger: OrderLedger;
  readonly positions: PositionLedger;
  readonly prices: PriceCache;
  readonly facts: EngineFacts;
  readonly protocol: OrderProtocol;
  readonly submit: (intent: OrderIntent) => SubmitResult;
  readonly headroom: (
    query: PositionHeadroomQuery & { readonly currency: Currency },
  ) => PositionHeadroom | undefined;
  readonly onTimer: (key: string) => void;
  readonly journal: Journal;
  readonly protectiveOrders: Pick<ProtectiveOrderManager, 'protect'>;
  readonly funding: ReadonlyMap<string, NextFunding>;
  readonly states: PersistedStates;
}

/** One strategy's view of the engine: its own orders, our share of the positions, and the gate. */
export class EngineStrategyPort implements StrategyPort {
  readonly #parts: EngineStrategyPortParts;
  readonly currency: Currency;
  readonly #persisted: Map<string, PersistedState>;

  constructor(parts: EngineStrategyPortParts) {
    this.#persisted = parts.states.of(parts.strategyId);
    this.#parts = parts;
    this.currency = parts.currency;
  }

  get venueTime(): number {
    return this.#parts.stamp.venueTime;
  }
  get monotonic(): number {
    return this.#parts.stamp.monotonic;
  }
  get isDurable(): boolean {
    return this.#parts.effects.journaling;
  }
  instrument(symbol: string): Instrument | undefined {
    return this.#parts.facts.instrument(symbol);
  }
  /** Our own share: the strategy may not close the external share. */
  position(symbol: string): Quantity {
    return this.#parts.positions.ownQuantity(symbol, this.currency);
  }
  entryPrice(symbol: string): Price | undefined {
    return this.#parts.positions.entryPrice(symbol, this.currency);
  }

  workingOrders(symbol: string): readonly WorkingOrder[] {
    const activeOrders = this.#parts.ledger.openOrders(symbol, this.currency);
    if (activeOrders.length === 0) return NONE;
    const { monotonic } = this.#parts.stamp;
    const working: WorkingOrder[] = [];
    for (const order of activeOrders)
      if (!this.#isOthersRestingOrder(order) && !order.isPresumedLost(monotonic))
        working.push(workingOrderOf(order));
    return working;
  }

  decidedAt(key: number): number | undefined {
    return this.#parts.ledger.find(key)?.intent.decidedAt;
  }

  /**
   * An operator's resting order may rest for days: strategies do not wait for it. They see its fills as
   * a position that moved.
   */
  #isOthersRestingOrder({ owner, terms, state }: OwnOrder): boolean {
    const isOthers = owner !== this.#parts.strategyId;
    return isOthers && terms.type === 'limit' && state === 'accepted';
  }

  equity(): Amount | undefined {
    return this.#parts.facts.equity(this.currency);
  }
  headroom(query: PositionHeadroomQuery): PositionHeadroom | undefined {
    const { symbol, side, price, held } = query;
    return this.#parts.headroom({ symbol, side, price, held, currency: this.currency });
  }
  lastPrice(symbol: string): number | undefined {
    return this.#parts.prices.last(symbol);
  }
  funding(symbol: string): NextFunding | undefined {
    return this.#parts.funding.get(symbol);
  }

  persisted(key: string): PersistedState | undefined {
    return this.#persisted.get(key);
  }
  persist(key: string, state: PersistedState): void {
    const kept = this.#keep({ key, ...state });
    this.#parts.journal.state(this.#parts.strategyId, kept);
  }

  /** The next start of the strategy in this run reads it. @returns the parts of a journal record alone */
  #keep({ key, version, value, seen }: KeyedState): KeyedState {
    const state = { version, value, ...(seen !== undefined && { seen }) };
    this.#persisted.set(key, state);
    return { key, ...state };
  }

  /** Ignored while our own share of the position is zero. */
  protect(symbol: string, prices: ProtectionRequest, cause: DecisionCause): void {
    if (this.position(symbol) === 0) return;
    this.#parts.protectiveOrders.protect(symbol, this.currency, prices, cause);
  }
  /** The record of an accepted intent holds the state of its step. */
  submit(intent: OrderIntent): SubmitResult {
    const result = this.#parts.submit(intent);
    const { persistedState } = intent;
    if (result === 'accepted' && persistedState !== undefined) this.#keep(persistedState);
    return result;
  }

  cancel(key: number): void {
    const order = this.#parts.ledger.find(key);
    // It ended long ago: a cancel of an ended order changes nothing.
    if (order === undefined) return;
    if (order.owner === this.#parts.strategyId) this.#parts.protocol.cancel(order);
    else this.note('error', `order ${key} belongs to ${order.owner}`);
  }

  note(level: 'info' | 'warn' | 'error', text: string): void {
    this.#parts.effects.notify({ level, text, fields: { strategy: this.#parts.strategyId } });
  }

  setTimer(venueTime: number, key: string): void {
    this.#parts.requests.atVenueTime(venueTime, () => {
      this.#parts.onTimer(key);
    });
  }
  setTimerAfter(delayMs: number, key: string): void {
    this.#parts.requests.after(delayMs, () => {
      this.#parts.onTimer(key);
    });
  }
}

type KeyedState = NonNullable<OrderIntent['persistedState']>;

const NONE: readonly WorkingOrder[] = [];

/** Written out, since the strategy's host reads the list several times for each order. */
function workingOrderOf({ key, terms, remaining, state, isFence }: OwnOrder): WorkingOrder {
  const { side, type, reduceOnly, price } = terms;
  if (state === 'quarantined' || isFence) {
    const order = { key, side, type, reduceOnly, remaining, abandoned: true };
    return price === undefined ? order : { ...order, price };
  }
  if (price === undefined) return { key, side, type, reduceOnly, remaining };
  return { key, side, type, reduceOnly, remaining, price };
}

/** Creates a strategy's host with its port. */
export function attachStrategy(
  strategy: StrategyInstance,
  parts: Omit<EngineStrategyPortParts, 'strategyId' | 'onTimer'>,
): StrategyHost {
  const onTimer = (key: string): void => {
    host.onTimer(key);
  };
  const host: StrategyHost = strategy.create(
    new EngineStrategyPort({ ...parts, strategyId: strategy.id, onTimer }),
  );
  return host;
}

/** A port for a trial creation of a strategy: it reads the engine and changes nothing. */
export class ReadOnlyStrategyPort extends EngineStrategyPort {
  override persist(): void {}
  override protect(): void {}
  override submit(): SubmitResult {
    return 'refused';
  }
  override cancel(): void {}
  override note(): void {}
  override setTimer(): void {}
  override setTimerAfter(): void {}
}
