import type { AppendFile, Files } from '../../../src/core/ports.js';

/**
 * A disk whose user dies at one of its operations, before it or after it: nothing that was asked for
 * then is ever answered, as after `kill -9`.
 */
export class DyingFiles {
  #left: number;
  readonly died: Promise<void>;
  #die: () => void = () => undefined;

  /** @param boundaries befores and afters that it still passes */
  constructor(boundaries: number) {
    this.#left = boundaries;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  of(inner: Files): Files {
    return {
      read: (path) => this.#meet(() => inner.read(path)),
      exists: (path) => this.#meet(() => inner.exists(path)),
      list: (directory) => this.#meet(() => inner.list(directory)),
      makeDirectory: (path) => this.#meet(() => inner.makeDirectory(path)),
      replace: (path, bytes) => this.#meet(() => inner.replace(path, bytes)),
      createExclusive: (path, bytes) => this.#meet(() => inner.createExclusive(path, bytes)),
      writeAt: (path, offset, bytes) => this.#meet(() => inner.writeAt(path, offset, bytes)),
      truncate: (path, size) => this.#meet(() => inner.truncate(path, size)),
      remove: (path) => this.#meet(() => inner.remove(path)),
      openAppend: (path) => this.#meet(async () => this.#opened(await inner.openAppend(path))),
    };
  }

  #opened(inner: AppendFile): AppendFile {
    return {
      initialSize: inner.initialSize,
      append: (bytes) => this.#meet(() => inner.append(bytes)),
      sync: () => this.#meet(() => inner.sync()),
      close: () => this.#meet(() => inner.close()),
    };
  }

  async #meet<T>(operation: () => Promise<T>): Promise<T> {
    if (!this.#passes()) return NEVER;
    const result = await operation();
    return this.#passes() ? result : NEVER;
  }

  #passes(): boolean {
    this.#left -= 1;
    if (this.#left === 0) this.#die();
    return this.#left > 0;
  }
}

const NEVER = new Promise<never>(() => undefined);
