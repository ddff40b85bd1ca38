import type { Files } from '../../core/ports.js';
import { codeOf } from '../../core/system-error.js';
import { LogCorruptError, readContents } from '../../io/log/log-contents.js';
import { readHead } from '../../io/log/log-head.js';
import { LEDGER_FOLDER } from '../books/ledger-archive.js';
import { RECORD_DIRECTORY } from '../record/part-names.js';
import { JOURNAL } from '../state/journal-store.js';
import { SUPERVISOR_FOLDER } from '../supervisor/incident-file.js';
import type { TarEntry } from './tar.js';

const MAX_ATTEMPTS = 5;
const FOLDERS = [RECORD_DIRECTORY, SUPERVISOR_FOLDER];
/** Of a process that runs, or without meaning elsewhere. */
const LEFT_OUT =
  /^(?:lock|owner\.lock|operator\.sock|operator\.location|heartbeat\.json|journal\.reserve)$|\.tmp$/;
const PAPER = 'paper';

/**
 * Copies a state folder while a daemon may write to it. Each log is copied up to its last whole record, the journal
 * before all others: the copy is then a state in which a crash could have left the folder.
 * @throws LogCorruptError when a log is damaged, and not only being written
 */
export async function copyState(files: Files, directory: string): Promise<readonly TarEntry[]> {
  const journal = await copyLogs(files, directory, [JOURNAL]);
  const names = await namesIn(files, directory);
  const stems = stemsOf(names).filter((stem) => stem !== JOURNAL);
  // The account of a paper run answers the requests of the journal, so it must not be older.
  const first = stems.filter((stem) => stem === PAPER);
  const rest = stems.filter((stem) => stem !== PAPER);
  const logs = await copyLogs(files, directory, [...first, ...rest]);
  const isLogFile = (name: string): boolean => /\.(?:log|head)$/.test(name);
  const others = names.filter((name) => !isLogFile(name) && !FOLDERS.includes(name));
  const plain = await copyFiles(files, directory, others);
  const folders: TarEntry[] = [];
  const zones = await namesIn(files, `${directory}/${LEDGER_FOLDER}`);
  const ledgers = zones.map((zone) => `${LEDGER_FOLDER}/${zone}`);
  for (const folder of [...FOLDERS, ...ledgers])
    folders.push(...(await copyFolder(files, directory, folder)));
  return [...journal, ...logs, ...plain, ...folders];
}

const namesIn = async (files: Files, directory: string): Promise<readonly string[]> =>
  (await files.list(directory)).filter((name) => !LEFT_OUT.test(name));

const stemsOf = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name.endsWith('.log')).map((name) => name.slice(0, -'.log'.length));

async function copyFolder(
  files: Files,
  directory: string,
  folder: string,
): Promise<readonly TarEntry[]> {
  for (let tries = 1; ; tries += 1) {
    const names = await namesIn(files, `${directory}/${folder}`);
    const paths = (some: readonly string[]) => some.map((name) => `${folder}/${name}`);
    const logs = await copyLogs(files, directory, paths(stemsOf(names)));
    const others = names.filter((name) => !/\.(?:log|head)$/.test(name));
    const plain = await copyFiles(files, directory, paths(others));
    // The daemon may have compressed a log meanwhile: its events must be in one of the two files.
    const after = await namesIn(files, `${directory}/${folder}`);
    if (after.join('\n') === names.join('\n') || tries === MAX_ATTEMPTS) return [...logs, ...plain];
  }
}

async function copyFiles(
  files: Files,
  directory: string,
  names: readonly string[],
): Promise<readonly TarEntry[]> {
  const copies: TarEntry[] = [];
  for (const path of names) {
    const bytes = await readFile(files, `${directory}/${path}`);
    if (bytes !== undefined) copies.push({ path, bytes });
  }
  return copies;
}

/** undefined: it is gone by now, or it is a folder that no state folder has. */
async function readFile(files: Files, path: string): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    if (codeOf(error) === 'EISDIR') return undefined;
    throw error;
  }
}

async function copyLogs(
  files: Files,
  directory: string,
  stems: readonly string[],
): Promise<readonly TarEntry[]> {
  const copies: TarEntry[] = [];
  for (const stem of stems) copies.push(...(await copyLog(files, directory, stem)));
  return copies;
}

/** A log and its head. A daemon may compact it between the two reads. */
async function copyLog(
  files: Files,
  directory: string,
  stem: string,
): Promise<readonly TarEntry[]> {
  const paths = { log: `${directory}/${stem}.log`, head: `${directory}/${stem}.head` };
  for (let tries = 1; ; tries += 1) {
    // The head first: the log is then at least as long as the head requires.
    const head = await files.read(paths.head);
    const log = await files.read(paths.log);
    if (log === undefined) return [];
    try {
      const { end } = readContents(paths, log, readHead(head));
      const whole: TarEntry = { path: `${stem}.log`, bytes: log.slice(0, end.bytes) };
      return head === undefined ? [whole] : [whole, { path: `${stem}.head`, bytes: head }];
    } catch (error) {
      if (!(error instanceof LogCorruptError) || tries === MAX_ATTEMPTS) throw error;
    }
  }
}
