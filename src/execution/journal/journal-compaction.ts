import { createHash } from 'node:crypto';
import type { OperatorCommand } from '../../core/events.js';
import { ZERO, type Quantity } from '../../core/fixed/fixed.js';
import {
  encodeJournalRecord,
  type JournalRecord,
  type JournalRecordOf,
  type JournalRecordType,
} from './journal-record.js';
import { isEndState, type EndState } from '../order/order-state.js';
import type { OwnOrder } from '../order/own-order.js';
import { recover, type Recovery } from '../recovery/recovery.js';
import type { RecoveredPosition } from '../recovery/recovered-positions.js';
import { flattenRecords } from '../recovery/recovered-flatten.js';
import { restrictionRecords } from '../recovery/recovered-restrictions.js';
import { lossRecord } from '../recovery/recovered-losses.js';
import { stateRecords } from '../recovery/recovered-states.js';
import { switchRecords } from '../recovery/recovered-switches.js';

/** Records for people, and those of which only the newest counts: no start reads the others. */
const INFORMATIONAL: ReadonlySet<JournalRecordType> = new Set([
  'verdict',
  'mode',
  'note',
  'rescue',
  'history',
  'losses',
]);
/** Commands that matter no longer than the orders they caused. */
const ENDED_WITH_ORDERS: ReadonlySet<OperatorCommand['kind']> = new Set([
  'stop',
  'kill',
  'drop-flatten',
  'order',
  'cancel',
  'resolve',
  'amend',
  'stop-strategy',
  'pause-strategy',
  'resume-strategy',
  'start-strategy',
]);
/** Records of an order's progress; of an ended order one `past` record replaces them. */
const ORDER_RECORDS: ReadonlySet<JournalRecordType> = new Set([
  'intent',
  'attempt',
  'outcome',
  'update',
  'instruction',
  'fence',
  'fence-outcome',
  'dropped',
  'burned',
  'past',
]);

/**
 * The fewest records from which a start rebuilds the same state:
 * - the header;
 * - every open order with all its records;
 * - every ended order in one record, since its id must never be used again (control ONCE) and the
 *   risk gate remembers its decision;
 * - the positions, and the latched restrictions;
 * - every other record that may still matter.
 * Orders keep their sequence, and by it their keys.
 *
 * @param recovery the recovered state of `records`, if already known
 */
export function compactedRecords(
  records: readonly JournalRecord[],
  account: string,
  recovery: Recovery = recover(records, account),
): readonly JournalRecord[] {
  const { orders, positions, states, switches, flatten, losses } = recovery;
  const ended = new Map<string, OwnOrder>();
  for (const [key, recovered] of orders.entries()) {
    if (!isEndState(recovered.state)) continue;
    const order = recovered.create(key);
    ended.set(order.clientOrderId, order);
  }
  const newest = new Set([...restrictionRecords(records), ...lastHistories(records)]);
  const past = { ended, filledAt: fillTimes(records), switches };
  const retained = records.flatMap((record) =>
    newest.has(record) ? [record] : retainedOf(record, past),
  );
  const last = records.at(-1);
  if (last === undefined) return retained;
  const { venueTime } = last;
  return [
    ...retained,
    ...positionRecords(positions, recover(retained, account).positions, venueTime),
    ...stateRecords(states, venueTime),
    ...switchRecords(switches, venueTime),
    ...flattenRecords(flatten, venueTime),
    ...(losses === undefined ? [] : [lossRecord(losses, venueTime)]),
  ];
}

/**
 * SHA-256, hex, of everything that a start takes from these records: equal hashes, equal starts
 * (property P7).
 *
 * @param recovery the recovered state of `records`, if already known
 */
export function recoveredHash(
  records: readonly JournalRecord[],
  account: string,
  recovery: Recovery = recover(records, account),
): string {
  const { orders, positions, filledAt, restrictions, adopted, states, judgedUntil, flatten } =
    recovery;
  const { switches, losses } = recovery;
  const hash = createHash('sha256');
  const addToHash = (value: unknown): void => {
    hash.update(`${JSON.stringify(value)}\n`, 'utf8');
  };
  for (const [key, recovered] of orders.entries()) {
    const order = recovered.create(key);
    addToHash([order.clientOrderId, order]);
  }
  for (const position of [...positions].sort(bySymbol)) addToHash(position);
  addToHash([...filledAt].map((each) => each.join(': ')).sort(byText));
  addToHash(restrictions.map((each) => JSON.stringify(each)).sort(byText));
  addToHash([...adopted].sort(byText));
  addToHash([...judgedUntil].map((each) => each.join(': ')).sort(byText));
  addToHash(flatten ?? null);
  addToHash(losses === undefined ? null : encodeJournalRecord(lossRecord(losses, 0)));
  addToHash(
    stateRecords(states, 0)
      .map((record) => JSON.stringify(record))
      .sort(byText),
  );
  for (const record of switchRecords(switches, 0)) addToHash(record);
  for (const record of records) {
    if (isAlwaysRetained(record)) hash.update(encodeJournalRecord(record));
    if (record.type === 'ownership')
      hash.update(encodeJournalRecord(pendingDecision(record, switches)));
  }
  return hash.digest('hex');
}

