import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Jiti } from 'jiti';
import { MARKET_STREAMS, type StrategyDefinition } from './definition.js';
import { failurePlace } from './failure-place.js';
import { StrategyLoadError } from './load-error.js';
import { nearest } from './suggestion.js';

export { StrategyLoadError } from './load-error.js';
export { parseParams, StrategyParamsError } from './params.js';

export interface LoadOptions {
  /** Directory of the config file, or the working directory: what `./` means. */
  readonly configDir: string;
}

export interface ShippedStrategy {
  readonly name: string;
  readonly description: string | undefined;
  readonly file: string;
}

const EXTENSIONS = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs'];
/** Beside `src/` as sources, beside `dist/src/` as compiled: the same two steps up. */
const SHIPPED = fileURLToPath(new URL('../../strategies/', import.meta.url));

/**
 * Finds and reads a strategy: a shipped name, a file, a folder, or a package. Whatever lies wherever,
 * `sluice/strategy` and `rxjs` are the ones of this process.
 *
 * @throws StrategyLoadError saying what was tried, or file, line and column of what is wrong
 */
export async function loadStrategy(use: string, options: LoadOptions): Promise<StrategyDefinition> {
  const shipped = isPath(use) ? undefined : await shippedFile(use);
  const file = shipped ?? (await findFile(use, options.configDir));
  return definitionOf(await readModule(file), file);
}

/** The strategies that come with the package, by name. */
export async function listStrategies(): Promise<readonly ShippedStrategy[]> {
  const names = await shippedNames();
  return Promise.all(
    names.map(async (name) => {
      const file = join(SHIPPED, name);
      const definition = definitionOf(await readModule(file), file);
      return { name: withoutExtension(name), description: definition.description, file };
    }),
  );
}

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
    const ofPackage = await packageFile(use, configDir);
    if (ofPackage !== undefined) return ofPackage;
    tried.push(`the package ${use} from ${configDir}`);
  }
  throw new StrategyLoadError(await notFoundText(use, tried));
}

/** A file, a file without its extension, or a folder's main file. */
async function fileAt(path: string, tried: string[]): Promise<string | undefined> {
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
  const url = (await jiti()).esmResolve(name, { parentURL: from, try: true });
  return url?.startsWith('file:') === true ? fileURLToPath(url) : undefined;
}

async function notFoundText(use: string, tried: readonly string[]): Promise<string> {
  const names = (await shippedNames()).map(withoutExtension);
  const meant = nearest(use, names);
  const hint = meant === undefined ? '' : ` Do you mean ${meant}?`;
  return (
    `There is no strategy "${use}".${hint}\n` +
    `  shipped: ${names.join(', ') || 'none'}\n` +
    tried.map((place) => `  tried: ${place}`).join('\n')
  );
}

async function readModule(file: string): Promise<unknown> {
  try {
    // A shipped, compiled file needs no compiler; it finds `sluice/strategy` by the package's name.
    if (file.startsWith(SHIPPED) && extname(file) === '.js')
      return (await import(pathToFileURL(file).href)) as unknown;
    return await (await jiti()).import(file);
  } catch (cause) {
    const { text, place } = failureOf(cause, file);
    throw new StrategyLoadError(`${place}: ${text}`, { cause });
  }
}

let compiler: Promise<Jiti> | undefined;

/** One for all, so that two strategies that share a module share its instance. */
function jiti(): Promise<Jiti> {
  compiler ??= makeJiti();
  return compiler;
}

/** Imported when needed: a run of shipped strategies compiles nothing. */
async function makeJiti(): Promise<Jiti> {
  const [{ createJiti }, face, rxjs, operators] = await Promise.all([
    import('jiti'),
    import('./index.js'),
    import('rxjs'),
    import('rxjs/operators'),
  ]);
  return createJiti(import.meta.url, {
    fsCache: false,
    virtualModules: { 'sluice/strategy': face, rxjs, 'rxjs/operators': operators },
    alias: { technicalindicators: createRequire(import.meta.url).resolve('technicalindicators') },
  });
}

const PARSE_ERROR = /^ParseError: ([\s\S]*?)\s+(\S.*):(\d+):(\d+)\s*$/;

/** The compiler counts columns from 0, people from 1. */
function failureOf(
  cause: unknown,
  file: string,
): { readonly text: string; readonly place: string } {
  const message = messageOf(cause);
  const [, text, where, line, column] = PARSE_ERROR.exec(message) ?? [];
  if (text !== undefined)
    return { text: text.trim(), place: `${where}:${line}:${Number(column) + 1}` };
  return {
    text: message.split('\nRequire stack:')[0] ?? message,
    place: failurePlace(cause) ?? file,
  };
}

/** @throws StrategyLoadError when the default export is no strategy */
function definitionOf(module: unknown, file: string): StrategyDefinition {
  const exported = defaultOf(module);
  const fault = definitionFault(exported);
  if (fault !== undefined)
    throw new StrategyLoadError(
      `${file}: the default export is not a strategy: ${fault}. ` +
        `It should be: export default defineStrategy({ name, params, create })`,
    );
  return exported as StrategyDefinition;
}

/** Through the wrapping that a CommonJS package may add. */
function defaultOf(module: unknown): unknown {
  const outer = isObject(module) && 'default' in module ? module['default'] : undefined;
  return isObject(outer) && !('name' in outer) && 'default' in outer ? outer['default'] : outer;
}

function definitionFault(exported: unknown): string | undefined {
  if (exported === undefined) return 'there is none';
  if (!isObject(exported)) return `it is a ${typeof exported}`;
  if (typeof exported['name'] !== 'string' || exported['name'] === '') return 'it has no name';
  const { params, create, intents, streams } = exported;
  if (!isObject(params) || typeof params['safeParse'] !== 'function')
    return 'its params are not a zod schema (z.object({ … }))';
  if (typeof create !== 'function' && typeof intents !== 'function')
    return 'it has neither create nor intents';
  if (streams !== undefined && !areStreams(streams))
    return `its streams are not a list of ${MARKET_STREAMS.join(', ')}`;
  return create !== undefined && intents !== undefined
    ? 'it has both create and intents: choose one'
    : undefined;
}

const areStreams = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((each) => (MARKET_STREAMS as readonly unknown[]).includes(each));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const isPath = (use: string): boolean =>
  /^\.{0,2}[/\\]/.test(use) || isAbsolute(use) || EXTENSIONS.includes(extname(use));

const withoutExtension = (name: string): string => basename(name, extname(name));

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isDirectory() ? 'folder' : 'file';
}
