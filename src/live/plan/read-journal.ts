import type { Files } from '../../core/ports.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { decodeJournalRecord } from '../../execution/journal/journal-record.js';
import { LogCorruptError, readContents } from '../../io/log/log-contents.js';
import { readHead } from '../../io/log/log-head.js';
import { JOURNAL } from '../state/journal-store.js';

/** A daemon may compact the journal between the reads of its two files. */
const MAX_ATTEMPTS = 3;

/**
 * Reads the current journal of a state folder without a lock and without a change: a daemon may be writing.
 * undefined: there is none.
 * @throws LogCorruptError, JournalRecordError
 */
export async function readJournal(
  files: Files,
  directory: string,
): Promise<readonly JournalRecord[] | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await readOnce(files, directory);
    } catch (error) {
      if (!(error instanceof LogCorruptError) || tries === MAX_ATTEMPTS) throw error;
    }
  }
}

async function readOnce(
  files: Files,
  directory: string,
): Promise<readonly JournalRecord[] | undefined> {
  const base = `${directory}/${JOURNAL}`;
  const paths = { log: `${base}.log`, head: `${base}.head` };
  // The head first: the log is then at least as long as the head requires.
  const head = readHead(await files.read(paths.head));
  const log = await files.read(paths.log);
  if (log === undefined) return undefined;
  return readContents(paths, log, head).payloads.map(decodeJournalRecord);
}
