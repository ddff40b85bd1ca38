import { decisionKey, type DecisionCause } from '../../../core/intent.js';
import { decodeJournalRecord } from '../../../execution/journal/journal-record.js';

/** Journal versions with the fields below; records of others are decoded whole. */
const KNOWN_VERSIONS: ReadonlySet<unknown> = new Set([1, 2]);

/** The fields of a journal record that the index needs. */
interface IndexedFields {
  readonly type: string;
  readonly venueTime: number;
  readonly clientOrderId?: string;
  readonly orderId?: string;
  readonly strategyId?: string;
  readonly decisionKey?: string;
  readonly leg?: number;
  readonly cause?: DecisionCause;
  readonly ordinal?: number;
  readonly commandId?: string;
  readonly terms?: { readonly symbol: string };
  readonly operationId?: string;
  /** The order that an operation changes, or that one of its steps places. */
  readonly plan?: { readonly clientOrderId?: string };
  readonly step?: { readonly clientOrderId?: string };
}

export interface OrderRow {
  clientOrderId: string;
  orderId: string | null;
  decision: string | null;
  leg: number | null;
  strategy: string | null;
  symbol: string | null;
  at: number;
}

/** The index rows of a batch of journal records. */
export interface IndexRows {
  readonly orders: Map<string, OrderRow>;
  /** The records of each order. */
  readonly orderRecords: [clientOrderId: string, position: number][];
  /** Refusals: verdicts that no order followed. */
  readonly refusals: [decision: string, position: number][];
  /** Records without an order. `name` is the command id of a command. */
  readonly otherRecords: [type: string, name: string, at: number, position: number][];
}

export const emptyRows = (): IndexRows => ({
  orders: new Map(),
  orderRecords: [],
  refusals: [],
  otherRecords: [],
});

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws JournalRecordError when this version of Sluice cannot read the record */
export function indexRecord(rows: IndexRows, payload: Uint8Array, position: number): void {
  const record = readIndexedFields(payload);
  const { type, venueTime } = record;
  const orderIds = orderIdsOf(record);
  for (const name of orderIds) {
    rows.orderRecords.push([name, position]);
    mergeOrderRow(rows.orders, name, record);
  }
  if (orderIds.length > 0) return;
  if (type === 'verdict') {
    rows.refusals.push([record.decisionKey ?? '', position]);
  } else rows.otherRecords.push([type, record.commandId ?? '', venueTime, position]);
}

/** The ids a record belongs to: an order, or an operation and the order it changes or places. */
function orderIdsOf({ clientOrderId, operationId, plan, step }: IndexedFields): readonly string[] {
  const names = [clientOrderId, operationId, plan?.clientOrderId, step?.clientOrderId];
  return names.filter((name) => name !== undefined);
}

function readIndexedFields(payload: Uint8Array): IndexedFields {
  const record = parse(payload);
  if (record !== undefined && KNOWN_VERSIONS.has(record.v) && typeof record.type === 'string') {
    return record;
  }
  return decodeJournalRecord(payload) as IndexedFields;
}

function parse(payload: Uint8Array): (IndexedFields & { readonly v?: unknown }) | undefined {
  try {
    return JSON.parse(decoder.decode(payload)) as IndexedFields;
  } catch {
    // The full decoder reports the fault.
    return undefined;
  }
}

function mergeOrderRow(
  orders: Map<string, OrderRow>,
  clientOrderId: string,
  record: IndexedFields,
): void {
  let row = orders.get(clientOrderId);
  if (row === undefined) {
    const nothing = { orderId: null, decision: null, leg: null, strategy: null, symbol: null };
    orders.set(clientOrderId, (row = { clientOrderId, ...nothing, at: record.venueTime }));
  }
  row.orderId = record.orderId ?? row.orderId;
  row.decision = decisionOf(record) ?? row.decision;
  row.leg = record.leg ?? row.leg;
  row.strategy = record.strategyId ?? row.strategy;
  row.symbol = record.terms?.symbol ?? row.symbol;
}

/** A compacted order has only its cause; the key is derived from it. */
function decisionOf({ decisionKey: key, cause, ordinal }: IndexedFields): string | undefined {
  if (key !== undefined || cause === undefined || ordinal === undefined) return key;
  return decisionKey(cause, ordinal);
}
