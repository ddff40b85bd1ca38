import { ASSUMPTIONS, type Assumptions } from '../exchange/assumptions.js';
import { parseFaults, type FaultRule } from './fault-rules.js';
import { FIELD_QUIRKS, QUIRKS, type Quirk } from './quirks.js';
import type { Switches } from './switches.js';
import type { VenueProfile } from './venue-profile.js';
import { WIRE_ASSUMPTIONS } from './wire-assumptions.js';

/** What was chosen on the command line or in a file. Later ones win: profile, quirks, assume. */
export interface AnswerChoice {
  readonly profile?: VenueProfile;
  /** Names, or the set that was seen in the field. */
  readonly quirks?: 'none' | 'field' | readonly string[];
  /** Assumption id → answer, as texts. */
  readonly assume?: Readonly<Record<string, string>>;
}

/** The same as options of a sandbox. */
export interface Answers {
  readonly assumptions: Partial<Assumptions>;
  readonly switches: Partial<Switches>;
  readonly faults: readonly FaultRule[];
  /** Names of the quirks that are on. */
  readonly quirks: readonly string[];
}

/** A name that is in none of the tables. `known` holds those that are. */
export class UnknownAnswerError extends Error {
  override readonly name = 'UnknownAnswerError';
  readonly given: string;
  readonly known: readonly string[];

  constructor(what: string, given: string, known: readonly string[]) {
    super(`${what} "${given}" is not known`);
    this.given = given;
    this.known = known;
  }
}

/** @throws UnknownAnswerError */
export function answersOf(choice: AnswerChoice): Answers {
  const { profile } = choice;
  const quirks = [...new Set([...(profile?.quirks ?? []), ...namesOf(choice.quirks)])].map(quirkOf);
  const settings: Settings = { assumptions: {}, switches: {} };
  answer(settings, profile?.assumptions ?? {});
  for (const quirk of quirks) {
    Object.assign(settings.assumptions, quirk.assumptions);
    Object.assign(settings.switches, quirk.switches);
  }
  answer(settings, choice.assume ?? {});
  return {
    ...settings,
    faults: parseFaults(quirks.flatMap((quirk) => quirk.faults ?? [])),
    quirks: quirks.map((quirk) => quirk.name),
  };
}

function namesOf(quirks: AnswerChoice['quirks']): readonly string[] {
  if (quirks === undefined || quirks === 'none') return [];
  return quirks === 'field' ? FIELD_QUIRKS : quirks;
}

function quirkOf(name: string): Quirk {
  const quirk = QUIRKS.find((candidate) => candidate.name === name);
  if (quirk !== undefined) return quirk;
  const known = ['none', 'field', ...QUIRKS.map((candidate) => candidate.name)];
  throw new UnknownAnswerError('the quirk', name, known);
}

interface Settings {
  readonly assumptions: Record<string, unknown>;
  readonly switches: Record<string, unknown>;
}

/** Both tables in one: an id says where its field is. */
const ENTRIES = [
  ...ASSUMPTIONS.map((entry) => ({ ...entry, room: 'assumptions' as const })),
  ...WIRE_ASSUMPTIONS.map((entry) => ({ ...entry, room: 'switches' as const })),
];

function answer(settings: Settings, texts: Readonly<Record<string, string>>): void {
  for (const [id, text] of Object.entries(texts)) {
    const entry = ENTRIES.find((candidate) => candidate.id === id);
    if (entry === undefined) {
      const known = ENTRIES.map((candidate) => candidate.id);
      throw new UnknownAnswerError('the assumption', id, known);
    }
    const answers = [entry.default, entry.other];
    const chosen = answers.find((candidate) => String(candidate) === text);
    if (chosen === undefined) {
      throw new UnknownAnswerError(`the answer to ${id}`, text, answers.map(String));
    }
    settings[entry.room][entry.field] = chosen;
  }
}
