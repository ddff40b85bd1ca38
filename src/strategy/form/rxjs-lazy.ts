import { createRequire } from 'node:module';

let loaded: typeof import('rxjs') | undefined;

/**
 * RxJS, when the first strategy in the stream form is made: a backtest of hooks does not wait for it.
 * The same instance as `import … from 'rxjs'`, which on Node is this very file.
 */
export function rxjs(): typeof import('rxjs') {
  loaded ??= createRequire(import.meta.url)('rxjs') as typeof import('rxjs');
  return loaded;
}
