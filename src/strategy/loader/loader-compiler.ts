import { createRequire } from 'node:module';
import type { Jiti } from 'jiti';

let shared: Promise<Jiti> | undefined;

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
  const [{ createJiti }, face, rxjs, operators] = await Promise.all([
    import('jiti'),
    import('../index.js'),
    import('rxjs'),
    import('rxjs/operators'),
  ]);
  return createJiti(import.meta.url, {
    ...options,
    fsCache: false,
    virtualModules: { 'sluice/strategy': face, rxjs, 'rxjs/operators': operators },
    alias: { technicalindicators: createRequire(import.meta.url).resolve('technicalindicators') },
  });
}
