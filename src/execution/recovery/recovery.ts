import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import type { Price, Quantity } from '../../core/fixed.js';
import { ZERO } from '../../core/fixed.js';
import type { OrderIntent } from '../../core/intent.js';
import type { OrderTerms } from '../../core/order.js';
import type { RejectionCode } from '../../core/rejection.js';
import {
  intentOfRecord,
  type JournalRecord,
  type JournalRecordOf,
} from '../journal/journal-record.js';
import { recoverOperations, type RecoveredOperations } from './operation-recovery.js';
import type { OrderState } from '../order/order-state.js';
import { OwnOrder } from '../order/own-order.js';
import { recoverAdopted, recoverHalts, recoverJudged, recoverStrays } from './recovered-halts.js';
import { recoverFlatten, type RecoveredFlatten } from './recovered-flatten.js';
import { recoverStates, type RecoveredStates } from './recovered-states.js';
import {
  recoverFillTimes,
  recoverPositions,
  type RecoveredPosition,
} from './recovered-positions.js';

/** What the journal knows of one order. */
interface Trace {
  readonly intent: OrderIntent;
  readonly clientOrderId: string;
  readonly generation: number;
  state: OrderState;
  attempts: number;
  unknownSeen: boolean;
  conflictSeen: boolean;
  wanted: boolean;
  cancelWanted: boolean;
  fence: OrderTerms | undefined;
  fenceAttempts: number;
  isFence: boolean;
  orderId: string | undefined;
  positionId: string | undefined;
  filledQuantity: Quantity;
  averagePrice: Price | undefined;
}

/** An order that an earlier life left behind, to be taken over under a key of this one. */
export interface RecoveredOrder {
  readonly intent: OrderIntent;
  readonly state: OrderState;
  create(key: number): OwnOrder;
}

/** What an earlier life left in the journal. */
export interface Recovery {
  readonly orders: readonly RecoveredOrder[];
  readonly positions: readonly RecoveredPosition[];
  /** Venue ms of our last fill of each symbol. */
  readonly filledAt: ReadonlyMap<string, number>;
  /** Symbols that only a person may let trade again, with why. */
  readonly halts: ReadonlyMap<string, string>;
  /** Client order ids that a person has said are known. */
  readonly adopted: ReadonlySet<string>;
  /** Client order ids that another writer used, and that no person has adopted. */
  readonly strays: ReadonlySet<string>;
  /** Venue ms until which order history was compared with the journal. */
  readonly judgedUntil: ReadonlyMap<Currency, number>;
  /** Venue ms of the newest record; undefined: there is none. */
  readonly until: number | undefined;
  /** A flatten that did not come to its end; absent: none. */
  readonly flatten?: RecoveredFlatten;
  /** What strategies kept. */
  readonly states: RecoveredStates;
  /** Everything that was neither a place nor a cancel. */
  readonly operations: RecoveredOperations;
}

export function recover(records: readonly JournalRecord[], account: string): Recovery {
  const flatten = recoverFlatten(records);
  return {
    orders: recoverOrders(records, account),
    positions: recoverPositions(records),
    filledAt: recoverFillTimes(records),
    halts: recoverHalts(records),
    adopted: recoverAdopted(records),
    strays: recoverStrays(records),
    judgedUntil: recoverJudged(records),
    until: records.at(-1)?.venueTime,
    ...(flatten !== undefined && { flatten }),
    states: recoverStates(records),
    operations: recoverOperations(records),
  };
}

/** Not an error of the venue: it refused for the moment, and the same bytes may go again. */
const isForNow = (code: RejectionCode | undefined): boolean =>
  code === 'locked' || code === 'rate-limited';

/**
 * Rebuilds every order from the journal; ordinary start and start after a crash are this one path.
 * INTENT without ATTEMPT was certainly never sent; ATTEMPT without OUTCOME is unknown.
 */
export function recoverOrders(
  records: readonly JournalRecord[],
  account: string,
): readonly RecoveredOrder[] {
  const traces = new Map<string, Trace>();
  for (const record of records) follow(traces, record);
  return [...traces.values()].map((trace) => ({
    intent: trace.intent,
    state: trace.state,
    create: (key) => orderOf(trace, key, account),
  }));
}

