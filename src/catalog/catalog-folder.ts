import { join } from 'node:path';
import { UsageError } from '../core/command-errors.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names the folder of the catalogue. `--catalog` overrides it. */
export const CATALOG_VARIABLE = 'SLUICE_CATALOG';

/**
 * The folder of the catalogue: `SLUICE_CATALOG`, else `sluice/catalog` in the user's data folder (XDG Base Directory
 * Specification 0.8; LOCALAPPDATA on Windows).
 * @throws UsageError when the environment names none
 */
export function catalogFolder(given: string | undefined, env: Environment): string {
  const named = given ?? valueOf(env, CATALOG_VARIABLE);
  if (named !== undefined) return named;
  const home = valueOf(env, 'HOME');
  const data =
    valueOf(env, 'XDG_DATA_HOME') ??
    valueOf(env, 'LOCALAPPDATA') ??
    (home === undefined ? undefined : join(home, '.local', 'share'));
  if (data !== undefined) return join(data, 'sluice', 'catalog');
  throw new UsageError(
    'the folder of the data catalogue is not known, because HOME is not set: name it with --catalog <folder> or SLUICE_CATALOG',
  );
}

const valueOf = (env: Environment, name: string): string | undefined =>
  env[name] === '' ? undefined : env[name];
