import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['src', 'strategies'];
const SETTINGS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
].concat(['scripts/prepare/bundle.mjs', 'scripts/prepare/pages.mjs']);
/** Sources of the pages: their own, and the modules and documents that they contain. */
const PAGE_FOLDERS = ['pages', 'src/report'];
const PAGE_SETTINGS = ['package-lock.json', 'docs/metrics.md', 'scripts/prepare/pages.mjs'];

/** Files that the build reads, relative to the root, in a fixed order. */
export function sourceFiles(root) {
  return FOLDERS.flatMap((folder) => filesUnder(root, folder)).sort();
}

/** Changes when a source or a setting of the build is added, removed or touched. */
export function buildKey(root) {
  return keyOf(root, [...SETTINGS, ...sourceFiles(root), ...pageFiles(root)]);
}

/** The same for the pages alone. */
export function pageKey(root) {
  return keyOf(root, pageFiles(root));
}

const pageFiles = (root) => [
  ...PAGE_SETTINGS,
  ...PAGE_FOLDERS.flatMap((folder) => filesUnder(root, folder, PAGE_SOURCE)).sort(),
];

function keyOf(root, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const stat = statSync(join(root, file), { throwIfNoEntry: false });
    hash.update(`${file}\0${stat?.mtimeMs ?? ''}\0${stat?.size ?? ''}\n`);
  }
  return hash.digest('hex');
}

const SOURCE = /\.ts$/;
const PAGE_SOURCE = /\.(ts|tsx|css|html|mjs|json)$/;
const TEST = /\.test\.ts$/;

function filesUnder(root, folder, kind = SOURCE) {
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesUnder(root, path, kind);
    return kind.test(entry.name) && !TEST.test(entry.name) ? [path] : [];
  });
}
