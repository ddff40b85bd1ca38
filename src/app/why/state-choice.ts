import type { Files } from '../../core/ports.js';
import { UsageError } from '../failure.js';
import { JOURNAL } from '../state-folder.js';
import { codeOf } from '../system-error.js';

/** Where the demo and the shipped configurations keep their state. */
const USUAL = '.sluice';

/**
 * The state folder to read: the one that is named, or that of the newest run below it (a run on an
 * embedded sandbox has a folder of its own).
 *
 * @throws UsageError saying what is there instead; ConfigError
 */
export async function chooseState(
  asked: { readonly stateDir?: string; readonly config?: string },
  files: Files,
): Promise<string> {
  const named = asked.stateDir ?? (await configuredState(asked.config, files));
  const place = named ?? USUAL;
  // A run below `.sluice/NAME`, or `.sluice/NAME` itself.
  const found = await newestBelow(place, files, named === undefined ? 2 : 1);
  if (found !== undefined) return found;
  if (named === undefined) {
    throw new UsageError(
      `there is no journal below ${USUAL}/ here: name the state folder, or the configuration by --config`,
    );
  }
  const there = (await files.exists(place)) ? 'holds no journal' : 'does not exist';
  throw new UsageError(
    `${place} ${there}: give the state_dir of a daemon (its summary prints it), or its configuration by --config`,
  );
}

/** Configurations are read by modules that an order's question does not need. */
async function configuredState(
  config: string | undefined,
  files: Files,
): Promise<string | undefined> {
  if (config === undefined) return undefined;
  const { loadConfig } = await import('../config.js');
  return (await loadConfig(config, files)).stateDir;
}

/** By name: folders of runs are named by their start. */
export async function newestBelow(
  place: string,
  files: Files,
  depth: number,
): Promise<string | undefined> {
  const names = await namesIn(place, files);
  if (names.includes(`${JOURNAL}.log`)) return place;
  if (depth === 0) return undefined;
  for (const name of names.toReversed()) {
    const found = await newestBelow(`${place}/${name}`, files, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function namesIn(place: string, files: Files): Promise<readonly string[]> {
  try {
    return await files.list(place);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
