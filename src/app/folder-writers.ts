import type { Files } from '../core/ports.js';
import { SafetyRefusal } from './failure.js';
import type { StateNote } from './journal-store.js';

/**
 * A user who may write in a state folder can stop the bot, and make it believe in events that never happened.
 * @returns what to warn of, where only a group may
 * @throws SafetyRefusal where everybody may
 */
export async function refuseSharedFolder(
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

/** As a shell takes it. */
const quoted = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
