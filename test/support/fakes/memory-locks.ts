import type { FileLocks } from '../../../src/core/ports.js';

/** The locks of a system on files: each ends with the process that has it. */
export class MemoryLocks {
  readonly #holders = new Map<string, { readonly isAlive: () => boolean }>();
  /** Of every file; it changes when the file is replaced. */
  fileId = 'file-1';

  /** Those that one process is granted. @param isAlive whether it still runs */
  of(isAlive: () => boolean = () => true): FileLocks {
    return {
      exclusive: (path) => Promise.resolve(this.#take(path, isAlive)),
    };
  }

  /** Replaces every locked file: the old locks guard nothing. */
  replaceFiles(): void {
    this.fileId = `${this.fileId}+`;
    this.#holders.clear();
  }

  #take(path: string, isAlive: () => boolean): Awaited<ReturnType<FileLocks['exclusive']>> {
    if (this.#holders.get(path)?.isAlive() === true) return undefined;
    const holder = { isAlive };
    this.#holders.set(path, holder);
    return {
      fileId: this.fileId,
      release: () => {
        if (this.#holders.get(path) === holder) this.#holders.delete(path);
        return Promise.resolve();
      },
    };
  }
}
