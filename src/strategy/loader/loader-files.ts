import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiler } from './loader-compiler.js';
import { StrategyLoadError, StrategyNotFoundError } from './load-error.js';
import { nearest } from '../../core/suggestion.js';

const EXTENSIONS = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs'];
/** Shipped strategies: beside `src/` as sources, beside `dist/src/` when compiled. */
const SHIPPED = fileURLToPath(new URL('../../../strategies/', import.meta.url));

/** Folder of a project's own strategies. */
const OWN = 'strategies';

/** The file of a shipped name, the name of one of the project's own, a path, a folder or a package. @throws StrategyLoadError */
export async function strategyFile(use: string, configDir: string): Promise<string> {
  const shipped = isPath(use) ? undefined : await shippedFile(use);
  return shipped ?? (await findFile(use, configDir));
}

/** Paths of the strategies that come with the package, by name. */
export async function shippedFiles(): Promise<readonly string[]> {
  return (await shippedNames()).map((name) => join(SHIPPED, name));
}

/** Paths of a folder's possible strategies: no tests, no declarations. */
export async function strategyFilesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter(
      (name) => EXTENSIONS.includes(extname(name)) && !/\.(test|spec|d)\.[cm]?[jt]s$/.test(name),
    )
    .sort()
    .map((name) => resolve(folder, name));
}

/** A shipped, compiled file needs no compiler; it finds `sluice/strategy` by the package's name. */
export const isCompiledHere = (file: string): boolean =>
  file.startsWith(SHIPPED) && extname(file) === '.js';

export const readSource = (file: string): Promise<string> => readFile(file, 'utf8');

async function shippedFile(use: string): Promise<string | undefined> {
  const name = (await shippedNames()).find((each) => withoutExtension(each) === use);
  return name === undefined ? undefined : join(SHIPPED, name);
}

async function shippedNames(): Promise<readonly string[]> {
  const names = await readdir(SHIPPED).catch(() => []);
  return names.filter(isStrategyFile).sort();
}

const isStrategyFile = (name: string): boolean => /^[a-z0-9-]+\.(ts|js)$/.test(name);

async function findFile(use: string, configDir: string): Promise<string> {
  const path = isAbsolute(use) ? use : resolve(configDir, use);
  const tried = [path];
  const here = await fileAt(path, tried);
  if (here !== undefined) return here;
  if (!isPath(use)) {
    // A project's own strategies, as in `strategy list`.
    for (const folder of new Set([resolve(configDir, OWN), resolve(OWN)])) {
      tried.push(join(folder, use));
      const own = await fileAt(join(folder, use), tried);
      if (own !== undefined) return own;
    }
    const ofPackage = await packageFile(use, configDir);
    if (ofPackage !== undefined) return ofPackage;
    tried.push(`the package ${use} from ${configDir}`);
  }
  throw new StrategyNotFoundError(await notFoundText(use, tried));
}

/** A file, a file without its extension, or a folder's main file. */
export async function fileAt(path: string, tried: string[]): Promise<string | undefined> {
  const kind = await kindOf(path);
  if (kind === 'file') return path;
  if (kind === 'folder') return folderFile(path, tried);
  for (const extension of EXTENSIONS)
    if ((await kindOf(path + extension)) === 'file') return path + extension;
  return undefined;
}

async function folderFile(folder: string, tried: string[]): Promise<string | undefined> {
  const main = await mainOf(folder);
  const candidates = [main, 'index', 'strategy'].filter((name) => name !== undefined);
  for (const name of candidates) {
    const path = join(folder, name);
    if ((await kindOf(path)) === 'file') return path;
    for (const extension of EXTENSIONS)
      if ((await kindOf(path + extension)) === 'file') return path + extension;
  }
  tried.push(`${candidates.join(', ')} (.ts, .js) in ${folder}`);
  return undefined;
}

/** `main` of a package.json. @throws StrategyLoadError when that is no JSON */
async function mainOf(folder: string): Promise<string | undefined> {
  const file = join(folder, 'package.json');
  if ((await kindOf(file)) !== 'file') return undefined;
  try {
    const content: unknown = JSON.parse(await readFile(file, 'utf8'));
    const main = typeof content === 'object' && content !== null && 'main' in content;
    return main && typeof content.main === 'string' ? content.main : undefined;
  } catch (cause) {
    throw new StrategyLoadError(`${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

async function packageFile(name: string, configDir: string): Promise<string | undefined> {
  const from = pathToFileURL(join(configDir, 'strategy.js')).href;
  const url = (await compiler()).esmResolve(name, { parentURL: from, try: true });
  return url?.startsWith('file:') === true ? fileURLToPath(url) : undefined;
}

async function notFoundText(use: string, tried: readonly string[]): Promise<string> {
  const names = (await shippedNames()).map(withoutExtension);
  const suggestion = nearest(use, names);
  const hint = suggestion === undefined ? '' : ` Do you mean ${suggestion}?`;
  return (
    `There is no strategy "${use}".${hint}\n` +
    `  shipped: ${names.join(', ') || 'none'}\n` +
    tried.map((place) => `  tried: ${place}`).join('\n')
  );
}

const isPath = (use: string): boolean =>
  /^\.{0,2}[/\\]/.test(use) || isAbsolute(use) || EXTENSIONS.includes(extname(use));

const withoutExtension = (name: string): string => basename(name, extname(name));

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isDirectory() ? 'folder' : 'file';
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
