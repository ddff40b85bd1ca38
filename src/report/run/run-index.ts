import { join } from 'node:path';
import type { Files, Folders } from '../../core/ports.js';
import { codeOf } from '../../core/system-error.js';
import { isPartialName, RESULT_FILE } from './run-folder-writer.js';
import { readRun, type RunFault } from './run-reader.js';
import { indexedRunOf, type IndexedRun } from './indexed-run.js';

/** The index in the folder of the runs. It can be deleted at any time. */
export const RUN_INDEX_FILE = '.runs-index.json';
/** Rises when `IndexedRun` changes: an index of another layout is built again. */
const LAYOUT = 1;

export interface RunIndexContent {
  readonly runs: readonly IndexedRun[];
  /** Folders with an unreadable `result.json`. */
  readonly faults: readonly (RunFault & { readonly name: string })[];
}

export interface RunIndexPorts {
  readonly files: Files;
  readonly folders: Folders;
}

interface IndexRow {
  readonly stamp: string;
  readonly run: IndexedRun;
}

interface StoredIndex {
  readonly layout: number;
  readonly rows: readonly IndexRow[];
}

/**
 * The runs of a folder. The index is a cache: a row counts while the size and the time of its `result.json` are those of
 * the disk. Other runs are read, and the index is written again.
 */
export async function indexedRuns(
  directory: string,
  ports: RunIndexPorts,
): Promise<RunIndexContent> {
  const stamps = await ports.folders.stampsOf(directory, RESULT_FILE);
  const before = await readIndex(directory, ports.files);
  const rows: IndexRow[] = [];
  const faults: (RunFault & { readonly name: string })[] = [];
  let isStale = false;
  for (const [name, stamp] of stamps) {
    if (isPartialName(name)) continue;
    const known = before.get(name);
    if (known?.stamp === stamp) {
      rows.push(known);
      continue;
    }
    const read = await readRun(join(directory, name), ports.files);
    if ('problem' in read) faults.push({ name, problem: read.problem });
    else rows.push({ stamp, run: indexedRunOf(name, read.result) });
    isStale ||= !('problem' in read) || known !== undefined;
  }
  if (isStale || rows.length !== before.size) await writeIndex(directory, rows, ports.files);
  return { runs: rows.map(({ run }) => run), faults };
}

/** Rows by name; none when the index is missing, damaged or of another layout. */
async function readIndex(directory: string, files: Files): Promise<ReadonlyMap<string, IndexRow>> {
  const bytes = await files.read(join(directory, RUN_INDEX_FILE));
  const index = bytes === undefined ? undefined : jsonOf(bytes);
  if (index?.layout !== LAYOUT) return new Map();
  // Rows are not checked one by one: this program wrote them, and a file is replaced as a whole.
  return new Map((index.rows ?? []).map((row) => [row.run.name, row]));
}

/** A folder that this user may not write to is read without an index. */
async function writeIndex(
  directory: string,
  rows: readonly IndexRow[],
  files: Files,
): Promise<void> {
  const index: StoredIndex = { layout: LAYOUT, rows };
  const text = JSON.stringify(index);
  try {
    await files.replace(join(directory, RUN_INDEX_FILE), new TextEncoder().encode(text));
  } catch (error) {
    if (!NOT_WRITABLE.has(codeOf(error) ?? '')) throw error;
  }
}

const NOT_WRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC']);

function jsonOf(bytes: Uint8Array): Partial<StoredIndex> | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Partial<StoredIndex>;
  } catch {
    // A damaged index is built again.
    return undefined;
  }
}
