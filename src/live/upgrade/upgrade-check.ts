import { CommandFailure, SafetyRefusal, UsageError } from '../../core/command-errors.js';
import type { Files } from '../../core/ports.js';
import { JOURNAL_VERSION } from '../../execution/journal/journal-schema.js';
import { JournalRecordError } from '../../execution/journal/journal-record-error.js';
import { decodeJournalRecord } from '../../execution/journal/journal-record.js';
import {
  recoverPositions,
  type RecoveredPosition,
} from '../../execution/recovery/recovered-positions.js';
import { readFramedLog } from '../../io/log/read-log.js';
import { CopiedFiles } from '../backup/copied-files.js';
import { copyState } from '../backup/state-copy.js';
import { readFingerprint } from '../interlocks/account-fingerprint.js';
import {
  readStoredSessions,
  replaySession,
  type MissingSession,
  type ReplayedSession,
  type StoredSession,
} from '../replay/replay-sessions.js';
import { readLastLimits } from '../state/accepted-limits.js';
import { newestVersionOf } from '../state/journal-version.js';
import { readPendingCommands } from '../state/pending-commands.js';
import { JOURNAL, sessionNames } from '../state/state-folder.js';

/** This version cannot run a recorded session. */
export interface FailedSession {
  readonly session: string;
  readonly failure: string;
}

export type CheckedSession = ReplayedSession | MissingSession | FailedSession;

export interface UpgradeCheck {
  readonly account: string;
  /** Journal records read. */
  readonly records: number;
  /** Version of the program that wrote the newest session; undefined: it is not recorded. */
  readonly writtenBy: string | undefined;
  readonly journalVersion: { readonly found: number; readonly written: number };
  /** Open in the journal. */
  readonly positions: readonly RecoveredPosition[];
  readonly sessions: readonly CheckedSession[];
}

/**
 * Reads and replays a copy of a state folder with this version of the program. A daemon may run; nothing is
 * written. @param onSession called before each session
 * @throws UsageError without a journal or a recorded session, LogCorruptError, SafetyRefusal for a state that
 *   this version cannot read
 */
export async function checkUpgrade(
  files: Files,
  stateDir: string,
  onSession: (session: string, index: number, count: number) => void = () => undefined,
): Promise<UpgradeCheck> {
  const copy = new CopiedFiles(stateDir, await copyState(files, stateDir));
  const { payloads } = await readFramedLog(copy, stateDir, JOURNAL);
  const records = readable(stateDir, () => payloads.map(decodeJournalRecord));
  const [header] = records;
  if (header?.type !== 'header') throw new UsageError(`${stateDir} has no journal to check`);
  await readSettings(copy, stateDir);
  const stored = await storedSessions(copy, stateDir);
  const sessions: CheckedSession[] = [];
  for (const [index, each] of stored.entries()) {
    onSession(each.session, index, stored.length);
    sessions.push(await checkSession(each));
  }
  return {
    account: header.account,
    records: records.length,
    writtenBy: stored.at(-1)?.header.program,
    journalVersion: { found: newestVersionOf(payloads), written: JOURNAL_VERSION },
    positions: recoverPositions(records),
    sessions,
  };
}

/** Each reader refuses a file that it does not understand. */
async function readSettings(copy: CopiedFiles, stateDir: string): Promise<void> {
  await readFingerprint(copy, stateDir);
  await readPendingCommands(copy, stateDir);
  await readLastLimits(copy, stateDir);
}

async function storedSessions(
  copy: CopiedFiles,
  stateDir: string,
): Promise<readonly StoredSession[]> {
  const names = await sessionNames(stateDir, copy);
  try {
    const stored = await readStoredSessions(copy, stateDir, names);
    if (stored.length > 0) return stored;
    throw new UsageError(`${stateDir} holds no recorded run, so there is nothing to replay`);
  } catch (error) {
    if (error instanceof RangeError) throw unreadable(stateDir, error);
    throw error;
  }
}

function readable<T>(stateDir: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JournalRecordError) throw unreadable(stateDir, error);
    throw error;
  }
}

const unreadable = (stateDir: string, cause: Error): SafetyRefusal =>
  new SafetyRefusal(
    `this version cannot read the state of ${stateDir}: ${cause.message}. Nothing was changed: start the version of ` +
      'Sluice that wrote it, or a newer one',
    { cause },
  );

/** Every failure of this version is a difference, since the recorded run went on. */
async function checkSession(stored: StoredSession): Promise<CheckedSession> {
  try {
    return await replaySession(stored);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { name, message } = error;
    const failure = error instanceof CommandFailure ? message : `${name}: ${message}`;
    return { session: stored.session, failure };
  }
}
