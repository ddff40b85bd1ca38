import type { EventTime } from '../../../src/core/events.js';
import { fixed, type Price, type Quantity } from '../../../src/core/fixed/fixed.js';
import { namespaceOf } from '../../../src/core/ids.js';
import type { OrderIntent } from '../../../src/core/intent.js';
import type { OrderReport, OrderTerms } from '../../../src/core/order.js';
import type {
  Outcome,
  Placement,
  Priority,
  Reply,
  ReplyTo,
  RequestKind,
  RequestOf,
  VenueRequest,
} from '../../../src/core/request.js';
import type { RejectionCode } from '../../../src/core/rejection.js';
import { RequestTracker } from '../../../src/execution/request-tracker.js';
import type { EffectSink, Note, TimerClock } from '../../../src/execution/effects.js';
import { Journal } from '../../../src/execution/journal/journal.js';
import type { JournalRecord } from '../../../src/execution/journal/journal-record.js';
import { SymbolLocks } from '../../../src/execution/symbol-locks.js';
import { OrderLedger } from '../../../src/execution/order/order-ledger.js';
import { OrderProtocol } from '../../../src/execution/order/order-protocol.js';
import type { EndState } from '../../../src/execution/order/order-state.js';
import { OwnOrder } from '../../../src/execution/order/own-order.js';
import { PositionLedger } from '../../../src/execution/position-ledger.js';
import { recoverOrders } from '../../../src/execution/recovery/recovered-orders.js';
import { intentOf, d, MONOTONIC, VENUE_TIME, type IntentCase } from '../builders/risk-case.js';

export const ACCOUNT = 'rig';
export const NAMESPACE = namespaceOf(ACCOUNT);

interface SentRequest {
  readonly id: number;
  readonly request: VenueRequest;
}

/**
 * The order protocol without a venue: a test reads its requests, in order, and replies in
 * any way. Venue time runs with monotonic time.
 */
export class ProtocolRig implements EffectSink {
  readonly journaling = true;
  readonly stamp: { -readonly [K in keyof EventTime]: EventTime[K] } = {
    venueTime: VENUE_TIME,
    monotonic: MONOTONIC,
  };
  /** `journal intent`, `slot place`, `send place`, … in the order in which they were wanted. */
  readonly effects: string[] = [];
  readonly records: JournalRecord[];
  readonly priorities: Priority[] = [];
  readonly #newestPriority = new Map<RequestKind, Priority>();
  readonly permits: SentRequest[] = [];
  /** Sent and not answered. */
  readonly sent: SentRequest[] = [];
  /** Every request that left. */
  readonly left: VenueRequest[] = [];
  readonly #timers: { readonly at: number; readonly key: string }[] = [];

  readonly positions = new PositionLedger();
  readonly ledger = new OrderLedger(this.positions);
  readonly requestTracker = new RequestTracker(this, this.stamp);
  readonly symbolLocks = new SymbolLocks();
  readonly protocol: OrderProtocol;

  readonly fills: { readonly quantity: Quantity; readonly price: Price }[] = [];
  readonly ends: { readonly end: EndState; readonly reason: string | undefined }[] = [];
  readonly halts: string[] = [];
  accepted = 0;
  unverifiedPositions = 0;
  leverageUnset = 0;
  /** What the world says right before bytes leave; validity is judged in any case. */
  holdReason: string | undefined;
  holdPasses = false;
  /** Entries of an earlier life are, unless a test says otherwise. */
  isTooOld: (order: OwnOrder) => boolean = ({ recovered: resumed, terms }) =>
    resumed && !terms.reduceOnly;
  readonly warnings: string[] = [];
  /** The order that may leave under the id of an order that never landed, or the reason that none may. */
  fence: OrderTerms | string = 'no fence in this test';
  /** Whether open orders and positions lack the order. */
  absent = true;
  /** Client order ids of others that a person has said are known. */
  readonly adopted = new Set<string>();
  absentSince: number | undefined;
  /** Venue ms from which on order history is not judged yet. */
  unjudgedSince: number | undefined;
  /** Whom else an order's end concerns. */
  onEnd: (order: OwnOrder) => void = () => undefined;

