import type { Stamp } from '../../src/core/events.js';
import { fixed, type Price, type Quantity } from '../../src/core/fixed.js';
import { namespaceOf } from '../../src/core/ids.js';
import type { OrderIntent } from '../../src/core/intent.js';
import type { OrderReport, OrderTerms } from '../../src/core/order.js';
import type {
  Outcome,
  Placement,
  Priority,
  Reply,
  ReplyTo,
  RequestKind,
  RequestOf,
  VenueRequest,
} from '../../src/core/request.js';
import type { RejectionCode } from '../../src/core/rejection.js';
import { Desk } from '../../src/execution/desk.js';
import type { EffectSink, TimerClock } from '../../src/execution/effects.js';
import { Journal } from '../../src/execution/journal/journal.js';
import type { JournalRecord } from '../../src/execution/journal/journal-record.js';
import { Lanes } from '../../src/execution/lanes.js';
import { OrderLedger } from '../../src/execution/order/order-ledger.js';
import { OrderProtocol } from '../../src/execution/order/order-protocol.js';
import type { EndState } from '../../src/execution/order/order-state.js';
import { OwnOrder } from '../../src/execution/order/own-order.js';
import { PositionBook } from '../../src/execution/position-book.js';
import { recoverOrders } from '../../src/execution/recovery/recovery.js';
import { anIntent, d, MONOTONIC, VENUE_TIME, type IntentCase } from './risk-case.js';

export const ACCOUNT = 'rig';
export const NAMESPACE = namespaceOf(ACCOUNT);

interface Asked {
  readonly id: number;
  readonly request: VenueRequest;
}

/**
 * The order protocol with nobody behind it: a test reads what it wants done, in order, and answers in
 * any way. Venue time runs with monotonic time.
 */
export class ProtocolRig implements EffectSink {
  readonly journaling = true;
  readonly stamp: { -readonly [K in keyof Stamp]: Stamp[K] } = {
    venueTime: VENUE_TIME,
    monotonic: MONOTONIC,
  };
  /** `journal intent`, `slot place`, `send place`, … in the order in which they were wanted. */
  readonly effects: string[] = [];
  readonly records: JournalRecord[];
  readonly priorities: Priority[] = [];
  readonly slots: Asked[] = [];
  /** Sent and not answered. */
  readonly sent: Asked[] = [];
  /** Every request that left. */
  readonly left: VenueRequest[] = [];
  readonly #timers: { readonly at: number; readonly key: string }[] = [];

  readonly positions = new PositionBook();
  readonly ledger = new OrderLedger(this.positions);
  readonly desk = new Desk(this, this.stamp);
  readonly lanes = new Lanes();
  readonly protocol: OrderProtocol;

  readonly fills: { readonly quantity: Quantity; readonly price: Price }[] = [];
  readonly ends: { readonly end: EndState; readonly reason: string | undefined }[] = [];
  readonly halts: string[] = [];
  accepted = 0;
  doubts = 0;
  leverageUnset = 0;
  /** What the world says right before bytes leave; validity is judged in any case. */
  hold: string | undefined;
  holdPasses = false;
  /** Entries of an earlier life are, unless a test says otherwise. */
  isTooOld: (order: OwnOrder) => boolean = ({ resumed, terms }) => resumed && !terms.reduceOnly;
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

  constructor(records: readonly JournalRecord[] = [], stamp?: Stamp) {
    if (stamp !== undefined) Object.assign(this.stamp, stamp);
    this.records = [...records];
    this.protocol = new OrderProtocol({
      desk: this.desk,
      lanes: this.lanes,
      ledger: this.ledger,
      journal: new Journal(this, this.stamp),
      world: {
        stamp: this.stamp,
        reasonToHold: (order) => {
          if (this.stamp.venueTime > order.intent.validUntil)
            return { reason: 'its validity ran out', passes: false };
          return this.hold === undefined
            ? undefined
            : { reason: this.hold, passes: this.holdPasses };
        },
        tooOld: (order) => (this.isTooOld(order) ? 'too old' : undefined),
        fenceTerms: () => this.fence,
        warn: (text) => this.warnings.push(text),
        accepted: () => {
          this.accepted += 1;
        },
        filled: (order, quantity, price) => {
          this.fills.push({ quantity, price });
          this.#book(order, quantity, price);
        },
        ended: (order, end, reason) => {
          this.ends.push({ end, reason });
          this.onEnd(order);
        },
        leverageUnset: () => {
          this.leverageUnset += 1;
        },
        positionDoubted: () => {
          this.doubts += 1;
        },
        absent: (_order, since) => {
          this.absentSince = since;
          return this.absent;
        },
        historyUnjudgedSince: () => this.unjudgedSince,
        isAdopted: (id) => this.adopted.has(id),
        halt: (reason) => this.halts.push(reason),
      },
    });
  }

