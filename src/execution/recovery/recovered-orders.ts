import { assert } from '../../core/assert.js';
import type { Price, Quantity } from '../../core/fixed/fixed.js';
import { ZERO } from '../../core/fixed/fixed.js';
import type { OrderIntent } from '../../core/intent.js';
import type { OrderTerms } from '../../core/order.js';
import type { RefusalCode } from '../../core/rejection.js';
import {
  intentOfRecord,
  type JournalRecord,
  type JournalRecordOf,
} from '../journal/journal-record.js';
import type { OrderState } from '../order/order-state.js';
import { OwnOrder } from '../order/own-order.js';

/** State of one order as the journal shows it so far. */
interface JournaledOrder {
  readonly intent: OrderIntent;
  /** Strategy that owns it; a person may have changed it since its intent. */
  owner: string;
  readonly clientOrderId: string;
  readonly generation: number;
  state: OrderState;
  attempts: number;
  unknownSeen: boolean;
  conflictSeen: boolean;
  wanted: boolean;
  cancelRequested: boolean;
  fence: OrderTerms | undefined;
  fenceAttempts: number;
  isFence: boolean;
  orderId: string | undefined;
  positionId: string | undefined;
  filledQuantity: Quantity;
  averagePrice: Price | undefined;
  lastFilledAt: number;
}

/** An order of a previous run, to be created under a key of this run. */
export interface RecoveredOrder {
  readonly intent: OrderIntent;
  readonly state: OrderState;
  readonly owner: string;
  create(key: number): OwnOrder;
}

/** A refusal after which the same bytes may be sent again. */
const isTemporaryRefusal = (code: RefusalCode | undefined): boolean =>
  code === 'locked' || code === 'rate-limited';

/**
 * Rebuilds every order from the journal. A normal start and a start after a crash are the same
 * path. INTENT without ATTEMPT was certainly never sent; ATTEMPT without OUTCOME is unknown.
 */
export function recoverOrders(
  records: readonly JournalRecord[],
  account: string,
): readonly RecoveredOrder[] {
  const orders = new Map<string, JournaledOrder>();
  for (const record of records) applyRecord(orders, record);
  return [...orders.values()].map((journaled) => ({
    intent: journaled.intent,
    state: journaled.state,
    owner: journaled.owner,
    create: (key) => orderOf(journaled, key, account),
  }));
}

function applyRecord(orders: Map<string, JournaledOrder>, record: JournalRecord): void {
  if (record.type === 'intent') {
    orders.set(record.clientOrderId, startOrder(record));
    return;
  }
  if (record.type === 'past') {
    orders.set(record.clientOrderId, { ...startOrder(record), ...pastOf(record) });
    return;
  }
  if (record.type === 'ownership') {
    applyDecision(orders, record);
    return;
  }
  const id = 'clientOrderId' in record ? record.clientOrderId : undefined;
  const order = id === undefined ? undefined : orders.get(id);
  if (order === undefined) {
    const needsIntent =
      record.type === 'attempt' || record.type === 'outcome' || record.type === 'update';
    assert(!needsIntent, 'The journal has the intent of every attempt');
    return;
  }
  switch (record.type) {
    case 'attempt':
      // The attempt before has no outcome and may have landed, so that a rejection of this one
      // proves nothing.
      if (order.state === 'sent') order.unknownSeen = true;
      order.attempts = record.attempt;
      order.state = 'sent';
      return;
    case 'outcome':
      applyOutcome(order, record);
      return;
    case 'update':
      applyUpdate(order, record);
      return;
    case 'instruction':
      order.wanted = false;
      order.cancelRequested ||= record.instruction === 'cancel';
      return;
    case 'fence':
      order.fence = record.terms;
      order.fenceAttempts = record.attempt;
      return;
    case 'fence-outcome':
      applyFenceOutcome(order, record);
      return;
    case 'dropped':
      order.state = order.attempts === 0 ? 'dropped' : 'rejected';
      return;
    case 'burned':
      order.state = 'burned';
      return;
    default:
  }
}

