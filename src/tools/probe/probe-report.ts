import { ASSUMPTIONS } from '../../exchange/assumptions.js';
import type { VenueProfile } from '../../sandbox/behavior/venue-profile.js';
import { WIRE_ASSUMPTIONS } from '../../sandbox/behavior/wire-assumptions.js';
import type { AnsweredQuestion } from './probe-run.js';
import type { Row } from '../../report/rows-table.js';

/** The default answer of each assumption. */
const DEFAULTS: ReadonlyMap<string, string> = new Map(
  [...ASSUMPTIONS, ...WIRE_ASSUMPTIONS].map((entry) => [entry.id, String(entry.default)]),
);

/** One row: the answer with its meaning, or the default that stays in force. */
export function answerRow({ question, finding }: AnsweredQuestion): Row {
  const { id, kind, how, answers } = question;
  const defaultAnswer = DEFAULTS.get(id) ?? (kind === 'quirk' ? 'off' : null);
  const { answer, evidence } = finding;
  return {
    id,
    kind,
    answer: answer ?? null,
    meaning: answer === undefined ? null : (answers[answer] ?? null),
    kept: answer === undefined ? defaultAnswer : null,
    how,
    evidence,
  };
}

/** Assumptions without a question: a client cannot create their situation. */
export const unaskedAssumptions = (answered: readonly AnsweredQuestion[]): readonly string[] => {
  const askedIds = new Set(answered.map(({ question }) => question.id));
  return [...DEFAULTS.keys()].filter((id) => !askedIds.has(id));
};

/** The profile that makes a sandbox behave like the venue. */
export function venueProfileOf(
  answered: readonly AnsweredQuestion[],
  { venue, utcMs }: { readonly venue: string; readonly utcMs: number },
): VenueProfile {
  const assumptions: Record<string, string> = {};
  const quirks: string[] = [];
  const notes: string[] = [];
  for (const { question, finding } of answered) {
    const { answer, evidence } = finding;
    if (answer === undefined) notes.push(`${question.id}: not answered: ${evidence}`);
    else if (question.kind === 'assumption') assumptions[question.id] = answer;
    else if (question.kind === 'fact') notes.push(`${question.id}: ${answer}: ${evidence}`);
    else if (answer === 'on') quirks.push(question.id);
  }
  return {
    version: 1,
    venue,
    probed_at: new Date(utcMs).toISOString(),
    assumptions,
    quirks,
    notes,
  };
}