  /** Another life on what a journal holds; what it had booked is believed. */
  static after(
    records: readonly JournalRecord[],
    stamp: Stamp,
    begin: (rig: ProtocolRig) => void = () => undefined,
  ): ProtocolRig {
    const rig = new ProtocolRig(records, stamp);
    begin(rig);
    for (const each of recoverOrders(records, ACCOUNT)) {
      const order = each.create(rig.ledger.nextKey);
      rig.ledger.add(order);
      rig.ledger.index(order);
      const price = order.averagePrice ?? order.intent.referencePrice;
      if (order.filledQuantity > 0) rig.#book(order, order.filledQuantity, price);
    }
    for (const order of rig.ledger.all) rig.protocol.resume(order);
    return rig;
  }

  // --- what the protocol wants done ----------------------------------------------------------------

  journal(record: JournalRecord): void {
    this.effects.push(`journal ${record.type}`);
    this.records.push(record);
  }
  slot(id: number, request: VenueRequest, priority: Priority): void {
    this.effects.push(`slot ${request.kind}`);
    this.priorities.push(priority);
    this.slots.push({ id, request });
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
    // Nobody reads it here.
  }

  // --- what a test does ----------------------------------------------------------------------------

  order(of: IntentCase = {}, validMs = 60_000): OwnOrder {
    const intent: OrderIntent = { ...anIntent(of), validUntil: VENUE_TIME + validMs };
    const order = new OwnOrder({
      key: this.ledger.nextKey,
      intent: { recovered: intent },
      account: ACCOUNT,
    });
    this.ledger.index(order);
    return order;
  }

  /** An order whose attempt is on its way. */
  placed(of: IntentCase = {}, validMs?: number): OwnOrder {
    const order = this.order(of, validMs);
    this.protocol.submit(order);
    this.grant();
    return order;
  }

  /** Grants every slot that is asked for. */
  grant(): void {
    for (let next = this.slots.shift(); next !== undefined; next = this.slots.shift())
      this.desk.slot(next.id);
  }

  /** Answers the oldest request of its kind. */
  answer<K extends RequestKind>(to: K, outcome: ReplyTo<K>): void {
    const at = this.sent.findIndex(({ request }) => request.kind === to);
    const [asked] = this.sent.splice(at, 1);
    if (at < 0 || asked === undefined) throw new Error(`no ${to} waits for an answer`);
    this.desk.reply(asked.id, { to, outcome } as Reply);
  }

  /** The oldest unanswered request of a kind. */
  waiting<K extends RequestKind>(kind: K): RequestOf<K> | undefined {
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
      if (due !== undefined) this.desk.fire(due.key);
      this.grant();
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
    if (due !== undefined) this.desk.fire(due.key);
  }

  /** Passes time until a request of that kind waits for an answer. @returns the ms that it took */
  passUntil(kind: RequestKind, withinMs = 120_000): number {
    const start = this.stamp.monotonic;
    this.grant();
    while (this.waiting(kind) === undefined) {
      const at = this.nextTimer;
      if (at === undefined || at > start + withinMs) throw new Error(`no ${kind} is asked for`);
      this.pass(Math.max(0, at - this.stamp.monotonic));
    }
    return this.stamp.monotonic - start;
  }

  /** Waits for the next look, and answers it. */
  look(outcome: Outcome<OrderReport>): number {
    const took = this.passUntil('find-order');
    this.answer('find-order', outcome);
    return took;
  }

  /** Waits for the next look, which finds nothing, and answers the search of history after it. */
  miss(history: readonly OrderReport[] = []): number {
    const took = this.look(NOT_FOUND);
    this.grant();
    this.answer('read-order-history', yes(history));
    return took;
  }

  sends(kind: RequestKind): number {
    return this.left.filter((request) => request.kind === kind).length;
  }

  #setTime(monotonic: number): void {
    this.stamp.venueTime += monotonic - this.stamp.monotonic;
    this.stamp.monotonic = monotonic;
  }

  #book(order: OwnOrder, quantity: Quantity, price: Price): void {
    const { symbol, currency, side } = order.terms;
    const { monotonic } = this.stamp;
    this.positions.fill({ symbol, currency, side, quantity, price, monotonic });
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