/** Entries of a retired id are withdrawn, and canceled at the venue. */
function applyDecision(
  orders: ReadonlyMap<string, JournaledOrder>,
  { decision, strategyId, to, orders: named }: JournalRecordOf<'ownership'>,
): void {
  if (decision === 'rename')
    for (const order of orders.values())
      if (order.owner === strategyId) order.owner = to ?? strategyId;
  for (const id of named) {
    const order = orders.get(id);
    if (order === undefined) continue;
    if (decision === 'adopt') order.owner = to ?? strategyId;
    if (decision !== 'retire') continue;
    order.wanted = false;
    order.cancelRequested = true;
  }
}

const startOrder = (record: JournalRecordOf<'intent' | 'past'>): JournaledOrder => ({
  intent: intentOfRecord(record),
  owner: record.strategyId,
  clientOrderId: record.clientOrderId,
  generation: record.generation,
  state: 'waiting',
  attempts: 0,
  unknownSeen: false,
  conflictSeen: false,
  wanted: true,
  cancelRequested: false,
  fence: undefined,
  fenceAttempts: 0,
  isFence: false,
  orderId: undefined,
  positionId: undefined,
  filledQuantity: ZERO as Quantity,
  averagePrice: undefined,
  lastFilledAt: Number.NEGATIVE_INFINITY,
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
  lastFilledAt:
    record.filledAt ?? (record.filledQuantity === 0 ? Number.NEGATIVE_INFINITY : record.venueTime),
  fence: record.fence,
  isFence: record.fence !== undefined,
});

function applyOutcome(order: JournaledOrder, record: JournalRecordOf<'outcome'>): void {
  if (record.outcome === 'yes') {
    order.state = 'accepted';
    order.orderId = record.orderId;
    order.positionId = record.positionId;
  } else if (record.outcome === 'unknown') {
    if (record.sent === false && !order.unknownSeen) order.state = 'waiting';
    else {
      order.unknownSeen = true;
      order.state = 'verifying';
    }
  } else if (record.code === 'client-order-id-exists') {
    order.conflictSeen = true;
    order.unknownSeen = true;
    order.state = 'verifying';
  } else if (order.unknownSeen) {
    order.state = 'verifying';
    if (!isTemporaryRefusal(record.code)) order.wanted = false;
  } else {
    // A proved rejection whose end was not journaled ends now; a temporary one is sent again.
    order.state = isTemporaryRefusal(record.code) ? 'waiting' : 'rejected';
  }
}

function applyFenceOutcome(order: JournaledOrder, record: JournalRecordOf<'fence-outcome'>): void {
  if (record.outcome === 'yes') {
    order.isFence = true;
    order.state = 'accepted';
    order.orderId = record.orderId;
  } else if (record.code === 'client-order-id-exists') order.conflictSeen = true;
}

function applyUpdate(order: JournaledOrder, record: JournalRecordOf<'update'>): void {
  order.orderId = record.orderId ?? order.orderId;
  if (record.filledQuantity !== order.filledQuantity) order.lastFilledAt = record.venueTime;
  order.filledQuantity = record.filledQuantity;
  order.averagePrice = record.averagePrice ?? order.averagePrice;
  if (!record.final) order.state = 'accepted';
  else order.state = record.status === 'filled' ? 'filled' : 'canceled';
}

function orderOf(journaled: JournaledOrder, key: number, account: string): OwnOrder {
  const order = new OwnOrder({
    key,
    account,
    intent: { recovered: journaled.intent },
    generation: journaled.generation,
    clientOrderId: journaled.clientOrderId,
  });
  order.owner = journaled.owner;
  order.state = journaled.state;
  order.attempts = journaled.attempts;
  order.unknownSeen = journaled.unknownSeen;
  order.conflictSeen = journaled.conflictSeen;
  order.active = journaled.wanted;
  order.recovered = true;
  if (!order.ended) {
    if (journaled.cancelRequested) order.cancelState = 'wanted';
    order.fenceAttempts = journaled.fenceAttempts;
  }
  // Of an ended order only a fence that landed matters.
  if (journaled.isFence || !order.ended) order.fence = journaled.fence;
  if (journaled.isFence) order.landAsFence();
  order.orderId = journaled.orderId;
  order.positionId = journaled.positionId;
  order.filledQuantity = journaled.filledQuantity;
  order.averagePrice = journaled.averagePrice;
  order.lastFilledAt = journaled.lastFilledAt;
  return order;
}
