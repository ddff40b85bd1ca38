import { join } from 'node:path';
import { UsageError } from '../../core/command-errors.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names the folder of the cache. */
export const CACHE_VARIABLE = 'SLUICE_CACHE';
/** Limit of the cache in MB; 0: no cache. */
export const CACHE_LIMIT_VARIABLE = 'SLUICE_CACHE_MB';
/** 2 GB: 40 files of a million candles. */
const DEFAULT_MB = 2_000;
const BYTES_PER_MB = 1_000_000;
const WHOLE_NUMBER = /^\d{1,9}$/;

export interface CacheSettings {
  readonly folder: string;
  /** Bytes that the files of the cache may have together. */
  readonly maxBytes: number;
}

/**
 * `SLUICE_CACHE`, else `sluice` in the user's cache folder (XDG Base Directory Specification 0.8; LOCALAPPDATA on
 * Windows); undefined: the environment names none, or the limit is 0.
 * @throws UsageError for a limit that is no whole number
 */
export function cacheSettings(env: Environment): CacheSettings | undefined {
  const maxBytes = limitOf(env);
  const folder = folderOf(env);
  return folder === undefined || maxBytes === 0 ? undefined : { folder, maxBytes };
}

function limitOf(env: Environment): number {
  const given = valueOf(env, CACHE_LIMIT_VARIABLE);
  if (given === undefined) return DEFAULT_MB * BYTES_PER_MB;
  if (WHOLE_NUMBER.test(given)) return Number(given) * BYTES_PER_MB;
  throw new UsageError(
    `${CACHE_LIMIT_VARIABLE} is "${given}", and not a whole number of megabytes, such as ${DEFAULT_MB}; 0 switches the cache off`,
  );
}

function folderOf(env: Environment): string | undefined {
  const named = valueOf(env, CACHE_VARIABLE);
  if (named !== undefined) return named;
  const home = valueOf(env, 'HOME');
  const caches =
    valueOf(env, 'XDG_CACHE_HOME') ??
    valueOf(env, 'LOCALAPPDATA') ??
    (home === undefined ? undefined : join(home, '.cache'));
  return caches === undefined ? undefined : join(caches, 'sluice');
}

const valueOf = (env: Environment, name: string): string | undefined =>
  env[name] === '' ? undefined : env[name];
