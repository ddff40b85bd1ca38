import { createRequire } from 'node:module';
import type { Jiti, TransformOptions } from 'jiti';
import { rxjs, rxjsOperators } from '../adapter/rxjs-lazy.js';

let shared: Promise<Jiti> | undefined;

/** Compiled modules that several threads share. */
export interface CompiledCodeCache {
  /** @param source every input of the compiled text. @returns undefined: not compiled yet */
  readonly find: (source: string) => string | undefined;
  readonly store: (source: string, code: string) => void;
}

let compiledCodeCache: CompiledCodeCache | undefined;

/** @param cache undefined: compiled modules are not shared */
export function setCompiledCodeCache(cache: CompiledCodeCache | undefined): void {
  compiledCodeCache = cache;
}

/**
 * One loader for all strategies, so that a module that two of them import has one instance. `fresh`: a
 * loader without cached modules, for a changed file.
 */
export function compiler(fresh = false): Promise<Jiti> {
  if (fresh) return makeJiti({ moduleCache: false });
  shared ??= makeJiti({});
  return shared;
}

/** Imported on demand: a run of shipped strategies needs no compiler. */
async function makeJiti(options: { readonly moduleCache?: boolean }): Promise<Jiti> {
  const [{ createJiti }, contract] = await Promise.all([import('jiti'), import('../index.js')]);
  const transformer = createJiti(import.meta.url, { fsCache: false });
  return createJiti(import.meta.url, {
    ...options,
    fsCache: false,
    transform: (module) => ({ code: compiled(module, transformer) }),
    virtualModules: {
      'sluice/strategy': contract,
      get rxjs() {
        return withDefault(rxjs());
      },
      get 'rxjs/operators'() {
        return withDefault(rxjsOperators());
      },
    },
    alias: { technicalindicators: createRequire(import.meta.url).resolve('technicalindicators') },
  });
}

function compiled(module: TransformOptions, alone: Jiti): string {
  const source = JSON.stringify(module);
  const found = compiledCodeCache?.find(source);
  if (found !== undefined) return found;
  const code = alone.transform(module);
  compiledCodeCache?.store(source, code);
  return code;
}

/** As Node imports it: the whole module is its default too. */
const withDefault = <T extends object>(exports: T): T & { readonly default: T } => ({
  ...exports,
  default: exports,
});
