import { decisionKey, type Cause } from '../../core/intent.js';
import { decodeJournalRecord } from '../../execution/journal/journal-record.js';

/** Versions whose records name the fields below at the same places; others are decoded whole. */
const FAMILIAR: ReadonlySet<unknown> = new Set([1, 2]);

/** As much of a journal record as the index needs. */
interface Skimmed {
  readonly type: string;
  readonly venueTime: number;
  readonly clientOrderId?: string;
  readonly orderId?: string;
  readonly strategyId?: string;
  readonly decisionKey?: string;
  readonly leg?: number;
  readonly cause?: Cause;
  readonly ordinal?: number;
  readonly commandId?: string;
  readonly terms?: { readonly symbol: string };
  readonly operationId?: string;
  /** The order that an operation changes, or that a step of it places. */
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

/** What a stretch of the journal adds to the index. */
export interface IndexRows {
  readonly orders: Map<string, OrderRow>;
  /** Which record is about which order. */
  readonly traces: [clientOrderId: string, position: number][];
  /** Refusals: verdicts that no order followed. */
  readonly refusals: [decision: string, position: number][];
  /** Records about no order: `name` is a command's id. */
  readonly marks: [type: string, name: string, at: number, position: number][];
}

export const emptyRows = (): IndexRows => ({
  orders: new Map(),
  traces: [],
  refusals: [],
  marks: [],
});

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws JournalRecordError when this version of Sluice cannot read the record */
export function indexRecord(rows: IndexRows, payload: Uint8Array, position: number): void {
  const record = skim(payload);
  const { type, venueTime } = record;
  const names = namesOf(record);
  for (const name of names) {
    rows.traces.push([name, position]);
    learn(rows.orders, name, record);
  }
  if (names.length > 0) return;
  if (type === 'verdict') {
    rows.refusals.push([record.decisionKey ?? '', position]);
  } else rows.marks.push([type, record.commandId ?? '', venueTime, position]);
}

/** What the record is about: an order, or an operation and the order that it changes or places. */
function namesOf({ clientOrderId, operationId, plan, step }: Skimmed): readonly string[] {
  const names = [clientOrderId, operationId, plan?.clientOrderId, step?.clientOrderId];
  return names.filter((name) => name !== undefined);
}

function skim(payload: Uint8Array): Skimmed {
  const record = parse(payload);
  if (record !== undefined && FAMILIAR.has(record.v) && typeof record.type === 'string') {
    return record;
  }
  return decodeJournalRecord(payload) as Skimmed;
}

function parse(payload: Uint8Array): (Skimmed & { readonly v?: unknown }) | undefined {
  try {
    return JSON.parse(decoder.decode(payload)) as Skimmed;
  } catch {
    // Whoever decodes it says what is wrong with it.
    return undefined;
  }
}

function learn(orders: Map<string, OrderRow>, clientOrderId: string, record: Skimmed): void {
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

/** What a compaction keeps of an order has its cause alone. */
function decisionOf({ decisionKey: key, cause, ordinal }: Skimmed): string | undefined {
  if (key !== undefined || cause === undefined || ordinal === undefined) return key;
  return decisionKey(cause, ordinal);
}
