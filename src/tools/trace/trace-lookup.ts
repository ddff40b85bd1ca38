import type { JournalRecord, JournalRecordOf } from '../../execution/journal/journal-record.js';
import { namespaceOf } from '../../core/ids.js';
import { nearest } from '../../core/suggestion.js';
import { UsageError } from '../../core/command-errors.js';
import type { EventLookup } from './event-lookup.js';
import type { JournalIndex, IndexedOrder } from './index/journal-index.js';
import { operationTrace } from './operation-trace.js';
import { orderTrace } from './order-trace.js';
import { ownerTraces } from './owner-trace.js';
import type { OperationTrace, OrderTrace, RefusalTrace, RelatedOrderTrace } from './trace.js';
import { verdictTrace } from './verdict-trace.js';
import { asJournaled } from './trace-format.js';

/** Largest number of matches that are listed. */
const MAX_LISTED = 10;

export type TraceResult = OrderTrace | RefusalTrace | OperationTrace;

/**
 * Traces the order with this id, or every leg of the decision with this key. A prefix is enough.
 *
 * @throws UsageError when nothing matches, or more than one id or key
 */
export async function traceById(
  text: string,
  index: JournalIndex,
  events: EventLookup,
): Promise<readonly TraceResult[]> {
  const orders = await ordersOf(text, index);
  if (orders.length > 1)
    throwAmbiguous(
      text,
      orders.map(({ clientOrderId }) => clientOrderId),
    );
  const [order] = orders;
  if (order !== undefined) return [await traceOfOrder(order, index, events)];
  return await tracesOfDecision(await decisionOf(text, index), index, events);
}

/** Finds orders by id. The namespace of the account, which all ids share, may be left out. */
async function ordersOf(text: string, index: JournalIndex): Promise<readonly IndexedOrder[]> {
  const found = index.orders(text, MAX_LISTED + 1);
  if (found.length > 0) return found;
  const header = await index.header();
  if (header?.type !== 'header') return [];
  return index.orders(`${namespaceOf(header.account)}-${text}`, MAX_LISTED + 1);
}

interface DecisionRef {
  /** Decision key: the event and the index of the intent, as in `candle:BTCUSDT:1m:1746403980000#0`. */
  readonly key: string;
  /** Index of the order within the decision; absent: all. */
  readonly leg?: number;
}

/**
 * Finds a decision: `KEY`, or `KEY/LEG` for one leg. The key of an operator's command is `operator:` and the
 * command id, which alone is enough.
 */