interface EndedOrders extends Pick<Recovery, 'switches'> {
  readonly ended: ReadonlyMap<string, OwnOrder>;
  /** Client order id → venue ms of its last fill. */
  readonly filledAt: ReadonlyMap<string, number>;
}

function fillTimes(records: readonly JournalRecord[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const record of records) {
    if (record.type !== 'update' || record.filledQuantity === 0) continue;
    const { clientOrderId: id, venueTime } = record;
    times.set(id, Math.max(venueTime, times.get(id) ?? venueTime));
  }
  return times;
}

function retainedOf(
  record: JournalRecord,
  { ended, filledAt, switches }: EndedOrders,
): readonly JournalRecord[] {
  if (record.type === 'ownership') return [pendingDecision(record, switches)];
  if (isAlwaysRetained(record)) return [record];
  if (!ORDER_RECORDS.has(record.type) || !('clientOrderId' in record)) return [];
  const order = ended.get(record.clientOrderId ?? '');
  if (order === undefined) return [record];
  const begins = record.type === 'intent' || record.type === 'past';
  return begins ? [pastRecordOf(order, filledAt.get(order.clientOrderId) ?? record.venueTime)] : [];
}

/** Durable states follow in records of their own, and a close that has ended must not begin again. */
function pendingDecision(
  { close, ...rest }: JournalRecordOf<'ownership'>,
  switches: Recovery['switches'],
): JournalRecord {
  const isClosing = close === true && switches.get(rest.strategyId)?.isClosing === true;
  return { ...rest, kept: [], ...(isClosing && { close }) };
}

/** Records that a compaction always keeps. */
const isAlwaysRetained = (record: JournalRecord): boolean =>
  !INFORMATIONAL.has(record.type) &&
  !ORDER_RECORDS.has(record.type) &&
  record.type !== 'position' &&
  record.type !== 'state' &&
  record.type !== 'strategy' &&
  record.type !== 'ownership' &&
  record.type !== 'flatten' &&
  (record.type !== 'command' || !ENDED_WITH_ORDERS.has(record.command.kind));

/** The newest check of order history of each currency. */
function lastHistories(records: readonly JournalRecord[]): Iterable<JournalRecord> {
  const last = new Map<string, JournalRecord>();
  for (const record of records) if (record.type === 'history') last.set(record.currency, record);
  return last.values();
}

function pastRecordOf(order: OwnOrder, venueTime: number): JournalRecord {
  const { intent, orderId, positionId, averagePrice, lastFilledAt, fence, isFence } = order;
  return {
    type: 'past',
    venueTime,
    clientOrderId: order.clientOrderId,
    generation: order.generation,
    strategyId: intent.strategyId,
    cause: intent.cause,
    ordinal: intent.ordinal,
    leg: intent.leg,
    terms: intent.terms,
    referencePrice: intent.referencePrice,
    decidedAt: intent.decidedAt,
    validUntil: intent.validUntil,
    state: order.state as EndState,
    attempts: order.attempts,
    unknownSeen: order.unknownSeen,
    conflictSeen: order.conflictSeen,
    wanted: order.active,
    ...(orderId !== undefined && { orderId }),
    ...(positionId !== undefined && { positionId }),
    filledQuantity: order.filledQuantity,
    ...(averagePrice !== undefined && { averagePrice }),
    ...(Number.isFinite(lastFilledAt) && { filledAt: lastFilledAt }),
    ...(isFence && fence !== undefined && { fence }),
  };
}

/** Records that bring the positions of the retained records to those of all records. */
function positionRecords(
  target: readonly RecoveredPosition[],
  rebuilt: readonly RecoveredPosition[],
  venueTime: number,
): readonly JournalRecord[] {
  const quantities = new Map<string, RecoveredPosition>();
  for (const position of rebuilt) {
    const { symbol, currency } = position;
    quantities.set(symbolKeyOf(position), { symbol, currency, quantity: ZERO as Quantity });
  }
  for (const position of target) quantities.set(symbolKeyOf(position), position);
  return [...quantities.values()]
    .sort(bySymbol)
    .map((position) => ({ type: 'position', venueTime, ...position, cause: 'compacted' }));
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const symbolKeyOf = ({ symbol, currency }: RecoveredPosition): string => `${symbol}/${currency}`;
const bySymbol = (a: RecoveredPosition, b: RecoveredPosition): number =>
  byText(symbolKeyOf(a), symbolKeyOf(b));
