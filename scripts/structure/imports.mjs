// The imports between the modules of src/, read from the sources by the TypeScript compiler.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONTRACT = 'src/strategy/index.ts';

/** @returns paths of the sources below `folder`, relative to the repository, without tests */
export function sourceFiles(folder = 'src') {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.ts') && !/\.(test|d)\.ts$/.test(path))
    .sort();
}

/**
 * `venue/venue.ts` and its neighbours are the port `venue`; each adapter below it and each folder of
 * `io` is a module of its own.
 */
export function moduleOf(path) {
  const [, first, second, ...rest] = path.split('/');
  const hasOwn = first === 'io' || (first === 'venue' && rest.length > 0);
  return hasOwn ? `${first}/${second}` : first;
}

/** @returns source file → the source files that it imports */
export function importsOf(files) {
  const known = new Set(files);
  return new Map(files.map((file) => [file, importedBy(file).filter((path) => known.has(path))]));
}

function importedBy(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'), true, true);
  return importedFiles.map(({ fileName }) =>
    fileName === 'sluice/strategy'
      ? CONTRACT
      : posix.join(dirname(file), fileName).replace(/\.js$/, '.ts'),
  );
}

/** @returns module → the modules that it imports, sorted */
export function moduleArrows(imports) {
  const arrows = new Map();
  for (const [file, paths] of imports) {
    const from = moduleOf(file);
    const targets = arrows.get(from) ?? new Set();
    for (const path of paths) if (moduleOf(path) !== from) targets.add(moduleOf(path));
    arrows.set(from, targets);
  }
  return new Map(
    [...arrows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, to]) => [name, [...to].sort()]),
  );
}
