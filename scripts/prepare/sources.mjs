import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['src', 'strategies'];
const SETTINGS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
].concat(['scripts/prepare/bundle.mjs']);

/** Files that the build reads, relative to the root, in a fixed order. */
export function sourceFiles(root) {
  return FOLDERS.flatMap((folder) => filesUnder(root, folder)).sort();
}

/** Changes when a source or a setting of the build is added, removed or touched. */
export function buildKey(root) {
  const hash = createHash('sha256');
  for (const file of [...SETTINGS, ...sourceFiles(root)]) {
    const stat = statSync(join(root, file), { throwIfNoEntry: false });
    hash.update(`${file}\0${stat?.mtimeMs ?? ''}\0${stat?.size ?? ''}\n`);
  }
  return hash.digest('hex');
}

function filesUnder(root, folder) {
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesUnder(root, path);
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts') ? [path] : [];
  });
}
