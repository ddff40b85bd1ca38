import type { JournalRecord, JournalRecordOf } from '../../execution/journal/journal-record.js';
import { attemptTrace } from './attempt-trace.js';
import type { EventTrace, OperationTrace } from './trace.js';
import { asJournaled, timeText } from './trace-format.js';

/** The trace of an amendment, a stop, margin, leverage or a transfer; undefined without its plan. */
export function operationTrace(
  records: readonly JournalRecord[],
  event?: EventTrace,
): OperationTrace | undefined {
  const started = records.find((record) => record.type === 'operation');
  if (started === undefined) return undefined;
  const of = <Type extends JournalRecord['type']>(type: Type) =>
    records.filter((record): record is JournalRecordOf<Type> => record.type === type);
  const attempts = of('operation-attempt').map((attempt) => ({
    ...attemptTrace(attempt, of('operation-outcome')),
    step: asJournaled(attempt)['step'],
  }));
  const [ended] = of('operation-ended');
  const end = ended && {
    time: timeText(ended.venueTime),
    state: ended.end,
    ...(ended.evidence !== '' && { reason: ended.evidence }),
  };
  return {
    kind: 'operation',
    operation_id: started.operationId,
    what: started.plan.kind,
    plan: asJournaled(started)['plan'],
    time: timeText(started.venueTime),
    ...(event !== undefined && { event }),
    attempts,
    state: end?.state ?? (attempts.at(-1)?.outcome === undefined ? 'waiting' : 'unproved'),
    ...(end !== undefined && { end }),
    records: records.map(asJournaled),
  };
}
