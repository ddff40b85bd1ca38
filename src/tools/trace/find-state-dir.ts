import type { Files, Folders } from '../../core/ports.js';
import { UsageError } from '../../core/command-errors.js';
import { JOURNAL } from '../../live/state/state-folder.js';
import { codeOf } from '../../core/system-error.js';

/** Folder of the state folders of the demo and the shipped configurations. */
const DEFAULT_ROOT = '.sluice';
const JOURNAL_FILE = `${JOURNAL}.log`;

export interface StateDirPorts {
  readonly files: Files;
  readonly folders: Pick<Folders, 'changedAt'>;
}

/** At least one folder. */
export type StateDirs = readonly [string, ...string[]];

/**
 * Finds the state folders to choose from: the named one, or those of the runs below it (each run on an embedded
 * sandbox has its own folder), the one whose journal changed last first.
 *
 * @throws UsageError when there is no journal; ConfigError
 */
export async function findStateDirs(
  request: { readonly stateDir?: string; readonly config?: string },
  ports: StateDirPorts,
): Promise<StateDirs> {
  const { files } = ports;
  const explicit = request.stateDir ?? (await configuredState(request.config, files));
  const root = explicit ?? DEFAULT_ROOT;
  // The default is `.sluice/NAME` or a run below it; a named folder may hold runs.
  const [newest, ...others] = await stateDirsBelow(root, ports, explicit === undefined ? 2 : 1);
  if (newest !== undefined) return [newest, ...others];
  if (explicit === undefined) {
    throw new UsageError(
      `there is no journal below ${DEFAULT_ROOT}/ here: name the state folder, or the configuration with --config`,
    );
  }
  const problem = (await files.exists(root)) ? 'holds no journal' : 'does not exist';
  throw new UsageError(
    `${root} ${problem}: give the state_dir of a daemon (its summary prints it), or its configuration with --config`,
  );
}

/** Imports the configuration modules only when --config is given. */
async function configuredState(
  config: string | undefined,
  files: Files,
): Promise<string | undefined> {
  if (config === undefined) return undefined;
  const { loadConfig } = await import('../../config/config.js');
  return (await loadConfig(config, files)).stateDir;
}

/** The folder itself if it has a journal, or those below it that have one, the last changed first. */
export async function stateDirsBelow(
  folder: string,
  { files, folders }: StateDirPorts,
  depth: number,
): Promise<readonly string[]> {
  const found: { readonly path: string; readonly changedAt: number }[] = [];
  const search = async (path: string, below: number): Promise<void> => {
    const names = await namesIn(path, files);
    if (names.includes(JOURNAL_FILE))
      found.push({ path, changedAt: (await folders.changedAt(`${path}/${JOURNAL_FILE}`)) ?? 0 });
    else if (below > 0) for (const name of names) await search(`${path}/${name}`, below - 1);
  };
  await search(folder, depth);
  return found
    .sort((one, other) => other.changedAt - one.changedAt || (one.path < other.path ? 1 : -1))
    .map(({ path }) => path);
}

async function namesIn(folder: string, files: Files): Promise<readonly string[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
