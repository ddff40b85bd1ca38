import { GENESIS, type Position } from '../../execution/log/log-frame.js';
import { LogCorruptError } from '../../execution/log/log-contents.js';
import { JOURNAL, RECORD_DIRECTORY } from '../state-folder.js';
import { emptyRows, indexRecord } from './index-rows.js';
import { placeOf, type IndexedLog, type IndexStore } from './index-store.js';
import {
  follow,
  isHash,
  logPaths,
  LogReplacedError,
  promiseOf,
  type LogPorts,
} from './log-follower.js';

/** What a compaction put away: whole logs of their own, oldest first. */
const ARCHIVE = /^(journal-\d+)\.log$/;
/** A compaction may replace a file between two looks at it. */
const TRIES = 3;

/** Told while an index is built. */
export type Progress = (doneBytes: number, ofBytes: number) => void;

/** Names of the logs that hold the journal, oldest first: archives, then the live one. */
export async function journalNames(ports: LogPorts, directory: string): Promise<readonly string[]> {
  const names = await ports.files.list(directory);
  const archives = names.flatMap((name) => ARCHIVE.exec(name)?.[1] ?? []);
  archives.sort((a, b) => numberOf(a) - numberOf(b));
  return [...archives, JOURNAL];
}

const numberOf = (name: string): number => Number(name.slice(name.indexOf('-') + 1));

/**
 * Brings the index up to what is durable of the journal and its archives.
 *
 * @throws LogCorruptError, JournalRecordError
 */
export async function indexJournal(
  store: IndexStore,
  ports: LogPorts,
  directory: string,
  progress: Progress,
): Promise<void> {
  for (let left = TRIES; ; left--) {
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
  for (const gone of store.logs()) {
    const isThere = gone.name.startsWith(RECORD_DIRECTORY)
      ? await ports.files.exists(logPaths(directory, gone.name).log)
      : names.includes(gone.name);
    if (!isThere) store.forget(gone);
  }
  for (const name of names) {
    if (store.log(name) === undefined) await adopt(store, ports, directory, name);
    await indexLog(store, ports, directory, { name, progress });
  }
}

/** An archive that is the live log of before: what was read of it is kept. */
async function adopt(
  store: IndexStore,
  ports: LogPorts,
  directory: string,
  name: string,
): Promise<void> {
  const live = store.log(JOURNAL);
  if (name === JOURNAL || live === undefined) return;
  if (await goesOn(ports, directory, name, live.end)) store.rename(live.id, name);
}

async function goesOn(
  ports: LogPorts,
  directory: string,
  name: string,
  end: Position,
): Promise<boolean> {
  const paths = logPaths(directory, name);
  const promised = await promiseOf(ports, paths);
  if (promised === undefined || promised.bytes < end.bytes) return false;
  if (promised.bytes === end.bytes) return isHash(promised, end.hash);
  try {
    for await (const _ of follow(ports, paths, end)) return true;
    return false;
  } catch (error) {
    if (error instanceof LogReplacedError) return false;
    throw error;
  }
}

interface Work {
  readonly name: string;
  readonly progress: Progress;
}

async function indexLog(
  store: IndexStore,
  ports: LogPorts,
  directory: string,
  work: Work,
): Promise<void> {
  const known = store.log(work.name);
  try {
    await read(store, ports, directory, { ...work, known });
  } catch (error) {
    if (!(error instanceof LogReplacedError) || known === undefined) throw error;
    store.forget(known);
    await read(store, ports, directory, { ...work, known: undefined });
  }
}

async function read(
  store: IndexStore,
  ports: LogPorts,
  directory: string,
  { name, progress, known }: Work & { readonly known: IndexedLog | undefined },
): Promise<void> {
  const log = known?.id ?? store.begin(name, GENESIS);
  const paths = logPaths(directory, name);
  for await (const { records, end, promisedBytes } of follow(ports, paths, known?.end ?? GENESIS)) {
    const rows = emptyRows();
    for (const { payload, offset } of records) indexRecord(rows, payload, placeOf(log, offset));
    store.add(log, rows, end);
    progress(end.bytes, promisedBytes);
  }
}
