import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Fingerprint of package-lock.json; undefined where there is none. */
export function lockHash(root) {
  const text = readIfThere(join(root, 'package-lock.json'));
  return text === undefined ? undefined : createHash('sha256').update(text).digest('hex');
}

/**
 * What node_modules/ holds by npm's own account, against the lock: `full`, `production` (only
 * development packages are missing), or `stale` (anything else, a broken-off install too).
 */
export function installedAs(root) {
  const locked = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(join(root, 'node_modules/.package-lock.json'));
  if (locked === undefined || present === undefined) return 'stale';
  let kind = 'full';
  for (const [path, entry] of Object.entries(locked)) {
    // The project itself, and what npm leaves out on other platforms.
    if (path === '' || entry.optional === true || entry.devOptional === true) continue;
    if (present[path]?.version === entry.version) continue;
    if (entry.dev !== true || present[path] !== undefined) return 'stale';
    kind = 'production';
  }
  return kind;
}

function packagesOf(path) {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text).packages;
  } catch {
    // npm was stopped while it wrote: the same as no record.
    return undefined;
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}
