import type { EngineEvent } from '../../core/events.js';
import {
  add,
  isGreater,
  multiplyExact,
  subtract,
  ZERO,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { OrderReport } from '../../core/order.js';
import type { Engine } from '../../engine/engine.js';
import type { BookedTrade } from '../../engine/account/trade-results.js';
import {
  intentOfRecord,
  type JournalRecord,
  type JournalRecordOf,
} from '../../execution/journal/journal-record.js';
import type { Recovery } from '../../execution/recovery/recovery.js';
import type { ReplayWatch } from '../../live/replay/replay-sessions.js';
import {
  decisionName,
  exitName,
  type DriftDecision,
  type DriftFill,
  type DriftSide,
} from './decision-fills.js';
import type { DriftFees } from './drift-fees.js';
import { MarketRecord } from './market-record.js';
import type { WalletTotal } from './wallet-walk.js';

/** An order of the session, by its client order id. */
interface LiveOrder {
  readonly decision: DriftDecision;
  readonly terms: JournalRecordOf<'intent'>['terms'];
  accepted: boolean;
  attemptedAt: number;
  filled: Quantity;
  /** Filled quantity × average price. */
  value: bigint;
}

/** Orders and money of a session, read from the replay of its record. */
export class LiveRecord implements ReplayWatch, DriftSide {
  readonly market = new MarketRecord();
  readonly decisions = new Map<string, DriftDecision>();
  readonly fills: DriftFill[] = [];
  readonly wallets: WalletTotal[] = [];
  /** Reason for which the gate refused a decision of a strategy, by its key. */
  readonly refusals = new Map<string, string>();
  readonly #fees: DriftFees;
  readonly #orders = new Map<string, LiveOrder>();
  /** Time of the last change of an order, as the venue reports it. */
  readonly #changedAt = new Map<string, number>();
  readonly #lastDecision = new Map<string, string>();
  /** Venue time of the events of this process, by its monotonic clock. */
  #times: { readonly monotonic: number; readonly venueTime: number }[] = [];
  readonly #modes: JournalRecordOf<'mode'>[] = [];
  #positionsReadAt = 0;
  #now = 0;

  constructor(fees: DriftFees) {
    this.#fees = fees;
  }

  /** Symbols with a position at the start of the first session. */
  heldAtStart: readonly string[] = [];
  #engines = 0;

  onEngine(engine: Engine, { positions }: Recovery): void {
    this.#times = [];
    this.#engines += 1;
    if (this.#engines === 1) this.heldAtStart = positions.map(({ symbol }) => symbol);
    engine.watchTrades((trade) => {
      if (trade.reason !== undefined) this.#onExternalTrade(trade, trade.reason);
    });
  }

  onEvent(event: EngineEvent): void {
    const { monotonic, venueTime } = event;
    this.#times.push({ monotonic, venueTime });
    this.#now = venueTime;
    this.market.onEvent(event);
    if (event.kind === 'account') this.#onSnapshot(event.snapshot);
    if (event.kind !== 'reply' || event.reply.outcome.kind !== 'yes') return;
    const { reply } = event;
    if (reply.to === 'find-order' && reply.outcome.kind === 'yes')
      this.#onReport(reply.outcome.value);
    const isList = reply.to === 'read-open-orders' || reply.to === 'read-order-history';
    if (isList && reply.outcome.kind === 'yes')
      for (const report of reply.outcome.value) this.#onReport(report);
  }

  onRecord(record: JournalRecord): void {
    if (record.type === 'intent') this.#onIntent(record);
    else if (record.type === 'mode') this.#modes.push(record);
    else if (record.type === 'verdict' && !record.ok) this.#onRefusal(record);
    if (!('clientOrderId' in record) || record.clientOrderId === undefined) return;
    const order = this.#orders.get(record.clientOrderId);
    if (order !== undefined) this.#onOrderRecord(order, record);
  }

  #onOrderRecord(order: LiveOrder, record: JournalRecord): void {
    const { decision } = order;
    if (record.type === 'attempt') order.attemptedAt = Math.min(order.attemptedAt, this.#now);
    else if (record.type === 'update') this.#onUpdate(order, record);
    else if (record.type === 'dropped') decision.note = `not sent: ${record.reason}`;
    else if (record.type === 'outcome' && record.outcome === 'yes') this.#accept(order);
    else if (record.type === 'outcome' && record.outcome === 'no')
      decision.note = `rejected: ${record.code ?? 'no code'}`;
  }

  /** The restriction of a symbol at a venue time; undefined: it traded. */
  restrictionAt(symbol: string, time: number): string | undefined {
    const last = this.#modes.findLast(
      (each) => each.venueTime <= time && (each.symbol ?? symbol) === symbol,
    );
    return last === undefined || last.to === 'TRADING'
      ? undefined
      : `mode was ${last.to}: ${last.cause}`;
  }

  #onRefusal({ strategyId, decisionKey, control, text }: JournalRecordOf<'verdict'>): void {
    const name = `${strategyId} ${decisionKey}`;
    this.refusals.set(name, `refused${control === undefined ? '' : ` by ${control}`}: ${text}`);
  }

  #onIntent(record: JournalRecordOf<'intent'>): void {
    const { strategyId, cause, decidedAt, terms } = intentOfRecord(record);
    const { symbol, side } = terms;
    const name = decisionName(strategyId, symbol, side, record);
    const decision: DriftDecision = this.decisions.get(name) ?? {
      ...{ name, strategy: strategyId, symbol, side, time: decidedAt, cause },
      ordered: ZERO as Quantity,
    };
    this.decisions.set(name, decision);
    this.#orders.set(record.clientOrderId, {
      decision,
      terms,
      accepted: false,
      attemptedAt: Infinity,
      filled: ZERO as Quantity,
      value: 0n,
    });
  }

  #accept(order: LiveOrder): void {
    if (order.accepted) return;
    order.accepted = true;
    order.decision.ordered = add(order.decision.ordered, order.terms.quantity);
    delete order.decision.note;
  }

  #onUpdate(order: LiveOrder, record: JournalRecordOf<'update'>): void {
    const { filledQuantity, averagePrice, orderId, clientOrderId, final } = record;
    if (record.status !== 'unrecognised') this.#accept(order);
    const left = subtract(order.terms.quantity, filledQuantity);
    if (final && left > 0)
      order.decision.note = `${record.status}${record.reason === undefined ? '' : `: ${record.reason}`}`;
    if (averagePrice === undefined || !isGreater(filledQuantity, order.filled)) return;
    const value = multiplyExact(filledQuantity, averagePrice);
    const quantity = subtract(filledQuantity, order.filled);
    const grown = value - order.value;
    [order.filled, order.value] = [filledQuantity, value];
    const changed = this.#changedAt.get(clientOrderId) ?? this.#changedAt.get(orderId ?? '');
    const [from, to] =
      changed === undefined ? [order.attemptedAt, this.#now] : [changed, changed + 1_000];
    const isMaker = order.terms.type === 'limit' && order.terms.price === averagePrice;
    this.#addFill(order.decision, { quantity, value: grown, from, to, isMaker });
  }

  #addFill(
    { name, symbol, side }: DriftDecision,
    { quantity, value, from, to, isMaker }: FillFacts,
  ): void {
    const market = this.market.trail(symbol).at(to)?.price;
    this.fills.push({
      ...{ decision: name, symbol, side, quantity, value, from, to },
      marketValue: market === undefined ? value : multiplyExact(quantity, market),
      fee: this.#fees.of(value, isMaker),
    });
    this.#lastDecision.set(symbol, name);
  }

  /** A stop, a target, a liquidation or another actor closed a part. */
  #onExternalTrade({ symbol, side, quantity, price }: BookedTrade, reason: string): void {
    const name = exitName(symbol, reason, this.#lastDecision.get(symbol));
    const decision: DriftDecision = this.decisions.get(name) ?? {
      ...{ name, strategy: reason, symbol, side, time: this.#now, ordered: ZERO as Quantity },
    };
    decision.ordered = add(decision.ordered, quantity);
    this.decisions.set(name, decision);
    const value = multiplyExact(quantity, price);
    const market = this.market.trail(symbol).at(this.#now)?.price ?? price;
    this.fills.push({
      ...{ decision: name, symbol, side, quantity, value },
      marketValue: multiplyExact(quantity, market),
      fee: this.#fees.of(value, false),
      ...{ from: this.#positionsReadAt, to: this.#now },
    });
  }

  #onReport({ clientOrderId, orderId, updatedAt }: OrderReport): void {
    if (updatedAt === undefined) return;
    this.#changedAt.set(orderId, updatedAt);
    if (clientOrderId !== undefined) this.#changedAt.set(clientOrderId, updatedAt);
  }

  #onSnapshot(snapshot: Extract<EngineEvent, { readonly kind: 'account' }>['snapshot']): void {
    if (snapshot.currency !== this.#fees.currency) return;
    const from = this.#venueTimeOf(snapshot.startedAt);
    if (snapshot.kind === 'positions') this.#positionsReadAt = from;
    if (snapshot.kind === 'open-orders')
      for (const report of snapshot.orders) this.#onReport(report);
    if (snapshot.kind !== 'wallet') return;
    const { balance, locked } = snapshot.wallet;
    this.wallets.push({ from, to: this.#now, total: add(balance, locked) });
  }

  /** Venue time at a time of this process, at most: that of its last event before. */
  #venueTimeOf(monotonic: number): number {
    const before = this.#times.findLast((each) => each.monotonic <= monotonic);
    return before?.venueTime ?? this.#times[0]?.venueTime ?? this.#now;
  }
}

interface FillFacts {
  readonly quantity: Quantity;
  readonly value: bigint;
  readonly from: number;
  readonly to: number;
  readonly isMaker: boolean;
}
