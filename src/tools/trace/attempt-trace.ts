import type { JournalRecordOf } from '../../execution/journal/journal-record.js';
import type { AttemptTrace } from './trace.js';
import { timeText } from './trace-format.js';

type AttemptRecord = Pick<JournalRecordOf<'attempt'>, 'attempt' | 'venueTime'>;
type OutcomeRecord = JournalRecordOf<'outcome' | 'operation-outcome' | 'fence-outcome'>;

/** One attempt with its journaled outcome, if there is one. */
export function attemptTrace(
  attemptRecord: AttemptRecord,
  outcomes: readonly OutcomeRecord[],
): AttemptTrace {
  const { attempt, venueTime } = attemptRecord;
  const outcome = outcomes.find((each) => each.attempt === attempt);
  const base = { attempt, time: timeText(venueTime) };
  if (outcome === undefined) return { ...base, text: 'no answer was journaled' };
  return {
    ...base,
    outcome: outcome.outcome,
    answered: timeText(outcome.venueTime),
    took_ms: outcome.venueTime - venueTime,
    text: outcomeText(outcome),
  };
}

/** The outcome as a sentence. */
export function outcomeText(record: OutcomeRecord): string {
  switch (record.outcome) {
    case 'yes': {
      const id = 'orderId' in record ? record.orderId : undefined;
      return id === undefined ? 'the venue did it' : `the venue created order ${id}`;
    }
    case 'no': {
      const { status, code, text } = record;
      if (code === 'observed') return `not sent, because the run observes: ${text ?? ''}`;
      return `the venue refused: ${status ?? '?'} ${code ?? ''}: ${text ?? ''}`;
    }
    case 'unknown': {
      const left = record.sent === false ? 'no byte was sent' : 'it may have taken effect';
      const status = record.status === undefined ? '' : ` (${record.status})`;
      return `no clear answer${status}: ${record.cause ?? ''}; ${left}`;
    }
  }
}
