import type { Files, Log } from '../core/ports.js';
import { encodeJournalRecord, type JournalRecord } from '../execution/journal/journal-record.js';
import {
  acquireStateLock,
  type ProcessFacts,
  type StateLock,
} from '../execution/log/state-lock.js';
import { refuseSharedFolder } from './folder-writers.js';
import { SafetyRefusal, UsageError } from './failure.js';
import { JournalReserve } from './journal-reserve.js';
import { JOURNAL, JournalStore, type OpenJournal, type StateNote } from './journal-store.js';
import { RecordStore, type RecordOptions } from './record/record-store.js';
import { codeOf } from './system-error.js';

export { JOURNAL } from './journal-store.js';
export { RECORD_DIRECTORY, sessionNames } from './record/part-names.js';
/** While this file lies in the state folder nothing is placed (R30). */
export const KILL_FILE = 'KILL';

/** Whose state this is: written first into a new journal, compared at every start. */
export interface StateOwner {
  readonly account: string;
  /** Address of the venue. */
  readonly venue: string;
  /** Which sandbox it was: another one at the same address has other orders. */
  readonly instance?: string;
}

export interface StateFolder {
  readonly journal: Log;
  /** The journal as it stood when the folder was opened, header first. */
  readonly records: readonly JournalRecord[];
  /** Records ever journaled until then, those that were compacted away included. */
  readonly recordsEver: number;
  /** What people should know of how the state was found. */
  readonly notes: readonly StateNote[];
  /** A fresh record of this session's events. */
  readonly record: Log;
  /**
   * The journal once more after it could not be written, with the room of the reserve; undefined where
   * the disk was not full. @throws LogWriteError when even that is not enough
   */
  readonly rescue: (error: unknown) => Promise<Log | undefined>;
  readonly release: () => Promise<void>;
  /** Closes what was opened, when nobody came to use it. */
  readonly abandon: () => Promise<void>;
}

export interface StatePorts extends RecordOptions {
  readonly files: Files;
  readonly facts: ProcessFacts;
  readonly venueTime: number;
  /** Records after which the journal is compacted; absent: the default. */
  readonly compactAfter?: number;
  /** The kill switch does not refuse where there is a journal: whoever opens it takes back and closes alone. */
  readonly evenIfKilled?: boolean;
}

/**
 * Opens a state folder for one owner: locks it, reads its journal whole, begins a record.
 * @throws StateHeldError, LogCorruptError, LogWriteError, JournalRecordError, UsageError,
 *   SafetyRefusal when it belongs to somebody else
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
  let journal: Log | undefined;
  try {
    await refuseWhileKilled(directory, ports);
    const opened = await store.openCompacted((records) => {
      checkOwner(directory, records[0], owner);
    });
    journal = opened.log;
    const records = await withHeader(opened, owner, ports.venueTime);
    const reserve = new JournalReserve(files, directory);
    await reserve.fill();
    const sessions = new RecordStore(directory, ports);
    const record = await sessions.begin();
    sessions.tidy();
    const logs = [record, journal];
    return {
      journal,
      records,
      recordsEver: Math.max(1, opened.recordsEver),
      notes: store.notes,
      record,
      rescue: (error) => reserve.rescue(error, opened.log),
      release: async () => {
        try {
          if (reserve.isUntouched) await store.compactIfDue(opened.log);
          else await reserve.close();
        } finally {
          await sessions.settled();
          await lock.release();
        }
      },
      abandon: async () => {
        await sessions.settled();
        await letGo(logs, lock);
      },
    };
  } catch (error) {
    await letGo(journal === undefined ? [] : [journal], lock);
    throw error;
  }
}

async function letGo(logs: readonly Log[], lock: StateLock): Promise<void> {
  // The first error is the one to tell: a log that cannot be written cannot be closed well either.
  for (const log of logs) await log.close().catch(() => undefined);
  await lock.release();
}

/** @throws StateHeldError, FileLockError, SafetyRefusal, UsageError when the path cannot be a folder of ours */
async function lockFolder(
  directory: string,
  { files, facts }: { readonly files: Files; readonly facts: ProcessFacts },
): Promise<{ readonly lock: StateLock; readonly warning: StateNote | undefined }> {
  try {
    const warning = await refuseSharedFolder(directory, files);
    return { lock: await acquireStateLock(files, directory, facts), warning };
  } catch (cause) {
    const reason = NO_FOLDER[codeOf(cause) ?? ''];
    if (reason === undefined) throw cause;
    const what = `the state folder ${directory} cannot be used: ${reason}. Name another state_dir`;
    throw new UsageError(what, { cause });
  }
}

const NO_FOLDER: Readonly<Record<string, string>> = {
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
  { files, evenIfKilled = false }: Pick<StatePorts, 'files' | 'evenIfKilled'>,
): Promise<void> {
  const path = `${directory}/${KILL_FILE}`;
  if (!(await files.exists(path))) return;
  if (evenIfKilled && (await files.exists(`${directory}/${JOURNAL}.log`))) return;
  throw new SafetyRefusal(killText(path));
}

/** `path`: of the kill file. `found`: what was done, and what is left. */
export const killText = (path: string, found = ''): string =>
  `the kill switch is set: ${path} exists.${found} Look at what happened, then remove the file to trade again`;

function checkOwner(directory: string, first: JournalRecord | undefined, owner: StateOwner): void {
  if (first === undefined) return;
  if (first.type !== 'header') {
    throw new SafetyRefusal(`${directory} holds a journal without a header; it is not one of ours`);
  }
  if (first.account !== owner.account) {
    throw new SafetyRefusal(
      `${directory} belongs to account ${first.account}, not ${owner.account}: give this account a state_dir of its own`,
    );
  }
  if (first.venue !== owner.venue || first.instance !== owner.instance) {
    throw new SafetyRefusal(
      `${directory} belongs to another venue (${described(first)}), not to ${described(owner)}: ` +
        'its orders are not there. Use another state_dir, or remove the folder if that venue is gone for good',
    );
  }
}

const described = (owner: { venue: string; instance?: string }): string =>
  owner.instance === undefined ? owner.venue : `${owner.venue}, sandbox ${owner.instance}`;