  constructor(records: readonly JournalRecord[] = [], stamp?: EventTime) {
    if (stamp !== undefined) Object.assign(this.stamp, stamp);
    this.records = [...records];
    this.protocol = new OrderProtocol({
      requests: this.requestTracker,
      locks: this.symbolLocks,
      ledger: this.ledger,
      journal: new Journal(this, this.stamp),
      engine: {
        stamp: this.stamp,
        holdReason: (order) => {
          if (this.stamp.venueTime > order.intent.validUntil)
            return { reason: 'its validity ran out', temporary: false };
          return this.holdReason === undefined
            ? undefined
            : { reason: this.holdReason, temporary: this.holdPasses };
        },
        staleReason: (order) => (this.isTooOld(order) ? 'too old' : undefined),
        fenceTerms: () => this.fence,
        onDelisting: ({ terms }) => this.warnings.push(`${terms.symbol} is being delisted`),
        warn: (text) => this.warnings.push(text),
        onAccepted: () => {
          this.accepted += 1;
        },
        onFilled: (order, quantity, price) => {
          this.fills.push({ quantity, price });
          this.#applyFill(order, quantity, price);
        },
        onEnded: (order, end, reason) => {
          this.ends.push({ end, reason });
          this.onEnd(order);
        },
        onLeverageNotSet: () => {
          this.leverageUnset += 1;
        },
        onPositionUnverified: () => {
          this.unverifiedPositions += 1;
        },
        isAbsentFromLists: (_order, since) => {
          this.absentSince = since;
          return this.absent;
        },
        historyUncheckedSince: () => this.unjudgedSince,
        isAdopted: (id) => this.adopted.has(id),
        halt: (reason) => this.halts.push(reason),
        restrict: ({ cause }) => this.halts.push(cause),
      },
    });
  }

  /** Another life on what a journal holds; what it had booked is believed. */
  static after(
    records: readonly JournalRecord[],
    stamp: EventTime,
    begin: (rig: ProtocolRig) => void = () => undefined,
  ): ProtocolRig {
    const rig = new ProtocolRig(records, stamp);
    begin(rig);
    for (const each of recoverOrders(records, ACCOUNT)) {
      const order = each.create(rig.ledger.nextKey);
      rig.ledger.add(order);
      rig.ledger.indexByClientOrderId(order);
      const price = order.averagePrice ?? order.intent.referencePrice;
      if (order.filledQuantity > 0) rig.#applyFill(order, order.filledQuantity, price);
    }
    for (const order of rig.ledger.all) rig.protocol.resume(order);
    return rig;
  }

  // --- what the protocol wants done ----------------------------------------------------------------

  journal(record: JournalRecord): void {
    this.effects.push(`journal ${record.type}`);
    this.records.push(record);
  }
  requestPermit(id: number, request: VenueRequest, priority: Priority): void {
    this.effects.push(`slot ${request.kind}`);
    this.priorities.push(priority);
    this.#newestPriority.set(request.kind, priority);
    this.permits.push({ id, request });
  }
  send(id: number, request: VenueRequest): void {
    this.effects.push(`send ${request.kind}`);
    this.sent.push({ id, request });
    this.left.push(frozen(request));
  }
  timer(_clock: TimerClock, at: number, key: string): void {
    this.#timers.push({ at, key });
  }
  notify(): void {
    // The rig does not read it.
  }

  // --- what a test does ----------------------------------------------------------------------------

  order(of: IntentCase = {}, validMs = 60_000): OwnOrder {
    const intent: OrderIntent = { ...intentOf(of), validUntil: VENUE_TIME + validMs };
    const order = new OwnOrder({
      key: this.ledger.nextKey,
      intent: { recovered: intent },
      account: ACCOUNT,
    });
    this.ledger.indexByClientOrderId(order);
    return order;
  }

  /** An order whose attempt is on its way. */
  placedOrder(of: IntentCase = {}, validMs?: number): OwnOrder {
    const order = this.order(of, validMs);
    this.protocol.submit(order);
    this.grantPermit();
    return order;
  }

  /** Grants every slot that is asked for. */
  grantPermit(): void {
    for (let next = this.permits.shift(); next !== undefined; next = this.permits.shift())
      this.requestTracker.onPermitGranted(next.id);
  }

  /** Answers the oldest request of its kind. */
  answer<K extends RequestKind>(to: K, outcome: ReplyTo<K>): void {
    const at = this.sent.findIndex(({ request }) => request.kind === to);
    const [sentRequest] = this.sent.splice(at, 1);
    if (at < 0 || sentRequest === undefined) throw new Error(`no ${to} waits for an answer`);
    this.requestTracker.onReply(sentRequest.id, { to, outcome } as Reply);
  }

  /** The oldest unanswered request of a kind. */
  pendingRequest<K extends RequestKind>(kind: K): RequestOf<K> | undefined {
    return this.sent.map(({ request }) => request).find((request) => request.kind === kind) as
      RequestOf<K> | undefined;
  }

  get nextTimer(): number | undefined {
    return this.#timers.length === 0 ? undefined : Math.min(...this.#timers.map(({ at }) => at));
  }

