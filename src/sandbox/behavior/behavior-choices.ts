import { ASSUMPTIONS, type Assumptions } from '../../exchange/assumptions.js';
import { parseFaults, type FaultRule } from '../faults/fault-rules.js';
import { FIELD_QUIRKS, QUIRKS, type Quirk } from './quirks.js';
import type { BehaviorFlags } from './behavior-flags.js';
import type { VenueProfile } from './venue-profile.js';
import { WIRE_ASSUMPTIONS } from './wire-assumptions.js';

/** Choices from the command line or a file. Later ones win: profile, quirks, assume. */
export interface BehaviorOptions {
  readonly profile?: VenueProfile;
  /** Names, or the set observed in the field. */
  readonly quirks?: 'none' | 'field' | readonly string[];
  /** Assumption id → answer, as strings. */
  readonly assume?: Readonly<Record<string, string>>;
}

/** The choices as options of a sandbox. */
export interface BehaviorChoices {
  readonly assumptions: Partial<Assumptions>;
  readonly switches: Partial<BehaviorFlags>;
  readonly faults: readonly FaultRule[];
  /** Names of the active quirks. */
  readonly quirks: readonly string[];
}

/** A quirk, assumption or answer that is in none of the tables. `known` lists the valid ones. */
export class UnknownBehaviorError extends Error {
  override readonly name = 'UnknownBehaviorError';
  readonly given: string;
  readonly known: readonly string[];

  constructor(what: string, given: string, known: readonly string[]) {
    super(`${what} "${given}" is not known`);
    this.given = given;
    this.known = known;
  }
}

/** @throws UnknownBehaviorError */
export function resolveBehavior(choice: BehaviorOptions): BehaviorChoices {
  const { profile } = choice;
  const quirks = [...new Set([...(profile?.quirks ?? []), ...namesOf(choice.quirks)])].map(quirkOf);
  const settings: BehaviorSettings = { assumptions: {}, switches: {} };
  applyChoices(settings, profile?.assumptions ?? {});
  for (const quirk of quirks) {
    Object.assign(settings.assumptions, quirk.assumptions);
    Object.assign(settings.switches, quirk.switches);
  }
  applyChoices(settings, choice.assume ?? {});
  return {
    ...settings,
    faults: parseFaults(quirks.flatMap((quirk) => quirk.faults ?? [])),
    quirks: quirks.map((quirk) => quirk.name),
  };
}

function namesOf(quirks: BehaviorOptions['quirks']): readonly string[] {
  if (quirks === undefined || quirks === 'none') return [];
  return quirks === 'field' ? FIELD_QUIRKS : quirks;
}

function quirkOf(name: string): Quirk {
  const quirk = QUIRKS.find((candidate) => candidate.name === name);
  if (quirk !== undefined) return quirk;
  const known = ['none', 'field', ...QUIRKS.map((candidate) => candidate.name)];
  throw new UnknownBehaviorError('the quirk', name, known);
}

interface BehaviorSettings {
  readonly assumptions: Record<string, unknown>;
  readonly switches: Record<string, unknown>;
}

/** Both tables, each entry with the option that holds its field. */
const ENTRIES = [
  ...ASSUMPTIONS.map((entry) => ({ ...entry, table: 'assumptions' as const })),
  ...WIRE_ASSUMPTIONS.map((entry) => ({ ...entry, table: 'switches' as const })),
];

function applyChoices(settings: BehaviorSettings, texts: Readonly<Record<string, string>>): void {
  for (const [id, text] of Object.entries(texts)) {
    const entry = ENTRIES.find((candidate) => candidate.id === id);
    if (entry === undefined) {
      const known = ENTRIES.map((candidate) => candidate.id);
      throw new UnknownBehaviorError('the assumption', id, known);
    }
    const values = [entry.default, entry.other];
    const chosen = values.find((candidate) => String(candidate) === text);
    if (chosen === undefined) {
      throw new UnknownBehaviorError(`the answer to ${id}`, text, values.map(String));
    }
    settings[entry.table][entry.field] = chosen;
  }
}
