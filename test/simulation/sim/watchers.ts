import type { Watcher } from './watch.js';

/** A watcher under the name of its check or branch. */
export type Named = readonly [id: string, watcher: Watcher];

const HOOKS = [
  'send',
  'answer',
  'record',
  'venue',
  'heard',
  'settled',
  'died',
  'quiet',
  'still',
  'over',
] as const satisfies readonly (keyof Watcher)[];

/** Who listens to what: most listen to little. */
export class Watchers {
  readonly #listening = new Map<keyof Watcher, readonly Named[]>();

  constructor(all: readonly Named[]) {
    for (const hook of HOOKS) {
      const those = all.filter(([, watcher]) => watcher[hook] !== undefined);
      this.#listening.set(hook, those);
    }
  }

  of(hook: keyof Watcher): readonly Named[] {
    return this.#listening.get(hook) ?? [];
  }
}
