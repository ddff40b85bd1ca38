import { GENESIS, type LogPosition } from '../../../io/log/log-frame.js';
import { LogCorruptError } from '../../../io/log/log-contents.js';
import { JOURNAL, RECORD_DIRECTORY } from '../../../live/state/state-folder.js';
import { emptyRows, indexRecord } from './index-rows.js';
import { recordAddress, type IndexedLog, type IndexStore } from './index-store.js';
import {
  follow,
  matchesHash,
  logPaths,
  LogReplacedError,
  syncMarkerOf,
  type LogPorts,
} from './log-follower.js';

/** Archives of compactions: complete logs, numbered from the oldest. */
const ARCHIVE = /^(journal-\d+)\.log$/;
/** A compaction may replace a file between two reads. */
const MAX_ATTEMPTS = 3;

/** Called while an index is built. */
export type Progress = (doneBytes: number, ofBytes: number) => void;

/** Names of the logs of the journal, oldest first: archives, then the live one. */
export async function journalNames(ports: LogPorts, directory: string): Promise<readonly string[]> {
  const names = await ports.files.list(directory);
  const archives = names.flatMap((name) => ARCHIVE.exec(name)?.[1] ?? []);
  archives.sort((a, b) => numberOf(a) - numberOf(b));
  return [...archives, JOURNAL];
}

const numberOf = (name: string): number => Number(name.slice(name.indexOf('-') + 1));

/**
 * Indexes the durable records of the journal and its archives.
 *
 * @throws LogCorruptError, JournalRecordError
 */
export async function indexJournal(
  store: IndexStore,
  ports: LogPorts,
  directory: string,
  progress: Progress,
): Promise<void> {
  for (let left = MAX_ATTEMPTS; ; left--) {
    try {
      await indexOnce(store, ports, directory, progress);
      return;
    } catch (error) {
      const moved = error instanceof LogReplacedError || error instanceof LogCorruptError;
      if (!moved || left === 1) throw error;
    }
  }
}

async function indexOnce(
  store: IndexStore,
  ports: LogPorts,
  directory: string,
  progress: Progress,
): Promise<void> {
  const names = await journalNames(ports, directory);
  for (const indexed of store.logs()) {
    const isThere = indexed.name.startsWith(RECORD_DIRECTORY)
      ? await ports.files.exists(logPaths(directory, indexed.name).log)
      : names.includes(indexed.name);
    if (!isThere) store.removeLog(indexed);
  }
  for (const name of names) {
    if (store.log(name) === undefined) await adoptArchive(store, ports, directory, name);
    await indexLog(store, ports, directory, { name, progress });
  }
}

/** Renames the live log in the index to its archive after a compaction, so its rows stay valid. */
async function adoptArchive(
  store: IndexStore,
  ports: LogPorts,
  directory: string,
  name: string,
): Promise<void> {
  const live = store.log(JOURNAL);
  if (name === JOURNAL || live === undefined) return;
  if (await continuesFrom(ports, directory, name, live.end)) store.rename(live.id, name);
}

async function continuesFrom(
  ports: LogPorts,
  directory: string,
  name: string,
  end: LogPosition,
): Promise<boolean> {
  const paths = logPaths(directory, name);
  const synced = await syncMarkerOf(ports, paths);
  if (synced === undefined || synced.bytes < end.bytes) return false;
  if (synced.bytes === end.bytes) return matchesHash(synced, end.hash);
  try {
    for await (const _ of follow(ports, paths, end)) return true;
    return false;
  } catch (error) {
    if (error instanceof LogReplacedError) return false;
    throw error;
  }
}

interface IndexTask {
  readonly name: string;
  readonly progress: Progress;
}

async function indexLog(
  store: IndexStore,
  ports: LogPorts,
  directory: string,
  task: IndexTask,
): Promise<void> {
  const known = store.log(task.name);
  try {
    await indexRecords(store, ports, directory, { ...task, known });
  } catch (error) {
    if (!(error instanceof LogReplacedError) || known === undefined) throw error;
    store.removeLog(known);
    await indexRecords(store, ports, directory, { ...task, known: undefined });
  }
}

async function indexRecords(
  store: IndexStore,
  ports: LogPorts,
  directory: string,
  { name, progress, known }: IndexTask & { readonly known: IndexedLog | undefined },
): Promise<void> {
  const log = known?.id ?? store.addLog(name, GENESIS);
  const paths = logPaths(directory, name);
  for await (const { records, end, syncedBytes } of follow(ports, paths, known?.end ?? GENESIS)) {
    const rows = emptyRows();
    for (const { payload, offset } of records)
      indexRecord(rows, payload, recordAddress(log, offset));
    store.addRecords(log, rows, end);
    progress(end.bytes, syncedBytes);
  }
}