function follow(traces: Map<string, Trace>, record: JournalRecord): void {
  if (record.type === 'intent') {
    traces.set(record.clientOrderId, begin(record));
    return;
  }
  if (record.type === 'past') {
    traces.set(record.clientOrderId, { ...begin(record), ...pastOf(record) });
    return;
  }
  const id = 'clientOrderId' in record ? record.clientOrderId : undefined;
  const trace = id === undefined ? undefined : traces.get(id);
  if (trace === undefined) {
    const needsIntent =
      record.type === 'attempt' || record.type === 'outcome' || record.type === 'update';
    assert(!needsIntent, 'The journal has the intent of every attempt');
    return;
  }
  switch (record.type) {
    case 'attempt':
      // The one before has no outcome, and never will: a no to this one proves nothing.
      if (trace.state === 'sent') trace.unknownSeen = true;
      trace.attempts = record.attempt;
      trace.state = 'sent';
      return;
    case 'outcome':
      followOutcome(trace, record);
      return;
    case 'update':
      followUpdate(trace, record);
      return;
    case 'instruction':
      trace.wanted = false;
      trace.cancelWanted ||= record.instruction === 'cancel';
      return;
    case 'fence':
      trace.fence = record.terms;
      trace.fenceAttempts = record.attempt;
      return;
    case 'fence-outcome':
      followFence(trace, record);
      return;
    case 'dropped':
      trace.state = trace.attempts === 0 ? 'dropped' : 'rejected';
      return;
    case 'burned':
      trace.state = 'burned';
      return;
    default:
  }
}

const begin = (record: JournalRecordOf<'intent' | 'past'>): Trace => ({
  intent: intentOfRecord(record),
  clientOrderId: record.clientOrderId,
  generation: record.generation,
  state: 'waiting',
  attempts: 0,
  unknownSeen: false,
  conflictSeen: false,
  wanted: true,
  cancelWanted: false,
  fence: undefined,
  fenceAttempts: 0,
  isFence: false,
  orderId: undefined,
  positionId: undefined,
  filledQuantity: ZERO as Quantity,
  averagePrice: undefined,
});

const pastOf = (record: JournalRecordOf<'past'>) => ({
  state: record.state,
  attempts: record.attempts,
  unknownSeen: record.unknownSeen,
  conflictSeen: record.conflictSeen,
  wanted: record.wanted,
  orderId: record.orderId,
  positionId: record.positionId,
  filledQuantity: record.filledQuantity,
  averagePrice: record.averagePrice,
  fence: record.fence,
  isFence: record.fence !== undefined,
});

function followOutcome(trace: Trace, record: JournalRecordOf<'outcome'>): void {
  if (record.outcome === 'yes') {
    trace.state = 'accepted';
    trace.orderId = record.orderId;
    trace.positionId = record.positionId;
  } else if (record.outcome === 'unknown') {
    if (record.sent === false && !trace.unknownSeen) trace.state = 'waiting';
    else {
      trace.unknownSeen = true;
      trace.state = 'verifying';
    }
  } else if (record.code === 'client-order-id-exists') {
    trace.conflictSeen = true;
    trace.unknownSeen = true;
    trace.state = 'verifying';
  } else if (trace.unknownSeen) {
    trace.state = 'verifying';
    if (!isForNow(record.code)) trace.wanted = false;
  } else {
    // A proved no whose end was not journaled any more ends now; one for the moment goes again.
    trace.state = isForNow(record.code) ? 'waiting' : 'rejected';
  }
}

function followFence(trace: Trace, record: JournalRecordOf<'fence-outcome'>): void {
  if (record.outcome === 'yes') {
    trace.isFence = true;
    trace.state = 'accepted';
    trace.orderId = record.orderId;
  } else if (record.code === 'client-order-id-exists') trace.conflictSeen = true;
}

function followUpdate(trace: Trace, record: JournalRecordOf<'update'>): void {
  trace.orderId = record.orderId ?? trace.orderId;
  trace.filledQuantity = record.filledQuantity;
  trace.averagePrice = record.averagePrice ?? trace.averagePrice;
  if (!record.final) trace.state = 'accepted';
  else trace.state = record.status === 'filled' ? 'filled' : 'canceled';
}

function orderOf(trace: Trace, key: number, account: string): OwnOrder {
  const order = new OwnOrder({
    key,
    account,
    intent: { recovered: trace.intent },
    generation: trace.generation,
    clientOrderId: trace.clientOrderId,
  });
  order.state = trace.state;
  order.attempts = trace.attempts;
  order.unknownSeen = trace.unknownSeen;
  order.conflictSeen = trace.conflictSeen;
  order.wanted = trace.wanted;
  order.resumed = true;
  if (!order.ended) {
    if (trace.cancelWanted) order.cancelState = 'wanted';
    order.fenceAttempts = trace.fenceAttempts;
  }
  // Of an order that has ended, only what landed says anything.
  if (trace.isFence || !order.ended) order.fence = trace.fence;
  if (trace.isFence) order.landAsFence();
  order.orderId = trace.orderId;
  order.positionId = trace.positionId;
  order.filledQuantity = trace.filledQuantity;
  order.averagePrice = trace.averagePrice;
  return order;
}
