import type { JournalRecord, JournalRecordOf } from '../../execution/journal/journal-record.js';
import { attemptStory } from './attempt-story.js';
import type { EventStory, OperationStory } from './story.js';
import { asJournaled, timeText } from './words.js';

/** The story of an amendment, a stop, margin, leverage or a transfer; undefined without its plan. */
export function operationStory(
  records: readonly JournalRecord[],
  event?: EventStory,
): OperationStory | undefined {
  const begun = records.find((record) => record.type === 'operation');
  if (begun === undefined) return undefined;
  const of = <Type extends JournalRecord['type']>(type: Type) =>
    records.filter((record): record is JournalRecordOf<Type> => record.type === type);
  const attempts = of('operation-attempt').map((sent) => ({
    ...attemptStory(sent, of('operation-outcome')),
    step: asJournaled(sent)['step'],
  }));
  const [ended] = of('operation-ended');
  const end = ended && {
    time: timeText(ended.venueTime),
    state: ended.end,
    ...(ended.evidence !== '' && { reason: ended.evidence }),
  };
  return {
    kind: 'operation',
    operation_id: begun.operationId,
    what: begun.plan.kind,
    plan: asJournaled(begun)['plan'],
    time: timeText(begun.venueTime),
    ...(event !== undefined && { event }),
    attempts,
    state: end?.state ?? (attempts.at(-1)?.outcome === undefined ? 'waiting' : 'unproved'),
    ...(end !== undefined && { end }),
    records: records.map(asJournaled),
  };
}