  /** Lets time pass, timer by timer, and grants what they ask for. */
  pass(ms: number): void {
    const until = this.stamp.monotonic + ms;
    for (let at = this.nextTimer; at !== undefined && at <= until; at = this.nextTimer) {
      this.#setTime(Math.max(at, this.stamp.monotonic));
      const index = this.#timers.findIndex((timer) => timer.at === at);
      const [due] = this.#timers.splice(index, 1);
      if (due !== undefined) this.requestTracker.onTimer(due.key);
      this.grantPermit();
    }
    this.#setTime(until);
  }

  /** Lets time go to the next timer, and no further; what it asks for waits for its slot. */
  fireNext(): void {
    const at = this.nextTimer;
    if (at === undefined) throw new Error('nothing waits for a time');
    this.#setTime(Math.max(at, this.stamp.monotonic));
    const index = this.#timers.findIndex((timer) => timer.at === at);
    const [due] = this.#timers.splice(index, 1);
    if (due !== undefined) this.requestTracker.onTimer(due.key);
  }

  /** Passes time until a request of that kind waits for an answer. @returns the ms that it took */
  passUntil(kind: RequestKind, withinMs = 120_000): number {
    const start = this.stamp.monotonic;
    this.grantPermit();
    while (this.pendingRequest(kind) === undefined) {
      const at = this.nextTimer;
      if (at === undefined || at > start + withinMs) throw new Error(`no ${kind} is asked for`);
      this.pass(Math.max(0, at - this.stamp.monotonic));
    }
    return this.stamp.monotonic - start;
  }

  /** Waits for the next look, and answers it. */
  answerOrderQuery(outcome: Outcome<OrderReport>): number {
    const took = this.passUntil('find-order');
    this.answer('find-order', outcome);
    return took;
  }

  /** Waits for the next look, which finds nothing, and answers the search of history after it. */
  answerOrderNotFound(history: readonly OrderReport[] = []): number {
    const took = this.answerOrderQuery(NOT_FOUND);
    this.grantPermit();
    this.answer('read-order-history', yes(history));
    return took;
  }

  sends(kind: RequestKind): number {
    return this.left.filter((request) => request.kind === kind).length;
  }

  /** Priority of the newest permit requested for that kind. */
  priorityOf(kind: RequestKind): Priority | undefined {
    return this.#newestPriority.get(kind);
  }

  /** Texts of the journaled notes of that level, oldest first. */
  notes(level: Note['level']): readonly string[] {
    return this.records.flatMap((each) =>
      each.type === 'note' && each.level === level ? [each.text] : [],
    );
  }

  #setTime(monotonic: number): void {
    this.stamp.venueTime += monotonic - this.stamp.monotonic;
    this.stamp.monotonic = monotonic;
  }

  #applyFill(order: OwnOrder, quantity: Quantity, price: Price): void {
    const { symbol, currency, side } = order.terms;
    const { monotonic } = this.stamp;
    this.positions.applyFill({ symbol, currency, side, quantity, price, monotonic });
  }
}

/** A place request computes its fields when they are read: what left must not change afterwards. */
function frozen(request: VenueRequest): VenueRequest {
  if (request.kind !== 'place') return request;
  const { kind, clientOrderId, terms } = request;
  return { kind, clientOrderId, terms };
}

export const yes = <T>(value: T): Outcome<T> => ({ kind: 'yes', value });
export const no = (code: RejectionCode, status = 400): Outcome<never> => ({
  kind: 'no',
  code,
  text: code,
  status,
});
export const unknown = (status?: number): Outcome<never> => ({
  kind: 'unknown',
  sent: true,
  cause: 'no answer',
  ...(status !== undefined && { status }),
});
export const unsent: Outcome<never> = { kind: 'unknown', sent: false, cause: 'refused to connect' };
export const placement = (orderId = 'v1'): Outcome<Placement> => yes({ orderId, positionId: 'p1' });
export const NOT_FOUND = no('order-not-found', 404);
export const CONFLICT = no('client-order-id-exists', 409);

interface ReportCase {
  readonly orderId?: string;
  readonly status?: OrderReport['status'];
  readonly filled?: string;
  readonly average?: string;
  readonly updatedAt?: number;
}

/** What the venue says of an order with these terms. */
export function reportOf(terms: OrderTerms, of: ReportCase = {}): OrderReport {
  const filledQuantity = of.filled === undefined ? fixed<'quantity'>(0) : d<'quantity'>(of.filled);
  return {
    orderId: of.orderId ?? 'v1',
    currency: terms.currency,
    symbol: terms.symbol,
    role: 'trade',
    side: terms.side,
    type: terms.type,
    status: of.status ?? 'created',
    quantity: terms.quantity,
    filledQuantity,
    ...(terms.price !== undefined && { price: terms.price }),
    ...(of.average !== undefined && { averagePrice: d<'price'>(of.average) }),
    positionId: 'p1',
    ...(of.updatedAt !== undefined && { updatedAt: of.updatedAt }),
  };
}
