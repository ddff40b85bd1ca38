import { readSession, type RecordedSession, type SessionHeader } from '../../../engine/recorder.js';
import { truncationPointsOf, ReplaySink, type ReplayResult } from '../../../engine/replay.js';
import { decodeJournalRecord } from '../../../execution/journal/journal-record.js';
import { recover } from '../../../execution/recovery/recovery.js';
import { acquireStateLock } from '../../../io/log/state-lock.js';
import type { Io } from '../../command-io.js';
import type { ReplayOptions } from './replay-options.js';
import { configFromYaml } from '../../../config/config.js';
import { EXIT } from '../../../core/exit-code.js';
import { UsageError } from '../../../core/command-errors.js';
import {
  readJournalHistory,
  segmentAt,
  type JournalSegment,
} from '../../../live/state/journal-history.js';
import { loadRestartedStrategies } from '../../../live/strategies/restarted-strategies.js';
import { loadStrategies } from '../../../live/strategies/load-strategies.js';
import { nodeProcessFacts } from '../../../io/node/node-process-facts.js';
import { readSessionRecords } from '../../../live/record/session-records.js';
import { sessionNames } from '../../../live/state/state-folder.js';
import { newestStateDirBelow } from '../../../tools/trace/find-state-dir.js';
import { codeOf } from '../../../core/system-error.js';
import { buildEngine } from '../../../live/bot/build-engine.js';

interface SessionResult extends ReplayResult {
  readonly session: string;
}

/** Its journal was compacted and the archive was removed, so there is no record to compare with. */
interface MissingSession {
  readonly session: string;
  readonly gone: string;
}
type Result = SessionResult | MissingSession;

const wasCompared = (result: Result): result is SessionResult => 'identical' in result;

/**
 * Replays every recorded session of a state folder on a new engine and compares its journal records with
 * the recorded ones. Sends nothing.
 */
export async function replayCommand(options: ReplayOptions, io: Io): Promise<number> {
  const stateDir = await resolveStateDir(options.stateDir, io);
  const names = await recordedSessions(stateDir, io);
  // Opening a log may repair its tail, so no daemon may write meanwhile.
  const lock = await acquireStateLock(io.files, stateDir, nodeProcessFacts);
  try {
    const results = await replaySessions(stateDir, names, io);
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

async function replaySessions(
  stateDir: string,
  names: readonly string[],
  io: Io,
): Promise<readonly Result[]> {
  const segments = await readJournalHistory(io.files, stateDir);
  const logs = await Promise.all(
    names.map(async (name) => ({
      name,
      log: await readSessionRecords(io.files, stateDir, name),
    })),
  );
  // A run that ended before its first sync made no decision.
  const sessions = logs
    .filter(({ log }) => log.length > 0)
    .map(({ name, log }) => ({ name, ...readSession(log) }));
  const results: Result[] = [];
  for (const [index, { name, header, events }] of sessions.entries()) {
    const segment = segmentAt(segments, header.journalStart);
    if (segment === undefined) {
      results.push({ session: name, gone: ARCHIVE_MISSING });
      continue;
    }
    const end = sessions[index + 1]?.header.journalStart ?? segment.end;
    results.push({
      session: name,
      ...(await replay(header, events, journalPartOf(segment, header, end))),
    });
  }
  return results;
}

const ARCHIVE_MISSING =
  'its journal records were archived, and the archive (journal-NNNNNN) no longer exists';

/** The journal records of one session, and those before it. */
interface JournalPart {
  readonly before: readonly Uint8Array[];
  readonly own: readonly Uint8Array[];
}

function journalPartOf(
  segment: JournalSegment,
  { journalStart }: SessionHeader,
  end: number,
): JournalPart {
  const { snapshot, own, first } = segment;
  return {
    before: [...snapshot, ...own.slice(0, journalStart - first)],
    own: own.slice(journalStart - first, end - first),
  };
}

async function replay(
  { configPath, configText, operator }: SessionHeader,
  events: RecordedSession['events'],
  { before, own }: JournalPart,
): Promise<ReplayResult> {
  const config = configFromYaml(configPath, new TextEncoder().encode(configText));
  const strategies = operator === undefined ? await loadStrategies(config) : [];
  const stopAtCalls = truncationPointsOf(events);
  const restarts = await loadRestartedStrategies(config, events);
  const inputs = {
    config,
    strategies,
    restarts,
    stopAtCalls,
    ...(operator !== undefined && { operator }),
  };
  const sink = new ReplaySink(own);
  const recovered = recover(before.map(decodeJournalRecord), config.account);
  return sink.run(buildEngine(inputs, sink, recovered), events);
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
  const lines = results.map(lineOf);
  if (since !== undefined) {
    lines.unshift(`sessions before ${since} were deleted (record.keep_days)`);
  }
  const first = results.filter(wasCompared).find(({ identical }) => !identical)?.difference;
  if (first !== undefined) {
    lines.push(
      `first difference at event ${first.event}, record ${first.record}:`,
      `  journaled ${first.journaled?.trimEnd() ?? 'nothing'}`,
      `  replayed  ${first.replayed?.trimEnd() ?? 'nothing'}`,
    );
  }
  lines.push(first === undefined ? 'identical' : 'different');
  return `${lines.join('\n')}\n`;
}

function lineOf(result: Result): string {
  if (!wasCompared(result)) return `session ${result.session}: not compared: ${result.gone}`;
  const { session, events, intents, verdicts, records, identical, afterRescue } = result;
  const rescue =
    afterRescue === undefined
      ? ''
      : `; the ${afterRescue} records after the disk was full have no events to compare with`;
  return (
    `session ${session}: ${events} events, ${intents} intents, ${verdicts} verdicts, ` +
    `${records} journal records: ${identical ? 'identical' : 'DIFFERENT'}${rescue}`
  );
}
