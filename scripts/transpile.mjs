// Writes the sources as plain JavaScript, each file by itself and without looking at types: a build of
// seconds for runs of thousands of worlds, with one file changed where a mutant is tried on it.
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Inside the checkout, so that packages are found, and ignored by git. */
export const SCRATCH = join(ROOT, '.sluice/transpiled');

const SOURCE_FOLDERS = ['src', 'strategies', 'test', 'bench'];
const OPTIONS = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  isolatedModules: true,
};
/** In its folder, `sluice/strategy` means the strategies' face of that folder. */
const PACKAGE = {
  name: 'sluice',
  version: '0.0.0',
  type: 'module',
  exports: {
    './strategy': './src/strategy/index.js',
    './testing': './src/testing/index.js',
    './package.json': './package.json',
  },
};

/** JavaScript of sources by their hash, for this process and for later ones. */
const compiledCache = new Map();
const CACHE = join(SCRATCH, 'cache');
const CACHE_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * @param {{ out?: string, sources?: ReadonlyMap<string, string>,
 *   patch?: { file: string, from: string, to: string } }} [options]
 *   `out`: an own folder below `SCRATCH`; `sources`: as they were read once, so that builds differ by
 *   their patch alone; `patch`: a text that stands once in a file, and another
 * @returns {string} the folder
 * @throws {Error} when the patch does not fit
 */
export function transpile({ out = join(SCRATCH, 'as-is'), sources = readSources(), patch } = {}) {
  const outputs = new Map([['package.json', JSON.stringify(PACKAGE)]]);
  for (const [file, text] of sources) {
    const changed = file === patch?.file ? applyPatch(text, patch) : text;
    outputs.set(file.replace(/ts$/, 'js'), compiled(changed));
  }
  for (const file of filesBelow(out)) if (!outputs.has(file)) rmSync(join(out, file));
  for (const [file, text] of outputs) writeIfNew(join(out, file), text);
  if (patch === undefined) pruneCache();
  return out;
}

/** @throws {Error} when `from` does not stand exactly once in the text */
export function applyPatch(text, { file, from, to }) {
  const parts = text.split(from);
  if (parts.length === 2) return parts.join(to);
  throw new Error(
    `${file} has ${parts.length - 1} places that read ${JSON.stringify(from)}, not one`,
  );
}

/** Every source that a run can need, by its path: no test, no declaration. */
export function readSources() {
  const files = SOURCE_FOLDERS.flatMap((folder) =>
    filesBelow(join(ROOT, folder)).map((file) => `${folder}/${file}`),
  )
    .filter((file) => file.endsWith('.ts') && !/\.(test|d)\.ts$/.test(file))
    .sort();
  return new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
}

function compiled(text) {
  const key = createHash('sha256')
    .update(JSON.stringify([ts.version, OPTIONS]))
    .update(text)
    .digest('hex');
  let result = compiledCache.get(key);
  if (result === undefined) {
    const path = join(CACHE, `${key}.js`);
    result = readIfThere(path);
    if (result === undefined) {
      result = ts.transpileModule(text, { compilerOptions: OPTIONS }).outputText;
      writeIfNew(path, result);
    }
    compiledCache.set(key, result);
  }
  return result;
}

/** By the time of this machine: a source is compiled again after a month, so that the cache keeps no source that is gone. */
function pruneCache() {
  for (const file of filesBelow(CACHE)) {
    const path = join(CACHE, file);
    // Another process may have moved or removed it since.
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - writtenAt > CACHE_DAYS * DAY_MS) rmSync(path, { force: true });
  }
}

/** Another process may write the same file, or read it: it is whole at any time. */
function writeIfNew(path, text) {
  if (readIfThere(path) === text) return;
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(CACHE, { recursive: true });
  const part = join(CACHE, `part-${process.pid}`);
  writeFileSync(part, text);
  renameSync(part, path);
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Paths of the files below a folder, relative to it; none where there is no folder. */
function filesBelow(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
