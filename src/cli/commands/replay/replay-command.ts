import { acquireStateLock } from '../../../io/log/state-lock.js';
import type { Io } from '../../command-io.js';
import type { ReplayOptions } from './replay-options.js';
import { EXIT } from '../../../core/exit-code.js';
import { UsageError } from '../../../core/command-errors.js';
import {
  differenceText,
  readStoredSessions,
  replaySession,
  sessionText,
  wasCompared,
  type MissingSession,
  type ReplayedSession,
} from '../../../live/replay/replay-sessions.js';
import { nodeProcessFacts } from '../../../io/node/node-process-facts.js';
import { sessionNames } from '../../../live/state/state-folder.js';
import { newestStateDirBelow } from '../../../tools/trace/find-state-dir.js';
import { codeOf } from '../../../core/system-error.js';

type Result = ReplayedSession | MissingSession;

/**
 * Replays every recorded session of a state folder on a new engine and compares its journal records with
 * the recorded ones. Sends nothing.
 */
export async function replayCommand(options: ReplayOptions, io: Io): Promise<number> {
  const stateDir = await resolveStateDir(options.stateDir, io);
  const names = await recordedSessions(stateDir, io);
  // No daemon may write meanwhile: the journal and the record must end together.
  const lock = await acquireStateLock(io.files, stateDir, nodeProcessFacts);
  try {
    const results: Result[] = [];
    for (const stored of await readStoredSessions(io.files, stateDir, names)) {
      results.push(await replaySession(stored));
    }
    const since = Number(names[0]) === 1 ? undefined : results[0]?.session;
    io.stdout(
      options.json ? `${JSON.stringify(jsonOf(results, since))}\n` : textOf(results, since),
    );
    return areIdentical(results) ? EXIT.done : EXIT.failed;
  } finally {
    await lock.release();
  }
}

/** The folder itself, or the state folder of the newest run below it, as for `why`. */
async function resolveStateDir(stateDir: string, io: Io): Promise<string> {
  const own = await sessionsIn(stateDir, io);
  if (own.length > 0 || !(await io.files.exists(stateDir))) return stateDir;
  const found = await newestStateDirBelow(stateDir, io.files, 1);
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

const areIdentical = (results: readonly Result[]): boolean =>
  results.filter(wasCompared).every(({ identical }) => identical);

/** @param since the oldest session when earlier ones were deleted */
const jsonOf = (results: readonly Result[], since: string | undefined) => ({
  identical: areIdentical(results),
  ...(since !== undefined && { since_session: since }),
  not_compared: results.filter((result) => !wasCompared(result)).length,
  sessions: results,
});

function textOf(results: readonly Result[], since: string | undefined): string {
  const lines = results.map(sessionText);
  if (since !== undefined) {
    lines.unshift(`sessions before ${since} were deleted (record.keep_days)`);
  }
  const first = results.filter(wasCompared).find(({ identical }) => !identical);
  if (first !== undefined) lines.push(...differenceText(first));
  lines.push(first === undefined ? 'identical' : 'different');
  return `${lines.join('\n')}\n`;
}
