import { countText } from '../../core/terminal-text.js';
import { configFromYaml } from '../../config/config.js';
import type { EngineEvent } from '../../core/events.js';
import type { Files } from '../../core/ports.js';
import type { Engine } from '../../engine/engine.js';
import { readSession, type RecordedSession, type SessionHeader } from '../../engine/recorder.js';
import { ReplaySink, truncationPointsOf, type ReplayResult } from '../../engine/replay.js';
import { decodeJournalRecord, type JournalRecord } from '../../execution/journal/journal-record.js';
import { recover, type Recovery } from '../../execution/recovery/recovery.js';
import { buildEngine } from '../bot/build-engine.js';
import { readSessionRecords } from '../record/session-records.js';
import { readJournalHistory, segmentAt, type JournalSegment } from '../state/journal-history.js';
import { loadStrategies } from '../strategies/load-strategies.js';
import { loadRestartedStrategies } from '../strategies/restarted-strategies.js';

type ReadFiles = Pick<Files, 'read' | 'list' | 'exists'>;

export interface ReplayedSession extends ReplayResult {
  readonly session: string;
}

/** Its journal was compacted and the archive was removed, so there is no record to compare with. */
export interface MissingSession {
  readonly session: string;
  readonly gone: string;
}

/** A recorded run that made a decision, with its part of the journal. */
export interface StoredSession {
  readonly session: string;
  readonly header: SessionHeader;
  readonly events: RecordedSession['events'];
  /** undefined: the archive with its records was removed. */
  readonly journal: JournalPart | undefined;
}

/** The journal records of one session, and those before it. */
interface JournalPart {
  readonly before: readonly Uint8Array[];
  readonly own: readonly Uint8Array[];
}

/** Follows the replay of a session. */
export interface ReplayWatch {
  /** Before the first event. `recovered`: what the session found in the journal. */
  readonly onEngine: (engine: Engine, recovered: Recovery) => void;
  /** Before the engine handles it. */
  readonly onEvent: (event: EngineEvent) => void;
  readonly onRecord: (record: JournalRecord) => void;
}

export const ARCHIVE_MISSING =
  'its journal records were archived, and the archive (journal-NNNNNN) no longer exists';

/**
 * The recorded sessions of a state folder, oldest first. A run that ended before its first sync made no decision
 * and is left out. No daemon may write meanwhile: read a copy, or hold the state lock.
 *
 * @throws LogCorruptError, RangeError for a record of another version
 */
export async function readStoredSessions(
  files: ReadFiles,
  stateDir: string,
  names: readonly string[],
): Promise<readonly StoredSession[]> {
  const segments = await readJournalHistory(files, stateDir);
  const logs = await Promise.all(
    names.map(async (session) => ({
      session,
      log: await readSessionRecords(files, stateDir, session),
    })),
  );
  const sessions = logs
    .filter(({ log }) => log.length > 0)
    .map(({ session, log }) => ({ session, ...readSession(log) }));
  return sessions.map(({ session, header, events }, index) => {
    const segment = segmentAt(segments, header.journalStart);
    const end = sessions[index + 1]?.header.journalStart ?? segment?.end ?? 0;
    const journal = segment && journalPartOf(segment, header, end);
    return { session, header, events, journal };
  });
}

function journalPartOf(
  { snapshot, own, first }: JournalSegment,
  { journalStart }: SessionHeader,
  end: number,
): JournalPart {
  return {
    before: [...snapshot, ...own.slice(0, journalStart - first)],
    own: own.slice(journalStart - first, end - first),
  };
}

/**
 * Replays one session on a new engine and compares its journal records with the recorded ones. Sends nothing.
 * @throws ConfigError where its configuration or strategies cannot be loaded now, JournalRecordError
 */
export async function replaySession(
  stored: StoredSession,
  watch?: ReplayWatch,
): Promise<ReplayedSession | MissingSession> {
  const { session, header, events, journal } = stored;
  if (journal === undefined) return { session, gone: ARCHIVE_MISSING };
  const { configPath, configText, operator } = header;
  const config = configFromYaml(configPath, new TextEncoder().encode(configText));
  const inputs = {
    config,
    strategies: operator === undefined ? await loadStrategies(config) : [],
    restarts: await loadRestartedStrategies(config, events),
    stopAtCalls: truncationPointsOf(events),
    ...(operator !== undefined && { operator }),
  };
  const sink = new ReplaySink(journal.own, (record) => watch?.onRecord(record));
  const recovered = recover(journal.before.map(decodeJournalRecord), config.account);
  const engine = buildEngine(inputs, sink, recovered);
  watch?.onEngine(engine, recovered);
  const handle = (event: EngineEvent): void => {
    watch?.onEvent(event);
    engine.handle(event);
  };
  return { session, ...sink.run({ handle }, events) };
}

export const wasCompared = (result: ReplayedSession | MissingSession): result is ReplayedSession =>
  'identical' in result;

/** One line for people. */
export function sessionText(result: ReplayedSession | MissingSession): string {
  if (!wasCompared(result)) return `session ${result.session}: not compared: ${result.gone}`;
  const { session, events, intents, verdicts, records, identical, afterRescue } = result;
  const rescue =
    afterRescue === undefined
      ? ''
      : `; ${countText(afterRescue, 'record')} after the disk was full ${afterRescue === 1 ? 'has' : 'have'} no events to compare with`;
  return (
    `session ${session}: ${countText(events, 'event')}, ${countText(intents, 'intent')}, ${countText(verdicts, 'verdict')}, ` +
    `${countText(records, 'journal record')}: ${identical ? 'identical' : 'DIFFERENT'}${rescue}`
  );
}

/** The first difference, in lines for people; empty without one. */
export function differenceText({ difference }: ReplayResult): readonly string[] {
  if (difference === undefined) return [];
  const { event, record, journaled, replayed } = difference;
  return [
    `first difference at event ${event}, record ${record}:`,
    `  journaled ${journaled?.trimEnd() ?? 'nothing'}`,
    `  replayed  ${replayed?.trimEnd() ?? 'nothing'}`,
  ];
}
