// Bundles dist/, the output of the compiler, into lib/, which runs and is packed: one file for each entry and
// worker, their shared code in lib/src/chunks/, the types of the public entries, and the shipped strategies
// unchanged. The pages are built first. A program that runs during a build can still load its chunks: a chunk's name is a hash of its
// content, and chunks of an earlier build stay for a while. `--fresh` removes them.
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPages } from './pages.mjs';

/** The files that are started or imported by path. Each has the same place in lib/ as in dist/. */
const ENTRIES = [
  'src/cli/main.js',
  'src/tools/chaos/buy-once.js',
  'src/cli/commands/backtest/backtest-main.js',
  'src/cli/commands/backtest/variant-main.js',
  'src/cli/commands/backtest/backtest-worker.js',
  'src/tools/check/check-child.js',
  'src/tools/check/check-watchdog.js',
  'src/strategy/isolation/worker-main.js',
  'src/notify/telegram/telegram-worker.js',
  'src/testing/index.js',
  'src/strategy/index.js',
];
const PUBLIC_TYPES = ['src/strategy/index.d.ts', 'src/testing/index.d.ts'];
const CHUNKS = 'src/chunks/';
/** A program that runs from an earlier build may load a chunk late: no run is taken to last longer. */
const CHUNK_RETENTION_MS = 30 * 86_400_000;
/** Stands for `import.meta.url` until it is known which file a module has come into. */
const PLACE = /__sluice_place__\("([^"]+)"\)/g;

/** @param {{ fresh?: boolean, now?: number }} [options] */
export async function bundle(root, { fresh = false, now = Date.now() } = {}) {
  const dist = join(root, 'dist');
  const lib = join(root, 'lib');
  const files = new Map(await bundled(dist));
  for (const file of typesOf(dist)) files.set(file, readFileSync(join(dist, file), 'utf8'));
  for (const file of strategiesOf(dist)) {
    files.set(file, withoutMap(readFileSync(join(dist, file), 'utf8')));
  }
  for (const name of pagesOf(dist)) {
    files.set(`pages/${name}.html`, readFileSync(join(dist, 'pages', name, 'index.html'), 'utf8'));
  }
  files.set('src/build.json', buildRecord(files));
  const chunksFirst = [...files].sort(([a], [b]) => b.startsWith(CHUNKS) - a.startsWith(CHUNKS));
  for (const [file, text] of chunksFirst) write(join(lib, file), text, now);
  for (const file of filesUnder(lib)) {
    if (!files.has(file) && (fresh || !isRecentChunk(lib, file, now))) rmSync(join(lib, file));
  }
}

/** The hash of a build: a backtest names the code that made its result. */
function buildRecord(files) {
  const hash = createHash('sha256');
  for (const [file, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${file}\0${createHash('sha256').update(text).digest('hex')}\n`);
  return `${JSON.stringify({ sha256: hash.digest('hex') })}\n`;
}

/** Pairs of a path in lib/ and its text. */
async function bundled(dist) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: Object.fromEntries(ENTRIES.map((file) => [file.slice(0, -3), join(dist, file)])),
    platform: 'node',
    external: /^[^./]/,
    plugins: [places(dist)],
    onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
  });
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}[name]-[hash].js`,
    comments: { annotation: true, jsdoc: false, legal: true },
    // Short local names alone: a stack trace keeps its lines and the names of functions and classes.
    minify: { mangle: { keepNames: true }, compress: false, codegen: false },
  });
  await build.close();
  return output.map(({ fileName, code }) => [fileName, placed(fileName, code)]);
}

/** Bundled modules keep the `import.meta.url` of their file in dist/, because they load files beside it. */
const places = (dist) => ({
  name: 'places',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return null;
    const path = posixPath(relative(dist, id));
    return code.replaceAll('import.meta.url', `__sluice_place__("${path}")`);
  },
});

const placed = (fileName, code) =>
  code.replace(PLACE, (_, path) => {
    if (path === fileName) return 'import.meta.url';
    const way = posix.relative(posix.dirname(fileName), path);
    return `new URL("${way.startsWith('.') ? way : `./${way}`}", import.meta.url).href`;
  });

/** The declarations that the public entries lead to. */
function typesOf(dist) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    const text = readFileSync(join(dist, file), 'utf8');
    for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
      visit(
        posixPath(relative(dist, resolve(dist, dirname(file), path.replace(/\.js$/, '.d.ts')))),
      );
    }
  };
  PUBLIC_TYPES.forEach(visit);
  return [...found];
}

const strategiesOf = (dist) =>
  readdirSync(join(dist, 'strategies'))
    .filter((name) => name.endsWith('.js') && !name.endsWith('.test.js'))
    .map((name) => `strategies/${name}`);

/** Pages that are built: each is one HTML file. */
const pagesOf = (dist) =>
  existsSync(join(dist, 'pages'))
    ? readdirSync(join(dist, 'pages'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    : [];

const withoutMap = (text) => text.replace(/^\/\/# sourceMappingURL=.*\n?/m, '');

/** By a rename, so that it is never seen half written. A file with the same text is stamped with `now`. */
function write(path, text, now) {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before !== undefined && readFileSync(path, 'utf8') === text) {
    utimesSync(path, now / 1_000, now / 1_000);
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, text);
  renameSync(aside, path);
}

const filesUnder = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posixPath(relative(folder, join(entry.parentPath, entry.name))));

/**
 * The stamp of a chunk's file is the time of the last build that had it. `write` and the disk set it by
 * the wall clock, so that the wall clock is compared with it.
 */
const isRecentChunk = (lib, file, now) =>
  file.startsWith(CHUNKS) && now - statSync(join(lib, file)).mtimeMs < CHUNK_RETENTION_MS;

const posixPath = (path) => path.replaceAll('\\', '/');

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
  await buildPages(root);
  await bundle(root, { fresh: process.argv.includes('--fresh') });
}
