import {
  averagePrice as averagePriceOf,
  isGreater,
  larger,
  multiplyExact,
  subtract,
  textFromFixed,
  ZERO,
  type Fixed,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { decisionKey, NO_EXPIRY } from '../../core/intent.js';
import type {
  JournalRecord,
  JournalRecordOf,
  JournalRecordType,
} from '../../execution/journal/journal-record.js';
import { outcomeText, attemptTrace } from './attempt-trace.js';
import { traceTermsText } from './order-trace-text.js';
import type {
  EndTrace,
  EventTrace,
  EvidenceTrace,
  FillTrace,
  OrderTrace,
  RelatedOrderTrace,
} from './trace.js';
import { verdictTrace } from './verdict-trace.js';
import { asJournaled, termsTrace, timeText } from './trace-format.js';

/** Facts about an order from outside its own records. */
export interface OrderTraceContext {
  readonly event?: EventTrace;
  readonly related?: readonly RelatedOrderTrace[];
  /** Changes of its owner. */
  readonly owners?: readonly EvidenceTrace[];
}

/**
 * The causal chain of one order, from its journal records in journal order. Pure: the same records give
 * the same trace.
 */
export function orderTrace(
  clientOrderId: string,
  found: readonly JournalRecord[],
  { event, related = [], owners = [] }: OrderTraceContext = {},
): OrderTrace {
  const records = withoutSummary(found);
  const all = <Type extends JournalRecordType>(type: Type) =>
    records.filter((record): record is JournalRecordOf<Type> => record.type === type);
  const [intent] = all('intent');
  const [past] = all('past');
  const origin = intent ?? past;
  const [verdict] = all('verdict');
  const updates = all('update');
  const last = updates.at(-1) ?? past;
  const end = endOf(records);
  const orderId = firstOf(records, 'orderId');
  const positionId = firstOf(records, 'positionId');
  return {
    kind: 'order',
    client_order_id: clientOrderId,
    ...(orderId !== undefined && { order_id: orderId }),
    ...(positionId !== undefined && { position_id: positionId }),
    state: end?.state ?? openState(records),
    ...(origin !== undefined && { terms: termsTrace(origin.terms) }),
    filled_quantity: last === undefined ? '0' : textFromFixed(last.filledQuantity),
    ...(last?.averagePrice !== undefined && { average_price: textFromFixed(last.averagePrice) }),
    ...(event !== undefined && { event }),
    ...(origin !== undefined && { decision: decisionOf(origin, verdict) }),
    ...(verdict !== undefined && { verdict: verdictTrace(verdict) }),
    ...(intent !== undefined && { intent: intentOf(intent) }),
    attempts: all('attempt').map((attempt) => attemptTrace(attempt, all('outcome'))),
    evidence: [...evidenceTraces(records), ...owners],
    fills: fillTraces(updates),
    ...(end !== undefined && { end }),
    related,
    records: records.map(asJournaled),
  };
}

/** A compaction summarises an order in one record; drops it when an archive still holds them all. */
function withoutSummary(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const whole = records.some(({ type }) => type === 'intent');
  return whole ? records.filter(({ type }) => type !== 'past') : records;
}

type OriginRecord = JournalRecordOf<'intent'> | JournalRecordOf<'past'>;

function decisionOf(origin: OriginRecord, verdict: JournalRecordOf<'verdict'> | undefined) {
  const explanation = verdict?.values['explanation'];
  const sizing = verdict?.values['sizing'];
  return {
    key: decisionKey(origin.cause, origin.ordinal),
    leg: origin.leg,
    strategy: origin.strategyId,
    time: timeText(origin.decidedAt),
    valid_until: origin.validUntil >= NO_EXPIRY ? null : timeText(origin.validUntil),
    reference_price: textFromFixed(origin.referencePrice),
    ...(explanation !== undefined && { explanation }),
    ...(sizing !== undefined && { sizing }),
  };
}

const intentOf = (intent: JournalRecordOf<'intent'>) => ({
  time: timeText(intent.venueTime),
  generation: intent.generation,
  reserved_usdt: textFromFixed(intent.reserved),
  payload_sha256: intent.payloadHash,
});

/** Evidence from lookups, lists and conflicts: all records that are neither outcome, fill nor end. */
function evidenceTraces(records: readonly JournalRecord[]): readonly EvidenceTrace[] {
  let filled: Fixed = ZERO;
  return records.flatMap((record): EvidenceTrace[] => {
    const time = timeText(record.venueTime);
    if (record.type === 'note') return [{ time, level: record.level, text: record.text }];
    if (record.type === 'instruction') {
      const { instruction, reason } = record;
      return [{ time, level: 'warn', text: `${INSTRUCTION_TEXT[instruction]}: ${reason}` }];
    }
    if (record.type === 'fence') return [{ time, level: 'info', text: fenceText(record) }];
    if (record.type === 'fence-outcome') return [{ time, ...fenceAnswer(record) }];
    if (record.type === 'verdict' && record.phase === 'send') {
      return [{ time, level: 'info', text: `when its rate permit came: ${record.text}` }];
    }
    if (record.type === 'operation') {
      const { operationId, plan } = record;
      return [{ time, level: 'info', text: `${plan.kind} started: operation ${operationId}` }];
    }
    if (record.type !== 'update' || record.final) return [];
    const isNewFill = isGreater(record.filledQuantity, filled);
    filled = larger(filled, record.filledQuantity);
    if (isNewFill) return [];
    const text = `the venue has it as order ${record.orderId ?? '?'}: ${record.status}`;
    return [{ time, level: 'info', text }];
  });
}

/**
 * The fills of an order. Each report has the filled quantity and its average price; the difference from
 * the report before gives the price of one fill.
 */
export function fillTraces(updates: readonly JournalRecordOf<'update'>[]): readonly FillTrace[] {
  const fills: FillTrace[] = [];
  let filled = ZERO as Quantity;
  let cost = 0n;
  for (const { venueTime, filledQuantity, averagePrice } of updates) {
    const delta = subtract(filledQuantity as Quantity, filled);
    if (delta <= 0 || averagePrice === undefined) continue;
    const total = multiplyExact(averagePrice, filledQuantity);
    const price = averagePriceOf(total - cost, delta);
    fills.push({
      time: timeText(venueTime),
      quantity: textFromFixed(delta),
      // Contradicting averages could give a negative price; the average itself is used then.
      price: textFromFixed(price > 0 ? price : averagePrice),
      filled: textFromFixed(filledQuantity),
      average_price: textFromFixed(averagePrice),
    });
    filled = filledQuantity as Quantity;
    cost = total;
  }
  return fills;
}

function fenceText({ attempt, terms }: JournalRecordOf<'fence'>): string {
  const termsLine = traceTermsText(termsTrace(terms));
  return `fence ${attempt}: a harmless order is sent under its id and canceled, so that this order can never land: ${termsLine}`;
}

function fenceAnswer(record: JournalRecordOf<'fence-outcome'>): Omit<EvidenceTrace, 'time'> {
  const answerLine = outcomeText(record);
  const prefix = `fence ${record.attempt}: `;
  if (record.outcome === 'yes')
    return {
      level: 'info',
      text: `${prefix}${answerLine}: the fence has the id, so this order never landed`,
    };
  if (record.code === 'client-order-id-exists') {
    const text = `${prefix}${answerLine}: the id was used before, so this order landed or was rejected finally`;
    return { level: 'warn', text };
  }
  return {
    level: 'warn',
    text: `${prefix}${answerLine}; nothing is proved, and the fence is repeated`,
  };
}

const INSTRUCTION_TEXT = {
  withdraw: 'withdrawn, never sent again',
  cancel: 'to be canceled',
} as const;

function endOf(records: readonly JournalRecord[]): EndTrace | undefined {
  for (const record of records.toReversed()) {
    const time = timeText(record.venueTime);
    switch (record.type) {
      case 'update':
        if (!record.final) break;
        return { time, state: record.status, ...reasonOf(record.reason) };
      case 'dropped':
        return droppedEnd(time, record.reason);
      case 'burned':
        return { time, state: 'burned', reason: record.evidence };
      case 'past':
        return { time, state: record.state };
      default:
    }
  }
  return undefined;
}

const REJECTED = 'rejected: ';

/** The journal records a rejection as a drop whose reason begins with `rejected: `. */
const droppedEnd = (time: string, reason: string): EndTrace =>
  reason.startsWith(REJECTED)
    ? { time, state: 'rejected', ...reasonOf(reason.slice(REJECTED.length)) }
    : { time, state: 'dropped', ...reasonOf(reason) };

const reasonOf = (reason: string | undefined) =>
  reason === undefined || reason === '' ? {} : { reason };

/** The state of an order that has not ended. */
function openState(records: readonly JournalRecord[]): string {
  const fenced = records.some((each) => each.type === 'fence-outcome' && each.outcome === 'yes');
  if (fenced) return 'never landed, its fence is being canceled';
  const last = records.findLast(({ type }) => ['attempt', 'outcome', 'update'].includes(type));
  if (last === undefined) return records.length === 0 ? 'unknown' : 'waiting to be sent';
  if (last.type === 'attempt') return 'sent, not answered';
  if (last.type === 'update' && last.filledQuantity > 0) return 'partially filled';
  if (last.type === 'update') return 'open at the venue';
  if (last.type !== 'outcome') return 'unknown';
  if (last.outcome === 'yes') return 'open at the venue';
  return last.outcome === 'no' ? 'to be sent again' : 'unproved';
}

function firstOf(
  records: readonly JournalRecord[],
  name: 'orderId' | 'positionId',
): string | undefined {
  for (const record of records) {
    const value = name in record ? (record as unknown as Record<string, unknown>)[name] : undefined;
    if (typeof value === 'string') return value;
  }
  return undefined;
}
