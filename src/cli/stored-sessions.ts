import { UsageError } from '../core/command-errors.js';
import { codeOf } from '../core/system-error.js';
import { acquireStateLock } from '../io/log/state-lock.js';
import { nodeProcessFacts } from '../io/node/process/node-process-facts.js';
import { readStoredSessions, type StoredSession } from '../live/replay/replay-sessions.js';
import { sessionNames } from '../live/state/state-folder.js';
import { stateDirsBelow } from '../tools/trace/find-state-dir.js';
import type { Io } from './command-io.js';

/**
 * Reads the recorded sessions of a state folder while no daemon may write: the journal and the record must end
 * together.
 *
 * @param use gets the folder, the sessions and the names of all, oldest first
 * @throws UsageError without a record, or for a record of another version; StateHeldError, LogCorruptError
 */
export async function withStoredSessions<Result>(
  directory: string,
  io: Io,
  use: (
    stateDir: string,
    sessions: readonly StoredSession[],
    names: readonly string[],
  ) => Promise<Result>,
): Promise<Result> {
  const stateDir = await resolveStateDir(directory, io);
  const names = await recordedSessions(stateDir, io);
  const lock = await acquireStateLock(io.files, stateDir, nodeProcessFacts);
  try {
    return await use(stateDir, await storedSessions(stateDir, names, io), names);
  } finally {
    await lock.release();
  }
}

const storedSessions = (
  stateDir: string,
  names: readonly string[],
  io: Io,
): Promise<readonly StoredSession[]> =>
  readStoredSessions(io.files, stateDir, names).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(
      `${stateDir}: ${error.message}. Run the version of Sluice that wrote the record`,
    );
  });

/** The folder itself, or the state folder of the newest run below it, as for `why`. */
async function resolveStateDir(stateDir: string, io: Io): Promise<string> {
  const own = await sessionsIn(stateDir, io);
  if (own.length > 0 || !(await io.files.exists(stateDir))) return stateDir;
  const [found] = await stateDirsBelow(stateDir, io, 1);
  if (found !== undefined && found !== stateDir) io.stderr(`sluice: replaying ${found}\n`);
  return found ?? stateDir;
}

/** No sessions when the path leads through a file. */
const sessionsIn = (stateDir: string, io: Io): Promise<readonly string[]> =>
  sessionNames(stateDir, io.files).catch((error: unknown) => {
    if (codeOf(error) === 'ENOTDIR') return [];
    throw error;
  });

async function recordedSessions(stateDir: string, io: Io): Promise<readonly string[]> {
  const names = await sessionsIn(stateDir, io);
  if (names.length === 0) {
    throw new UsageError(
      `${stateDir} holds no recorded run: give the state_dir of a daemon (its summary prints it)`,
    );
  }
  return names;
}
