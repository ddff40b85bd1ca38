import type { Currency } from '../core/currency.js';
import type { Stamp } from '../core/events.js';
import type { Amount, Price, Quantity, Ratio } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Cause, OrderIntent } from '../core/intent.js';
import type { Interval } from '../core/interval.js';
import type { EffectSink } from '../execution/effects.js';
import type { Desk } from '../execution/desk.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { OrderProtocol } from '../execution/order/order-protocol.js';
import type { OwnOrder } from '../execution/order/own-order.js';
import type { Journal } from '../execution/journal/journal.js';
import type { PositionBook } from '../execution/position-book.js';
import type { Protecting } from '../execution/protection/protecting.js';
import type { RecoveredStates } from '../execution/recovery/recovered-states.js';
import type { StrategyHost } from '../strategy/host/host.js';
import type {
  FundingFact,
  KeptState,
  ProtectionWish,
  Room,
  RoomQuery,
  StrategyWorld,
  SubmitResult,
  WorkingOrder,
} from '../strategy/world.js';
import type { EngineFacts } from './gate-facts.js';
import type { PriceBook } from './market/price-book.js';

/** One configured strategy before it has a world. */
export interface StrategySeat {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly leverage: Ratio;
  readonly create: (world: StrategyWorld) => StrategyHost;
}

export interface SeatWorldParts {
  readonly strategyId: string;
  readonly currency: Currency;
  readonly stamp: Readonly<Stamp>;
  readonly effects: EffectSink;
  readonly desk: Desk;
  readonly ledger: OrderLedger;
  readonly positions: PositionBook;
  readonly prices: PriceBook;
  readonly facts: EngineFacts;
  readonly protocol: OrderProtocol;
  readonly submit: (intent: OrderIntent) => SubmitResult;
  readonly room: (query: RoomQuery & { readonly currency: Currency }) => Room | undefined;
  readonly timer: (key: string) => void;
  readonly journal: Journal;
  readonly protecting: Pick<Protecting, 'protect'>;
  readonly funding: ReadonlyMap<string, FundingFact>;
  /** What lives before this one kept; absent: nothing. */
  readonly kept?: RecoveredStates;
}

/** What one strategy's host sees and may do: its own orders, the believed positions, the gate. */
export class SeatWorld implements StrategyWorld {
  readonly #parts: SeatWorldParts;
  readonly currency: Currency;
  readonly #kept: Map<string, KeptState>;

  constructor(parts: SeatWorldParts) {
    this.#kept = new Map(parts.kept?.get(parts.strategyId));
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
  /** What is ours: the rest is not the strategy's to close. */
  position(symbol: string): Quantity {
    return this.#parts.positions.own(symbol, this.currency);
  }
  entryPrice(symbol: string): Price | undefined {
    return this.#parts.positions.entryPrice(symbol, this.currency);
  }

  working(symbol: string): readonly WorkingOrder[] {
    const lane = this.#parts.ledger.active(symbol, this.currency);
    if (lane.length === 0) return NONE;
    return lane
      .filter((order) => !this.#isForeignRest(order))
      .filter((order) => !order.isForgotten(this.#parts.stamp.monotonic))
      .map((order) => ({
        key: order.key,
        side: order.terms.side,
        type: order.terms.type,
        reduceOnly: order.terms.reduceOnly,
        remaining: order.remaining,
        ...(order.terms.price !== undefined && { price: order.terms.price }),
        ...((order.state === 'quarantined' || order.isFence) && { abandoned: true }),
      }));
  }

  /**
   * An operator's order that rests may rest for days: whoever trades the symbol does not wait for it,
   * and meets its fills as a position that moved.
   */
  #isForeignRest({ intent, terms, state }: OwnOrder): boolean {
    const foreign = intent.strategyId !== this.#parts.strategyId;
    return foreign && terms.type === 'limit' && state === 'accepted';
  }

  equity(): Amount | undefined {
    return this.#parts.facts.equity(this.currency);
  }
  room(query: RoomQuery): Room | undefined {
    return this.#parts.room({ ...query, currency: this.currency });
  }
  lastPrice(symbol: string): number | undefined {
    return this.#parts.prices.last(symbol);
  }
  funding(symbol: string): FundingFact | undefined {
    return this.#parts.funding.get(symbol);
  }

  kept(key: string): KeptState | undefined {
    return this.#kept.get(key);
  }
  keep(key: string, { version, value, seen }: KeptState): void {
    const state = { version, value, ...(seen !== undefined && { seen }) };
    this.#kept.set(key, state);
    this.#parts.journal.state(this.#parts.strategyId, { key, ...state });
  }

  /** What is flat has nothing to protect; what is not ours is not the strategy's to protect. */
  protect(symbol: string, prices: ProtectionWish, cause: Cause): void {
    if (this.position(symbol) === 0) return;
    this.#parts.protecting.protect(symbol, this.currency, prices, cause);
  }
  submit(intent: OrderIntent): SubmitResult {
    return this.#parts.submit(intent);
  }

  cancel(key: number): void {
    const order = this.#parts.ledger.byKey(key);
    if (order.intent.strategyId === this.#parts.strategyId) this.#parts.protocol.cancel(order);
    else this.note('error', `order ${key} belongs to ${order.intent.strategyId}`);
  }

  note(level: 'info' | 'warn' | 'error', text: string): void {
    this.#parts.effects.notify({ level, text, fields: { strategy: this.#parts.strategyId } });
  }

  timer(venueTime: number, key: string): void {
    this.#parts.desk.atVenueTime(venueTime, () => {
      this.#parts.timer(key);
    });
  }
  timerAfter(delayMs: number, key: string): void {
    this.#parts.desk.after(delayMs, () => {
      this.#parts.timer(key);
    });
  }
}

const NONE: readonly WorkingOrder[] = [];

/** A host and the world that it lives in. */
export function seated(
  seat: StrategySeat,
  parts: Omit<SeatWorldParts, 'strategyId' | 'timer'>,
): StrategyHost {
  const timer = (key: string): void => {
    host.timer(key);
  };
  const host: StrategyHost = seat.create(new SeatWorld({ ...parts, strategyId: seat.id, timer }));
  return host;
}
