import { createHash } from 'node:crypto';
import type { Command } from '../../core/events.js';
import { ZERO, type Quantity } from '../../core/fixed.js';
import {
  encodeJournalRecord,
  type JournalRecord,
  type JournalRecordType,
} from './journal-record.js';
import { isEnd, type EndState } from '../order/order-state.js';
import type { OwnOrder } from '../order/own-order.js';
import { recover, type Recovery } from '../recovery/recovery.js';
import type { RecoveredPosition } from '../recovery/recovered-positions.js';
import { flattenRecords } from '../recovery/recovered-flatten.js';
import { stateRecords } from '../recovery/recovered-states.js';

/** Told for people, or read again from the newest of them alone: no start reads the others. */
const FOR_PEOPLE: ReadonlySet<JournalRecordType> = new Set([
  'verdict',
  'mode',
  'note',
  'rescue',
  'history',
]);
/** Words that are over when their orders are. */
const OVER: ReadonlySet<Command['kind']> = new Set([
  'stop',
  'kill',
  'drop-flatten',
  'order',
  'cancel',
  'resolve',
  'amend',
]);
/** What an order goes through: of one that has ended `past` says it all. */
const OF_ORDERS: ReadonlySet<JournalRecordType> = new Set([
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
 * The fewest records from which a start builds what it builds from these: whose journal it is; every
 * order that has not ended, with all its records; every other order in one, since its id must never be
 * used again (control ONCE) and the gate remembers its decision; where the positions and the modes of
 * symbols stand; and every record that is not known to be over. Orders keep their places, and their keys by it.
 * @param recovery what a start takes from them, where that is known already
 */
export function compactedRecords(
  records: readonly JournalRecord[],
  account: string,
  recovery: Recovery = recover(records, account),
): readonly JournalRecord[] {
  const { orders, positions, states, flatten } = recovery;
  const ended = new Map<string, OwnOrder>();
  for (const [key, recovered] of orders.entries()) {
    if (!isEnd(recovered.state)) continue;
    const order = recovered.create(key);
    ended.set(order.clientOrderId, order);
  }
  const newest = new Set([...lastSymbolModes(records), ...lastHistories(records)]);
  const past = { ended, filledAt: fillTimes(records) };
  const kept = records.flatMap((record) => (newest.has(record) ? [record] : keptOf(record, past)));
  const last = records.at(-1);
  if (last === undefined) return kept;
  const { venueTime } = last;
  return [
    ...kept,
    ...positionRecords(positions, recover(kept, account).positions, venueTime),
    ...stateRecords(states, venueTime),
    ...flattenRecords(flatten, venueTime),
  ];
}

/**
 * SHA-256, hex, of everything that a start takes from these records: equal hashes, equal starts
 * (property P7).
 * @param recovery what a start takes from them, where that is known already
 */
export function recoveredHash(
  records: readonly JournalRecord[],
  account: string,
  recovery: Recovery = recover(records, account),
): string {
  const { orders, positions, filledAt, halts, adopted, states, judgedUntil, flatten } = recovery;
  const hash = createHash('sha256');
  const put = (value: unknown): void => {
    hash.update(`${JSON.stringify(value)}\n`, 'utf8');
  };
  for (const [key, recovered] of orders.entries()) {
    const order = recovered.create(key);
    put([order.clientOrderId, order]);
  }
  for (const position of [...positions].sort(byBook)) put(position);
  put([...filledAt].map((each) => each.join(': ')).sort(byText));
  put([...halts].map((each) => each.join(': ')).sort(byText));
  put([...adopted].sort(byText));
  put([...judgedUntil].map((each) => each.join(': ')).sort(byText));
  put(flatten ?? null);
  put(
    stateRecords(states, 0)
      .map((record) => JSON.stringify(record))
      .sort(byText),
  );
  for (const record of records) {
    if (isOther(record)) hash.update(encodeJournalRecord(record));
  }
  return hash.digest('hex');
}

interface Past {
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

function keptOf(record: JournalRecord, { ended, filledAt }: Past): readonly JournalRecord[] {
  if (isOther(record)) return [record];
  if (!OF_ORDERS.has(record.type) || !('clientOrderId' in record)) return [];
  const order = ended.get(record.clientOrderId ?? '');
  if (order === undefined) return [record];
  const begins = record.type === 'intent' || record.type === 'past';
  return begins ? [pastOf(order, filledAt.get(order.clientOrderId) ?? record.venueTime)] : [];
}

/** Neither told for people, nor part of an order or a position that is recovered as a whole. */
const isOther = (record: JournalRecord): boolean =>
  !FOR_PEOPLE.has(record.type) &&
  !OF_ORDERS.has(record.type) &&
  record.type !== 'position' &&
  record.type !== 'state' &&
  record.type !== 'flatten' &&
  (record.type !== 'command' || !OVER.has(record.command.kind));

/** The last mode that each symbol was given by itself. */
function lastSymbolModes(records: readonly JournalRecord[]): Iterable<JournalRecord> {
  const last = new Map<string, JournalRecord>();
  for (const record of records) {
    if (record.type === 'mode' && record.symbol !== undefined) last.set(record.symbol, record);
  }
  return last.values();
}

/** How far order history of each currency was compared. */
function lastHistories(records: readonly JournalRecord[]): Iterable<JournalRecord> {
  const last = new Map<string, JournalRecord>();
  for (const record of records) if (record.type === 'history') last.set(record.currency, record);
  return last.values();
}

function pastOf(order: OwnOrder, venueTime: number): JournalRecord {
  const { intent, orderId, positionId, averagePrice, fence, isFence } = order;
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
    wanted: order.wanted,
    ...(orderId !== undefined && { orderId }),
    ...(positionId !== undefined && { positionId }),
    filledQuantity: order.filledQuantity,
    ...(averagePrice !== undefined && { averagePrice }),
    ...(isFence && fence !== undefined && { fence }),
  };
}

/** What makes the positions of the kept records those that all of them leave. */
function positionRecords(
  wanted: readonly RecoveredPosition[],
  found: readonly RecoveredPosition[],
  venueTime: number,
): readonly JournalRecord[] {
  const quantities = new Map<string, RecoveredPosition>();
  for (const position of found) {
    const { symbol, currency } = position;
    quantities.set(bookOf(position), { symbol, currency, quantity: ZERO as Quantity });
  }
  for (const position of wanted) quantities.set(bookOf(position), position);
  return [...quantities.values()]
    .sort(byBook)
    .map((position) => ({ type: 'position', venueTime, ...position, cause: 'compacted' }));
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const bookOf = ({ symbol, currency }: RecoveredPosition): string => `${symbol}/${currency}`;
const byBook = (a: RecoveredPosition, b: RecoveredPosition): number => byText(bookOf(a), bookOf(b));
