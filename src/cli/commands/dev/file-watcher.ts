import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cancel, Scheduler } from '../../../core/ports.js';

const POLL_INTERVAL_MS = 200;
const CODE = /\.(?:[cm]?[jt]s|json|ya?ml)$/;
const TESTS = /\.(?:test|spec)\.[cm]?[jt]s$/;
const MAX_DEPTH = 3;
const MAX_FILES = 2_000;

/**
 * Watches files and folders by polling, which works on every file system and with every editor. A save
 * that takes several writes counts as one change.
 */
export class FileWatcher {
  readonly #roots: readonly string[];
  readonly #scheduler: Scheduler;
  #lastStamps: string | undefined;
  #cancel: Cancel | undefined;
  #stopped = false;

  constructor(roots: readonly string[], scheduler: Scheduler) {
    this.#roots = roots;
    this.#scheduler = scheduler;
  }

  /** Later changes are measured from here. */
  async start(): Promise<void> {
    this.#lastStamps = await fileStamps(this.#roots);
  }

  /** Resolves after a change since `start` or the last call, when two polls saw the same stamps. */
  nextChange(): Promise<void> {
    return new Promise((resolve, reject) => {
      let before: string | undefined;
      const poll = (): void => {
        fileStamps(this.#roots).then((now) => {
          if (this.#stopped) return;
          if (now !== this.#lastStamps && now === before) {
            this.#lastStamps = now;
            resolve();
            return;
          }
          before = now;
          this.#cancel = this.#scheduler.after(POLL_INTERVAL_MS, poll);
        }, reject);
      };
      poll();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }
}

/** Path, time, size and inode of each file: the text differs after a change, an addition or a removal. */
async function fileStamps(roots: readonly string[]): Promise<string> {
  const stamps: string[] = [];
  for (const root of roots) await addStamps(root, 0, stamps);
  return stamps.join('\n');
}

async function addStamps(path: string, depth: number, stamps: string[]): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || stamps.length >= MAX_FILES) return;
  if (found.isFile()) stamps.push(`${path} ${found.mtimeMs} ${found.size} ${found.ino}`);
  if (!found.isDirectory() || depth > MAX_DEPTH) return;
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    const { name } = entry;
    if (name === 'node_modules' || name.startsWith('.')) continue;
    if (entry.isDirectory() || (CODE.test(name) && !TESTS.test(name)))
      await addStamps(join(path, name), depth + 1, stamps);
  }
}
