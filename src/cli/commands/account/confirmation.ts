import type { Io } from '../../command-io.js';
import { StartError, UsageError } from '../../../core/command-errors.js';
import { VenueError } from '../../../venue/venue.js';

/** A prompt before a command acts. */
export interface Confirmation {
  /** The facts to confirm, one a line. */
  readonly lines: readonly string[];
  /** The text to type. Default: yes. */
  readonly phrase?: string;
  /** The flag that replaces the typed phrase when there is no terminal. */
  readonly flag?: string;
}

/**
 * Prints the facts and requires a confirmation: the flag or the typed phrase.
 * @throws UsageError without a terminal, StartError when another text is typed; nothing was sent then
 */
export async function confirm(
  confirmation: Confirmation,
  preconfirmed: boolean,
  io: Io,
): Promise<void> {
  const { lines, phrase = 'yes', flag = '--yes' } = confirmation;
  for (const line of lines) io.stderr(`${line}\n`);
  if (preconfirmed) return;
  if (io.keyboard?.isTerminal !== true) {
    throw new UsageError(
      `nothing was sent: there is no terminal to confirm it on; add ${flag} to skip the confirmation`,
    );
  }
  await requireTypedPhrase(phrase, io);
}

/**
 * A read that a command needs before it acts.
 * @throws VenueError, which says that nothing was sent, when the venue cannot be read
 */
export async function readBeforeSending<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    throw withConsequence(error, NOTHING_SENT);
  }
}

export const NOTHING_SENT = 'Nothing was sent: the same command may be repeated';

/** The same error, with a sentence about what it left behind. */
export function withConsequence(error: VenueError, consequence: string): VenueError {
  const { message, status, isTransient } = error;
  return new VenueError(`${message}. ${consequence}`, {
    cause: error,
    isTransient,
    ...(status !== undefined && { status }),
  });
}

/** @throws StartError when another text is typed, or none */
export async function requireTypedPhrase(phrase: string, io: Io): Promise<void> {
  io.stderr(`Type ${phrase} to continue: `);
  const typed = await io.keyboard?.readLine();
  if (typed?.trim() !== phrase) throw new StartError('not confirmed: nothing was sent');
}
