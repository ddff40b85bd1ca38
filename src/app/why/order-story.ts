import { isMore, larger, textFromFixed, ZERO, type Fixed } from '../../core/fixed.js';
import { decisionKey } from '../../core/intent.js';
import type {
  JournalRecord,
  JournalRecordOf,
  JournalRecordType,
} from '../../execution/journal/journal-record.js';
import { answerText, attemptStory } from './attempt-story.js';
import { fillsOf } from './fill-steps.js';
import { termsText } from './order-text.js';
import type { EndStory, EventStory, EvidenceStory, OrderStory, RelatedStory } from './story.js';
import { verdictStory } from './verdict-story.js';
import { asJournaled, termsOf, timeText } from './words.js';

/** What is known of an order beside its own records. */
export interface Surroundings {
  readonly event?: EventStory;
  readonly related?: readonly RelatedStory[];
}

/**
 * The causal chain of one order, from its journal records in their order. Pure: the same records tell
 * the same story.
 */
export function orderStory(
  clientOrderId: string,
  found: readonly JournalRecord[],
  { event, related = [] }: Surroundings = {},
): OrderStory {
  const records = withoutSummary(found);
  const all = <Type extends JournalRecordType>(type: Type) =>
    records.filter((record): record is JournalRecordOf<Type> => record.type === type);
  const [intent] = all('intent');
  const [past] = all('past');
  const begun = intent ?? past;
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
    state: end?.state ?? goingOn(records),
    ...(begun !== undefined && { terms: termsOf(begun.terms) }),
    filled_quantity: last === undefined ? '0' : textFromFixed(last.filledQuantity),
    ...(last?.averagePrice !== undefined && { average_price: textFromFixed(last.averagePrice) }),
    ...(event !== undefined && { event }),
    ...(begun !== undefined && { decision: decisionOf(begun, verdict) }),
    ...(verdict !== undefined && { verdict: verdictStory(verdict) }),
    ...(intent !== undefined && { intent: intentOf(intent) }),
    attempts: all('attempt').map((attempt) => attemptStory(attempt, all('outcome'))),
    evidence: evidenceOf(records),
    fills: fillsOf(updates),
    ...(end !== undefined && { end }),
    related,
    records: records.map(asJournaled),
  };
}

/** A compaction sums an order up in one record; an archive may still have all of them. */
function withoutSummary(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const whole = records.some(({ type }) => type === 'intent');
  return whole ? records.filter(({ type }) => type !== 'past') : records;
}

type Begun = JournalRecordOf<'intent'> | JournalRecordOf<'past'>;

function decisionOf(begun: Begun, verdict: JournalRecordOf<'verdict'> | undefined) {
  const explanation = verdict?.values['explanation'];
  const sizing = verdict?.values['sizing'];
  return {
    key: decisionKey(begun.cause, begun.ordinal),
    leg: begun.leg,
    strategy: begun.strategyId,
    time: timeText(begun.decidedAt),
    valid_until: timeText(begun.validUntil),
    reference_price: textFromFixed(begun.referencePrice),
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

/** Lookups, lists, conflicts: whatever a note or a report says that is neither answer, fill nor end. */
function evidenceOf(records: readonly JournalRecord[]): readonly EvidenceStory[] {
  let filled: Fixed = ZERO;
  return records.flatMap((record): EvidenceStory[] => {
    const time = timeText(record.venueTime);
    if (record.type === 'note') return [{ time, level: record.level, text: record.text }];
    if (record.type === 'instruction') {
      const { instruction, reason } = record;
      return [{ time, level: 'warn', text: `${SAYS[instruction]}: ${reason}` }];
    }
    if (record.type === 'fence') return [{ time, level: 'info', text: fenceText(record) }];
    if (record.type === 'fence-outcome') return [{ time, ...fenceAnswer(record) }];
    if (record.type === 'verdict' && record.phase === 'send') {
      return [{ time, level: 'info', text: `at its slot: ${record.text}` }];
    }
    if (record.type === 'operation') {
      const { operationId, plan } = record;
      return [{ time, level: 'info', text: `${plan.kind} begun: operation ${operationId}` }];
    }
    if (record.type !== 'update' || record.final) return [];
    const news = isMore(record.filledQuantity, filled);
    filled = larger(filled, record.filledQuantity);
    if (news) return [];
    const text = `the venue has it as order ${record.orderId ?? '?'}: ${record.status}`;
    return [{ time, level: 'info', text }];
  });
}

function fenceText({ attempt, terms }: JournalRecordOf<'fence'>): string {
  const shown = termsText(termsOf(terms));
  return `fence ${attempt}: a harmless order leaves under its id, to be canceled, so that this one can never land: ${shown}`;
}

function fenceAnswer(record: JournalRecordOf<'fence-outcome'>): Omit<EvidenceStory, 'time'> {
  const said = answerText(record);
  const begin = `fence ${record.attempt}: `;
  if (record.outcome === 'yes')
    return { level: 'info', text: `${begin}${said}: it has the id, so that this one never landed` };
  if (record.code === 'client-order-id-exists') {
    const text = `${begin}${said}: the id was used before, so that this one landed or was rejected for good`;
    return { level: 'warn', text };
  }
  return { level: 'warn', text: `${begin}${said}; nothing is proved, and it is tried again` };
}

const SAYS = { withdraw: 'withdrawn, never sent again', cancel: 'to be canceled' } as const;

function endOf(records: readonly JournalRecord[]): EndStory | undefined {
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

/** The journal writes a rejection as a drop with the venue's words. */
const droppedEnd = (time: string, reason: string): EndStory =>
  reason.startsWith(REJECTED)
    ? { time, state: 'rejected', ...reasonOf(reason.slice(REJECTED.length)) }
    : { time, state: 'dropped', ...reasonOf(reason) };

const reasonOf = (reason: string | undefined) =>
  reason === undefined || reason === '' ? {} : { reason };

/** What is known of an order that has not ended. */
function goingOn(records: readonly JournalRecord[]): string {
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
