import type { Io } from '../../command-io.js';
import { withStoredSessions } from '../../stored-sessions.js';
import type { ReplayOptions } from './replay-options.js';
import { EXIT } from '../../../core/exit-code.js';
import {
  differenceText,
  replaySession,
  sessionText,
  wasCompared,
  type MissingSession,
  type ReplayedSession,
} from '../../../live/replay/replay-sessions.js';

type Result = ReplayedSession | MissingSession;

/**
 * Replays every recorded session of a state folder on a new engine and compares its journal records with
 * the recorded ones. Sends nothing.
 */
export const replayCommand = (options: ReplayOptions, io: Io): Promise<number> =>
  withStoredSessions(options.stateDir, io, async (_stateDir, sessions, names) => {
    const results: Result[] = [];
    for (const stored of sessions) results.push(await replaySession(stored));
    const since = Number(names[0]) === 1 ? undefined : results[0]?.session;
    io.stdout(
      options.json ? `${JSON.stringify(jsonOf(results, since))}\n` : textOf(results, since),
    );
    return areIdentical(results) ? EXIT.done : EXIT.failed;
  });

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
