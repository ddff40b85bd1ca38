import { createRequire } from 'node:module';
import type { Jiti, TransformOptions } from 'jiti';
import { rxjs, rxjsOperators } from '../form/rxjs-lazy.js';

let shared: Promise<Jiti> | undefined;

/** Where what was compiled is shared with others, who need the same. */
export interface CompiledTexts {
  /** By all that it depends on; undefined: nobody has it. */
  readonly find: (source: string) => string | undefined;
  readonly made: (source: string, code: string) => void;
}

let texts: CompiledTexts | undefined;

/** From now on; undefined: with nobody. */
export function shareCompiled(by: CompiledTexts | undefined): void {
  texts = by;
}

/**
 * One for all, so that two strategies that share a module share its instance. `fresh`: one that has
 * read nothing yet, for a file that was changed.
 */
export function compiler(fresh = false): Promise<Jiti> {
  if (fresh) return makeJiti({ moduleCache: false });
  shared ??= makeJiti({});
  return shared;
}

/** Imported when needed: a run of shipped strategies compiles nothing. */
async function makeJiti(options: { readonly moduleCache?: boolean }): Promise<Jiti> {
  const [{ createJiti }, face] = await Promise.all([import('jiti'), import('../index.js')]);
  const alone = createJiti(import.meta.url, { fsCache: false });
  return createJiti(import.meta.url, {
    ...options,
    fsCache: false,
    transform: (module) => ({ code: compiled(module, alone) }),
    virtualModules: {
      'sluice/strategy': face,
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
  const found = texts?.find(source);
  if (found !== undefined) return found;
  const code = alone.transform(module);
  texts?.made(source, code);
  return code;
}

/** As Node imports it: the whole module is its default too. */
const withDefault = <T extends object>(exports: T): T & { readonly default: T } => ({
  ...exports,
  default: exports,
});
