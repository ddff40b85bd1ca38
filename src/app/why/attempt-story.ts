import type { JournalRecordOf } from '../../execution/journal/journal-record.js';
import type { AttemptStory } from './story.js';
import { timeText } from './words.js';

type Sent = Pick<JournalRecordOf<'attempt'>, 'attempt' | 'venueTime'>;
type Answer = JournalRecordOf<'outcome' | 'operation-outcome' | 'fence-outcome'>;

/** One attempt with the answer to it, where one was journaled. */
export function attemptStory(sent: Sent, answers: readonly Answer[]): AttemptStory {
  const { attempt, venueTime } = sent;
  const answer = answers.find((each) => each.attempt === attempt);
  const base = { attempt, time: timeText(venueTime) };
  if (answer === undefined) return { ...base, text: 'no answer was journaled' };
  return {
    ...base,
    outcome: answer.outcome,
    answered: timeText(answer.venueTime),
    took_ms: answer.venueTime - venueTime,
    text: answerText(answer),
  };
}

/** The venue's answer as a sentence. */
export function answerText(answer: Answer): string {
  switch (answer.outcome) {
    case 'yes': {
      const id = 'orderId' in answer ? answer.orderId : undefined;
      return id === undefined ? 'the venue did it' : `the venue made order ${id}`;
    }
    case 'no': {
      const { status, code, text } = answer;
      return `the venue refused: ${status ?? '?'} ${code ?? ''}: ${text ?? ''}`;
    }
    case 'unknown': {
      const left = answer.sent === false ? 'no byte left' : 'it may have taken effect';
      const status = answer.status === undefined ? '' : ` (${answer.status})`;
      return `no clear answer${status}: ${answer.cause ?? ''}; ${left}`;
    }
  }
}
