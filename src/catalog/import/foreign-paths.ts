import type { Files } from '../../core/ports.js';
import { CandleFileError } from '../../market/candles/candle-file-error.js';
import { codeOf } from '../../core/system-error.js';

const DATA_FILE = /\.(csv|txt|json|parquet|feather|arrow|zip)(\.gz)?$/i;
const CHECKSUM = /\.CHECKSUM$/i;
const MAX_DEPTH = 8;

/** Files to import, and files of the folders that are left out. */
export interface ForeignPaths {
  readonly paths: readonly string[];
  /** Those of the paths that a folder stands for. */
  readonly inFolders: ReadonlySet<string>;
  readonly ignored: readonly string[];
}

/**
 * The files of a command line; a folder stands for the data files in it and in its folders, by name.
 * @throws CandleFileError for a path that does not exist, and for a folder without data files
 */
export async function foreignPaths(given: readonly string[], files: Files): Promise<ForeignPaths> {
  const paths: string[] = [];
  const ignored: string[] = [];
  for (const path of given) {
    if (CHECKSUM.test(path)) continue;
    if (!(await files.exists(path))) {
      throw new CandleFileError(`${path}: there is no such file or folder`);
    }
    const entries = await entriesOf(path, files);
    if (entries === undefined) {
      paths.push(path);
      continue;
    }
    const before = paths.length;
    await addFolder(path.replace(/[/\\]$/, ''), entries, { paths, ignored, files }, 1);
    if (paths.length === before) {
      throw new CandleFileError(
        `${path}: the folder holds no csv, json, parquet, feather or zip file`,
      );
    }
  }
  const named = new Set(given);
  const inFolders = new Set(paths.filter((path) => !named.has(path)));
  return { paths: [...new Set(paths)], inFolders, ignored };
}

interface Search {
  readonly paths: string[];
  readonly ignored: string[];
  readonly files: Files;
}

async function addFolder(
  folder: string,
  entries: readonly string[],
  search: Search,
  depth: number,
): Promise<void> {
  for (const name of [...entries].sort()) {
    const path = `${folder}/${name}`;
    if (CHECKSUM.test(name)) continue;
    const inner = depth < MAX_DEPTH ? await entriesOf(path, search.files) : undefined;
    if (inner !== undefined) await addFolder(path, inner, search, depth + 1);
    else if (DATA_FILE.test(name)) search.paths.push(path);
    else search.ignored.push(path);
  }
}

/** The names in a folder; undefined for a file. */
async function entriesOf(path: string, files: Files): Promise<readonly string[] | undefined> {
  try {
    return await files.list(path);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
