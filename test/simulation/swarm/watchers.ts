import type { Watcher } from './watcher.js';

/** A watcher under the name of its check or branch. */
export type NamedWatcher = readonly [id: string, watcher: Watcher];

const HOOKS = [
  'onSend',
  'onResponse',
  'onRecord',
  'onVenueEvent',
  'onCandle',
  'onSettled',
  'onProcessEnd',
  'onQuiet',
  'onIdle',
  'onRunEnd',
] as const satisfies readonly (keyof Watcher)[];

/** Who listens to what: most listen to little. */
export class Watchers {
  readonly #watchersByHook = new Map<keyof Watcher, readonly NamedWatcher[]>();

  constructor(all: readonly NamedWatcher[]) {
    for (const hook of HOOKS) {
      const those = all.filter(([, watcher]) => watcher[hook] !== undefined);
      this.#watchersByHook.set(hook, those);
    }
  }

  of(hook: keyof Watcher): readonly NamedWatcher[] {
    return this.#watchersByHook.get(hook) ?? [];
  }
}
