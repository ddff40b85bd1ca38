import type { SluiceConfig } from '../../config/config.js';
import type { RunMode } from '../../config/config-schema.js';
import { SafetyRefusal } from '../../core/command-errors.js';
import type { Interlock, Severity } from './interlock.js';
import { INTERLOCKS } from './interlock-table.js';
import type { StartFacts } from './start-facts.js';

/** The result of one interlock, as `sluice doctor --json` prints it. */
export interface InterlockResult {
  readonly id: string;
  readonly severity: Severity;
  /** `unchecked`: it needs the venue, which was not asked. */
  readonly result: 'ok' | 'failed' | 'unchecked';
  readonly found: string;
  /** null: nothing to mend. */
  readonly mend: string | null;
}

/** Why the venue was not asked. */
export type UncheckedReason = string;

/** Interlocks of a mode. */
export const interlocksOf = (mode: RunMode): readonly Interlock[] =>
  INTERLOCKS.filter(({ modes }) => modes.includes(mode));

/** Judges every interlock of the mode. @param unchecked reason for facts without answers of the venue */
export const checkInterlocks = (
  facts: StartFacts,
  unchecked?: UncheckedReason,
): readonly InterlockResult[] =>
  interlocksOf(facts.config.mode).map((interlock) => resultOf(interlock, facts, unchecked));

function resultOf(
  interlock: Interlock,
  facts: StartFacts,
  unchecked: UncheckedReason | undefined,
): InterlockResult {
  const { id, severity } = interlock;
  if (interlock.reads === 'venue' && facts.venue === undefined)
    return { id, severity, result: 'unchecked', found: unchecked ?? 'not asked yet', mend: null };
  const verdict = interlock.judge(facts);
  if (verdict.ok) return { id, severity, result: 'ok', found: verdict.found, mend: null };
  const mend = filled(verdict.mend ?? interlock.mend, facts.config);
  return { id, severity, result: 'failed', found: verdict.found, mend };
}

/** A start that only cancels and closes is not held by the interlocks of entries. */
export const closesOnly = ({ machine: { state } }: StartFacts): boolean =>
  state.kill !== undefined && state.kill.level !== 'pause';

/** The hard interlocks that refuse this start. */
export function refusing(
  facts: StartFacts,
  results: readonly InterlockResult[],
): readonly InterlockResult[] {
  const exempt = new Set(
    closesOnly(facts)
      ? INTERLOCKS.filter(({ entriesOnly }) => entriesOnly === true).map(({ id }) => id)
      : [],
  );
  return results.filter(
    ({ id, severity, result }) => severity === 'hard' && result === 'failed' && !exempt.has(id),
  );
}

/** @throws SafetyRefusal with each refusing interlock and its mend */
export function refuseStart(facts: StartFacts, results: readonly InterlockResult[]): void {
  const held = refusing(facts, results);
  if (held.length === 0) return;
  const { config } = facts;
  const count = held.length === 1 ? 'an interlock holds it' : `${held.length} interlocks hold it`;
  const lines = held.map(({ id, found, mend }) => `  ${id}: ${found}\n    mend: ${mend ?? ''}`);
  throw new SafetyRefusal(
    `${config.locate(['mode'])} mode: ${config.mode} is refused: ${count}, and nothing was sent to trade\n${lines.join('\n')}\n  sluice doctor ${config.path} checks all of them`,
  );
}

function filled(mend: string, { path, stateDir, account, venue }: SluiceConfig): string {
  return mend
    .replaceAll('CONFIG', path)
    .replaceAll('STATE_DIR', stateDir)
    .replaceAll('SECRET_FILE', venue.apiSecretFile ?? 'config/secrets/live')
    .replaceAll('ACCOUNT', account);
}
