import type { RunMode } from '../../config/config-schema.js';
import type { Reading } from './reading.js';
import type { StartFacts } from './start-facts.js';

/** `hard`: the start is refused. `soft`: the start logs a warning. */
export type Severity = 'hard' | 'soft';

/** Everything but `ok` is a failure; `mend` then replaces the general mend of the interlock. */
export type InterlockVerdict =
  | { readonly ok: true; readonly found: string }
  | { readonly ok: false; readonly found: string; readonly mend?: string };

/**
 * One condition of a start, as a pure function of facts that were read before. A fact that cannot be read
 * fails it: missing data never passes.
 */
export interface Interlock {
  /** Snake case; stable, because scripts read it from `sluice doctor --json`. */
  readonly id: string;
  readonly severity: Severity;
  readonly modes: readonly RunMode[];
  /** `machine`: nothing is sent for it. `venue`: it needs answers of the venue. */
  readonly reads: 'machine' | 'venue';
  /** Only entries depend on it: a start that only cancels and closes is not held by it. */
  readonly entriesOnly?: true;
  /** The condition, one sentence. */
  readonly requires: string;
  /** The remedy. CONFIG, STATE_DIR, SECRET_FILE and ACCOUNT stand for values of the configuration. */
  readonly mend: string;
  readonly judge: (facts: StartFacts) => InterlockVerdict;
}

export const pass = (found: string): InterlockVerdict => ({ ok: true, found });

export const fail = (found: string, mend?: string): InterlockVerdict => ({
  ok: false,
  found,
  ...(mend !== undefined && { mend }),
});

/** The verdict on a value; a value that cannot be read fails. */
export const judged = <T>(
  reading: Reading<T> | undefined,
  judge: (value: T) => InterlockVerdict,
): InterlockVerdict => {
  if (reading === undefined) return fail('it was not read');
  return 'fault' in reading ? fail(reading.fault) : judge(reading.value);
};

/** The first failure, else a pass. */
export const firstFailure = (
  verdicts: readonly InterlockVerdict[],
  found: string,
): InterlockVerdict => verdicts.find(({ ok }) => !ok) ?? pass(found);

/** Modes whose key belongs to a real account. */
export const REAL: readonly RunMode[] = ['live', 'observe'];
export const EVERY: readonly RunMode[] = ['live', 'observe', 'paper', 'sandbox'];
