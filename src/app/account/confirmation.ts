import type { Io } from '../command-options.js';
import { StartError, UsageError } from '../failure.js';

/** What is about to be done, and what a person must type for it. */
export interface Plan {
  /** One fact a line. */
  readonly lines: readonly string[];
  /** Default: yes. */
  readonly word?: string;
  /** The flag that stands for the typed word where nobody sits at a terminal. */
  readonly flag?: string;
}

/**
 * Shows what will be done and has it confirmed: by the flag, or by the typed word.
 * @throws UsageError where there is nobody to ask, StartError when the answer is another one; nothing
 *   was sent then
 */
export async function confirm(plan: Plan, given: boolean, io: Io): Promise<void> {
  const { lines, word = 'yes', flag = '--yes' } = plan;
  for (const line of lines) io.stderr(`${line}\n`);
  if (given) return;
  if (io.keyboard?.isTerminal !== true) {
    throw new UsageError(
      `nothing was sent: there is no terminal to confirm it on; add ${flag} to do it all the same`,
    );
  }
  await typedWord(word, io);
}

/** @throws StartError when anything else is typed, or nothing */
export async function typedWord(word: string, io: Io): Promise<void> {
  io.stderr(`Type ${word} to go on: `);
  const typed = await io.keyboard?.readLine();
  if (typed?.trim() !== word) throw new StartError('not confirmed: nothing was sent');
}
