import { ASSUMPTIONS } from '../../exchange/assumptions.js';
import type { VenueProfile } from '../../sandbox/venue-profile.js';
import { WIRE_ASSUMPTIONS } from '../../sandbox/wire-assumptions.js';
import type { Answered } from './probe-run.js';
import type { Row } from '../account/rows-table.js';

/** What is taken for true of each assumption until it is answered. */
const DEFAULTS: ReadonlyMap<string, string> = new Map(
  [...ASSUMPTIONS, ...WIRE_ASSUMPTIONS].map((entry) => [entry.id, String(entry.default)]),
);

/** One row: the answer with its meaning, or what is assumed instead. */
export function answerRow({ question, finding }: Answered): Row {
  const { id, kind, how, answers } = question;
  const kept = DEFAULTS.get(id) ?? (kind === 'quirk' ? 'off' : null);
  const { answer, evidence } = finding;
  return {
    id,
    kind,
    answer: answer ?? null,
    meaning: answer === undefined ? null : (answers[answer] ?? null),
    kept: answer === undefined ? kept : null,
    how,
    evidence,
  };
}

/** Assumptions that no question is asked about: they cannot be arranged from outside. */
export const notAsked = (answered: readonly Answered[]): readonly string[] => {
  const asked = new Set(answered.map(({ question }) => question.id));
  return [...DEFAULTS.keys()].filter((id) => !asked.has(id));
};

/** What sets a sandbox to be like the venue. */
export function profileOf(
  answered: readonly Answered[],
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
