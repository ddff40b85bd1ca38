import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let loaded: typeof import('rxjs') | undefined;

/**
 * RxJS, when the first strategy in the stream form is made or the first file imports it: two hundred
 * modules, which neither a backtest of hooks nor a thread of one waits for. The same instance as
 * `import … from 'rxjs'`, which on Node is this very file.
 */
export function rxjs(): typeof import('rxjs') {
  loaded ??= require('rxjs') as typeof import('rxjs');
  return loaded;
}

/** `rxjs/operators`, of the same instance. */
export const rxjsOperators = (): typeof import('rxjs/operators') =>
  require('rxjs/operators') as typeof import('rxjs/operators');
