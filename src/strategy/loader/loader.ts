import { pathToFileURL } from 'node:url';
import type { StrategyDefinition } from '../contract/definition.js';
import { StrategyLoadError } from './load-error.js';
import { compiler } from './loader-compiler.js';
import { defaultLine, defaultOf, definitionFault, failureOf } from './load-faults.js';
import {
  isCompiledHere,
  readSource,
  shippedFiles,
  strategyFile,
  strategyFilesIn,
} from './loader-files.js';

export { StrategyLoadError, StrategyNotFoundError } from './load-error.js';
export { StrategyParamsError } from '../contract/params-error.js';
export { parseParams } from '../contract/params.js';

export interface LoadOptions {
  /** Directory that `./` is relative to: that of the config file, or the working directory. */
  readonly configDir: string;
  /** Read the file and what it imports anew: they may have changed. Default: each is read once. */
  readonly fresh?: boolean;
  /** Called before the code of the file runs, when the packages that it may need are loaded: from here its time counts. */
  readonly onCode?: () => void;
}

export interface LoadedFile {
  readonly definition: StrategyDefinition;
  /** Absolute. */
  readonly file: string;
}

/**
 * Finds and reads a strategy: a shipped name, a file, a folder, or a package. Its imports of
 * `sluice/strategy` and `rxjs` always resolve to the modules of this process.
 *
 * @throws StrategyLoadError with the searched places, or with file, line and column of the fault
 */
export async function loadStrategy(use: string, options: LoadOptions): Promise<StrategyDefinition> {
  return (await loadStrategyFile(use, options)).definition;
}

/** As `loadStrategy`, with the file of the strategy. */
export async function loadStrategyFile(use: string, options: LoadOptions): Promise<LoadedFile> {
  const file = await strategyFile(use, options.configDir);
  return { definition: await definitionIn(file, options), file };
}

export interface FolderEntry {
  readonly file: string;
  /** Absent when the file cannot be loaded, for the reason in `problem`. */
  readonly definition?: StrategyDefinition;
  readonly problem?: string;
}

/** Every strategy of the package, or of a folder; a broken one with its problem. */
export async function readStrategies(folder: 'shipped' | string): Promise<readonly FolderEntry[]> {
  const files = folder === 'shipped' ? await shippedFiles() : await strategyFilesIn(folder);
  return Promise.all(
    files.map(async (file) => {
      try {
        return { file, definition: await definitionIn(file) };
      } catch (error) {
        if (error instanceof StrategyLoadError) return { file, problem: error.message };
        throw error;
      }
    }),
  );
}

async function definitionIn(
  file: string,
  options: Pick<LoadOptions, 'fresh' | 'onCode'> = {},
): Promise<StrategyDefinition> {
  const exported = defaultOf(await readModule(file, options));
  const fault = definitionFault(exported);
  if (fault !== undefined)
    throw new StrategyLoadError(
      `${file}:${defaultLine(await readSource(file))}: the default export is not a strategy: ${fault}. ` +
        `It should be: export default defineStrategy({ name, params, create })`,
    );
  return exported as StrategyDefinition;
}

async function readModule(
  file: string,
  { fresh = false, onCode }: Pick<LoadOptions, 'fresh' | 'onCode'>,
): Promise<unknown> {
  try {
    const own = isCompiledHere(file) ? undefined : await compiler(fresh);
    if (own === undefined) await import('../index.js');
    onCode?.();
    return own === undefined
      ? ((await import(pathToFileURL(file).href)) as unknown)
      : await own.import(file);
  } catch (cause) {
    const known = Object.keys(await import('../index.js'));
    const { text, place } = failureOf(cause, { file, source: await readSource(file), known });
    throw new StrategyLoadError(`${place}: ${text}`, { cause });
  }
}
