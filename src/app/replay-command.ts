import { readSession, type RecordedSession, type SessionHeader } from '../engine/recorder.js';
import { cutsIn, ReplaySink, type ReplayResult } from '../engine/replay.js';
import { decodeJournalRecord } from '../execution/journal/journal-record.js';
import { recover } from '../execution/recovery/recovery.js';
import { acquireStateLock } from '../execution/log/state-lock.js';
import type { Io, ReplayOptions } from './command-options.js';
import { configFromYaml } from './config.js';
import { EXIT } from './exit-code.js';
import { UsageError } from './failure.js';
import { readJournalHistory, segmentAt, type JournalSegment } from './journal-history.js';
import { loadStrategies } from './load-strategies.js';
import { nodeProcessFacts } from './ports/process-facts.js';
import { readSessionRecords } from './record/session-records.js';
import { sessionNames } from './state-folder.js';
import { newestBelow } from './why/state-choice.js';
import { codeOf } from './system-error.js';
import { buildEngine } from './wire.js';

interface SessionResult extends ReplayResult {
  readonly session: string;
}

/** Its journal was compacted, and somebody removed the archive: nothing is left to compare with. */
interface GoneSession {
  readonly session: string;
  readonly gone: string;
}
type Result = SessionResult | GoneSession;

const wasCompared = (result: Result): result is SessionResult => 'identical' in result;

/**
 * Feeds every recorded session of a state folder to a fresh engine and compares what it journals with
 * what was journaled. Sends nothing.
 */
export async function replayCommand(options: ReplayOptions, io: Io): Promise<number> {
  const stateDir = await recordedState(options.stateDir, io);
  const names = await recordedSessions(stateDir, io);
  // Nobody may write while we read; opening a log may mend its tail.
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

/** The folder, or as `why` does that of the newest run below it. */
async function recordedState(stateDir: string, io: Io): Promise<string> {
  const own = await sessionsIn(stateDir, io);
  if (own.length > 0 || !(await io.files.exists(stateDir))) return stateDir;
  const found = await newestBelow(stateDir, io.files, 1);
  if (found !== undefined && found !== stateDir) io.stderr(`sluice: replays ${found}\n`);
  return found ?? stateDir;
}

/** None where the path leads through a file. */
const sessionsIn = (stateDir: string, io: Io): Promise<readonly string[]> =>
  sessionNames(stateDir, io.files).catch((error: unknown) => {
    if (codeOf(error) === 'ENOTDIR') return [];
    throw error;
  });

async function recordedSessions(stateDir: string, io: Io): Promise<readonly string[]> {
  const names = await sessionsIn(stateDir, io);
  if (names.length === 0) {
    throw new UsageError(
      `${stateDir} holds no record of a run: give the state_dir of a daemon (its summary prints it)`,
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
  // A start that was cut off before its first sync has decided nothing.
  const sessions = logs
    .filter(({ log }) => log.length > 0)
    .map(({ name, log }) => ({ name, ...readSession(log) }));
  const results: Result[] = [];
  for (const [index, { name, header, events }] of sessions.entries()) {
    const segment = segmentAt(segments, header.journalStart);
    if (segment === undefined) {
      results.push({ session: name, gone: GONE });
      continue;
    }
    const end = sessions[index + 1]?.header.journalStart ?? segment.end;
    results.push({
      session: name,
      ...(await replay(header, events, partOf(segment, header, end))),
    });
  }
  return results;
}

const GONE =
  'its journal records were archived, and the archive (journal-NNNNNN) is not there any more';

/** The journal of one session, and what stood in it before. */
interface JournalPart {
  readonly before: readonly Uint8Array[];
  readonly own: readonly Uint8Array[];
}

function partOf(
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
  const cuts = cutsIn(events);
  const inputs = { config, strategies, cuts, ...(operator !== undefined && { operator }) };
  const sink = new ReplaySink(own);
  const recovered = recover(before.map(decodeJournalRecord), config.account);
  return sink.run(buildEngine(inputs, sink, recovered), events);
}

const areIdentical = (results: readonly Result[]): boolean =>
  results.filter(wasCompared).every(({ identical }) => identical);

/** @param since the first session that is left, where older ones are deleted */
const jsonOf = (results: readonly Result[], since: string | undefined) => ({
  identical: areIdentical(results),
  ...(since !== undefined && { since_session: since }),
  not_compared: results.filter((result) => !wasCompared(result)).length,
  sessions: results,
});

function textOf(results: readonly Result[], since: string | undefined): string {
  const lines = results.map(lineOf);
  if (since !== undefined) {
    lines.unshift(`sessions before ${since} are deleted by now (record.keep_days)`);
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
