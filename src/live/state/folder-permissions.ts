import type { Files } from '../../core/ports.js';
import { SafetyRefusal } from '../../core/command-errors.js';
import type { StateNote } from './journal-store.js';

/**
 * A user who may write in a state folder can stop the bot, or fake its journal.
 * @returns a warning where a group may write
 * @throws SafetyRefusal where everyone may write
 */
export async function checkFolderPermissions(
  directory: string,
  files: Files,
): Promise<StateNote | undefined> {
  const writers = (await files.writersOf?.(directory)) ?? 'owner';
  if (writers === 'owner') return undefined;
  const mend = `chmod go-w ${quoted(directory)}`;
  const what = 'could stop the bot or change what it believes. Take that right away';
  if (writers === 'everyone') {
    throw new SafetyRefusal(
      `every user of this machine may write in the state folder ${directory}, and ${what}: ${mend}`,
    );
  }
  const text = `the group of the state folder ${directory} may write in it, and ${what}: ${mend}`;
  return { level: 'warn', text };
}

/** Quotes a path for a shell. */
const quoted = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
