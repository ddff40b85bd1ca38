import type { Cancel, Scheduler } from '../../core/ports.js';

const LOOK_MS = 200;

/**
 * Looks at files again and again: it works on every file system and with every editor, and a save that
 * takes several writes counts as one.
 */
export class FileWatch {
  readonly #stamps: () => Promise<string>;
  readonly #scheduler: Scheduler;
  #known: string | undefined;
  #cancel: Cancel | undefined;
  #stopped = false;

  constructor(stamps: () => Promise<string>, scheduler: Scheduler) {
    this.#stamps = stamps;
    this.#scheduler = scheduler;
  }

  /** What is there now is known. */
  async begin(): Promise<void> {
    this.#known = await this.#stamps();
  }

  /** Resolves when something was saved since `begin` or the last time, and is no longer being written. */
  changed(): Promise<void> {
    return new Promise((resolve, reject) => {
      let before: string | undefined;
      const look = (): void => {
        this.#stamps().then((now) => {
          if (this.#stopped) return;
          if (now !== this.#known && now === before) {
            this.#known = now;
            resolve();
            return;
          }
          before = now;
          this.#cancel = this.#scheduler.after(LOOK_MS, look);
        }, reject);
      };
      look();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }
}