async function decisionOf(text: string, index: JournalIndex): Promise<DecisionRef> {
  const [, key = text, leg] = /^(.*#\d+)\/(\d+)$/.exec(text) ?? [];
  for (const candidate of [key, `operator:${key}`]) {
    const found = index.decisions(candidate, MAX_LISTED + 1);
    if (found.includes(candidate)) return { key: candidate, ...(leg && { leg: Number(leg) }) };
    if (found.length > 1) throwAmbiguous(text, found);
    const [only] = found;
    if (only !== undefined) return { key: only, ...(leg && { leg: Number(leg) }) };
  }
  return await throwUnknown(text, index);
}

/** Traces every journaled leg of a decision, orders first. */
export async function tracesOfDecision(
  { key, leg }: DecisionRef,
  index: JournalIndex,
  events: EventLookup,
): Promise<readonly TraceResult[]> {
  const ofLeg = (each: { readonly leg?: number | undefined }): boolean =>
    leg === undefined || each.leg === leg;
  const traces: TraceResult[] = [];
  for (const order of index.ordersOfDecision(key).filter(ofLeg)) {
    traces.push(await traceOfOrder(order, index, events));
  }
  for (const record of await index.refusals(key)) {
    if (record.type === 'verdict' && ofLeg(record))
      traces.push(await traceOfRefusal(record, events));
  }
  return traces;
}

async function traceOfOrder(
  order: IndexedOrder,
  index: JournalIndex,
  events: EventLookup,
): Promise<TraceResult> {
  const records = await index.recordsOf(order);
  const operation = await traceOfOperation(order, records, index, events);
  if (operation !== undefined) return operation;
  const firstRecord = records.find((record) => record.type === 'intent' || record.type === 'past');
  const event =
    firstRecord === undefined || !('decidedAt' in firstRecord)
      ? undefined
      : await events.traceOf(firstRecord.cause, firstRecord.decidedAt);
  const related = relatedOrders(order, index);
  const owners = ownerTraces(order, await index.ownershipDecisions());
  const context = { related, owners, ...(event !== undefined && { event }) };
  return orderTrace(order.clientOrderId, records, context);
}

/**
 * Traces an operation (leverage, margin, transfer, amend, protective order), when the id is its own or that
 * of a protective order that it placed; undefined for an order.
 */
async function traceOfOperation(
  { clientOrderId, at }: IndexedOrder,
  records: readonly JournalRecord[],
  index: JournalIndex,
  events: EventLookup,
): Promise<OperationTrace | undefined> {
  const operationRecord = records.find((record) => 'operationId' in record);
  const isOrder = records.some((record) => 'clientOrderId' in record);
  if (operationRecord === undefined || !('operationId' in operationRecord) || isOrder)
    return undefined;
  const [operation] = index.orders(operationRecord.operationId, 1);
  const all =
    operationRecord.operationId === clientOrderId || operation === undefined
      ? records
      : await index.recordsOf(operation);
  const started = all.find((record) => record.type === 'operation');
  const event = started?.cause && (await events.traceOf(started.cause, at));
  return operationTrace(all, event);
}

/** Traces an order that the risk gate refused: only its verdict is journaled. */
async function traceOfRefusal(
  record: JournalRecordOf<'verdict'>,
  events: EventLookup,
): Promise<RefusalTrace> {
  const { decisionKey: key, leg, strategyId: strategy, venueTime, values } = record;
  const { explanation, sizing } = values;
  const event = await events.traceOfKey(key, venueTime);
  return {
    kind: 'refusal',
    ...(event !== undefined && { event }),
    decision: { key, leg, strategy },
    ...(explanation !== undefined && { explanation }),
    ...(sizing !== undefined && { sizing }),
    verdict: verdictTrace(record),
    records: [asJournaled(record)],
  };
}

/** Other orders of the same decision: further ids of the same leg, and the other leg of a reversal. */
function relatedOrders(order: IndexedOrder, index: JournalIndex): readonly RelatedOrderTrace[] {
  if (order.decision === undefined) return [];
  return index
    .ordersOfDecision(order.decision)
    .filter(({ id, strategy }) => id !== order.id && strategy === order.strategy)
    .map((other) => ({
      client_order_id: other.clientOrderId,
      as:
        other.leg === order.leg
          ? 'another id of the same order'
          : `leg ${other.leg ?? '?'} of the same decision`,
    }));
}

function throwAmbiguous(text: string, found: readonly string[]): never {
  const listed = found.slice(0, MAX_LISTED).map((each) => `\n  ${each}`);
  const more = found.length > MAX_LISTED ? '\n  …' : '';
  throw new UsageError(`"${text}" matches several; give more characters:${listed.join('')}${more}`);
}

async function throwUnknown(text: string, index: JournalIndex): Promise<never> {
  const nearestId = nearest(text, index.neighbours(text));
  const suggestion = nearestId === undefined ? '' : `; did you mean ${nearestId}?`;
  const count = index.count();
  const newest = index.newest(3).map((id) => `\n  ${id}`);
  const contents =
    count === 0
      ? 'It holds no order'
      : `It holds ${count} order${count === 1 ? '' : 's'}; the newest:${newest.join('')}`;
  throw new UsageError(
    `${index.directory} has no order, decision or command that is or begins with "${text}"${suggestion}\n${contents}`,
  );
}
