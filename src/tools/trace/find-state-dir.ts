import type { Files } from '../../core/ports.js';
import { UsageError } from '../../core/command-errors.js';
import { JOURNAL } from '../../live/state/state-folder.js';
import { codeOf } from '../../core/system-error.js';

/** Folder of the state folders of the demo and the shipped configurations. */
const DEFAULT_ROOT = '.sluice';

/**
 * Finds the state folder to read: the named one, or that of the newest run below it (each run on an
 * embedded sandbox has its own folder).
 *
 * @throws UsageError when there is no journal; ConfigError
 */
export async function findStateDir(
  request: { readonly stateDir?: string; readonly config?: string },
  files: Files,
): Promise<string> {
  const explicit = request.stateDir ?? (await configuredState(request.config, files));
  const root = explicit ?? DEFAULT_ROOT;
  // The default is `.sluice/NAME` or a run below it; a named folder may hold runs.
  const found = await newestStateDirBelow(root, files, explicit === undefined ? 2 : 1);
  if (found !== undefined) return found;
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

/** Compares names: a run's folder is named by its start time. */
export async function newestStateDirBelow(
  folder: string,
  files: Files,
  depth: number,
): Promise<string | undefined> {
  const names = await namesIn(folder, files);
  if (names.includes(`${JOURNAL}.log`)) return folder;
  if (depth === 0) return undefined;
  for (const name of names.toReversed()) {
    const found = await newestStateDirBelow(`${folder}/${name}`, files, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function namesIn(folder: string, files: Files): Promise<readonly string[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
