import type { Files, AppendLog, ProcessFacts } from '../../core/ports.js';
import { encodeJournalRecord, type JournalRecord } from '../../execution/journal/journal-record.js';
import { acquireStateLock, type StateLock } from '../../io/log/state-lock.js';
import { checkFolderPermissions } from './folder-permissions.js';
import { SafetyRefusal, UsageError } from '../../core/command-errors.js';
import { ReservedDiskSpace } from './reserved-disk-space.js';
import { JOURNAL, JournalStore, type OpenJournal, type StateNote } from './journal-store.js';
import { RecordStore, type RecordOptions } from '../record/record-store.js';
import { codeOf } from '../../core/system-error.js';
import { ownerProblem, type StateOwner } from './state-owner.js';
import { hasEnded, killFileIn, readKillFile } from './kill-file.js';

export { JOURNAL } from './journal-store.js';
export type { StateOwner } from './state-owner.js';
export { RECORD_DIRECTORY, sessionNames } from '../record/part-names.js';

export interface StateFolder {
  readonly journal: AppendLog;
  /** The journal when the folder was opened, header first. */
  readonly records: readonly JournalRecord[];
  /** Records ever journaled until then, including those that were compacted away. */
  readonly totalRecords: number;
  /** Notes for people on the state that was found. */
  readonly notes: readonly StateNote[];
  /** The record of this session's events. */
  readonly record: AppendLog;
  /**
   * Reopens the journal using reserved disk space; undefined where the disk was not full. @throws
   * LogWriteError when even that does not suffice
   */
  readonly openFallbackJournal: (error: unknown) => Promise<AppendLog | undefined>;
  readonly release: () => Promise<void>;
  /** Closes everything that was opened, when the start fails. */
  readonly abandon: () => Promise<void>;
}

export interface StatePorts extends RecordOptions {
  readonly files: Files;
  readonly facts: ProcessFacts;
  readonly venueTime: number;
  /** Records after which the journal is compacted; absent: the default. */
  readonly compactAfter?: number;
  /** The kill switch does not refuse where a journal exists: the session only cancels and closes. */
  readonly allowKilled?: boolean;
}

/**
 * Opens a state folder for one owner: locks it, reads its whole journal, starts a record.
 * @throws StateHeldError, LogCorruptError, LogWriteError, JournalRecordError, UsageError,
 *   SafetyRefusal when another owner's state is in it
 */
export async function openStateFolder(
  directory: string,
  owner: StateOwner,
  ports: StatePorts,
): Promise<StateFolder> {
  const { files } = ports;
  const { lock, warning } = await lockFolder(directory, ports);
  const store = new JournalStore({ ...ports, directory, account: owner.account });
  if (warning !== undefined) store.notes.push(warning);
  let journal: AppendLog | undefined;
  try {
    await refuseWhileKilled(directory, ports);
    const opened = await store.openCompacted((records) => {
      checkOwner(directory, records[0], owner);
    });
    journal = opened.log;
    const records = await withHeader(opened, owner, ports.venueTime);
    const reserve = new ReservedDiskSpace(files, directory);
    await reserve.allocate();
    const sessions = new RecordStore(directory, ports);
    const record = await sessions.start();
    sessions.startMaintenance();
    const logs = [record, journal];
    return {
      journal,
      records,
      totalRecords: Math.max(1, opened.totalRecords),
      notes: store.notes,
      record,
      openFallbackJournal: (error) => reserve.openFallbackJournal(error, opened.log),
      release: async () => {
        try {
          if (reserve.isIntact) await store.compactIfDue(opened.log);
          else await reserve.close();
        } finally {
          await sessions.maintenanceDone();
          await lock.release();
        }
      },
      abandon: async () => {
        await sessions.maintenanceDone();
        await closeAll(logs, lock);
      },
    };
  } catch (error) {
    await closeAll(journal === undefined ? [] : [journal], lock);
    throw error;
  }
}

async function closeAll(logs: readonly AppendLog[], lock: StateLock): Promise<void> {
  // The first error is thrown: a log that cannot be written cannot be closed cleanly either.
  for (const log of logs) await log.close().catch(() => undefined);
  await lock.release();
}

/** @throws StateHeldError, FileLockError, SafetyRefusal, UsageError when the path cannot be our folder */
async function lockFolder(
  directory: string,
  { files, facts }: { readonly files: Files; readonly facts: ProcessFacts },
): Promise<{ readonly lock: StateLock; readonly warning: StateNote | undefined }> {
  try {
    const warning = await checkFolderPermissions(directory, files);
    return { lock: await acquireStateLock(files, directory, facts), warning };
  } catch (cause) {
    const reason = FOLDER_ERRORS[codeOf(cause) ?? ''];
    if (reason === undefined) throw cause;
    const what = `the state folder ${directory} cannot be used: ${reason}. Name another state_dir`;
    throw new UsageError(what, { cause });
  }
}

const FOLDER_ERRORS: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file of this name',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
};

/** A new journal gets its owner. */
async function withHeader(
  { log, records }: OpenJournal,
  owner: StateOwner,
  venueTime: number,
): Promise<readonly JournalRecord[]> {
  if (records.length > 0) return records;
  const header = { type: 'header', venueTime, ...owner } as const;
  log.append(encodeJournalRecord(header));
  await log.sync();
  return [header];
}

async function refuseWhileKilled(
  directory: string,
  {
    files,
    venueTime,
    allowKilled = false,
  }: Pick<StatePorts, 'files' | 'venueTime' | 'allowKilled'>,
): Promise<void> {
  const setting = await readKillFile(files, directory);
  if (setting === undefined || hasEnded(setting, venueTime)) return;
  if (allowKilled && (await files.exists(`${directory}/${JOURNAL}.log`))) return;
  throw new SafetyRefusal(killText(killFileIn(directory)));
}

/** `path`: of the kill file. `found`: what was done, and what is left. */
export const killText = (path: string, found = ''): string =>
  `the kill switch is set: ${path} exists.${found} Look at what happened, then \`sluice resume\` ends it`;

/** @throws SafetyRefusal */
function checkOwner(directory: string, first: JournalRecord | undefined, owner: StateOwner): void {
  const problem = first === undefined ? undefined : ownerProblem(directory, first, owner);
  if (problem !== undefined) throw new SafetyRefusal(problem);
}
