import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let loaded: typeof import('rxjs') | undefined;

/**
 * Loads RxJS with the first stream strategy, or the first file that imports it. Its two hundred modules
 * would delay every backtest and thread of a hook strategy. On Node this is the same instance as
 * `import … from 'rxjs'`.
 */
export function rxjs(): typeof import('rxjs') {
  loaded ??= require('rxjs') as typeof import('rxjs');
  return loaded;
}

/** `rxjs/operators` of the same instance. */
export const rxjsOperators = (): typeof import('rxjs/operators') =>
  require('rxjs/operators') as typeof import('rxjs/operators');
