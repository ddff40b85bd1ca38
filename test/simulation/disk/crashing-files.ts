import type { AppendFile, Files } from '../../../src/core/ports.js';

/**
 * A disk whose process dies at one of its operations, before or after it. Operations requested
 * after that never return, as after `kill -9`.
 */
export class CrashingFiles {
  #left: number;
  readonly crashed: Promise<void>;
  #crash: () => void = () => undefined;

  /** @param boundaries operation starts and ends that pass before the crash */
  constructor(boundaries: number) {
    this.#left = boundaries;
    this.crashed = new Promise((resolve) => {
      this.#crash = resolve;
    });
  }

  of(inner: Files): Files {
    return {
      read: (path) => this.#guard(() => inner.read(path)),
      exists: (path) => this.#guard(() => inner.exists(path)),
      list: (directory) => this.#guard(() => inner.list(directory)),
      makeDirectory: (path) => this.#guard(() => inner.makeDirectory(path)),
      replace: (path, bytes) => this.#guard(() => inner.replace(path, bytes)),
      createExclusive: (path, bytes) => this.#guard(() => inner.createExclusive(path, bytes)),
      writeAt: (path, offset, bytes) => this.#guard(() => inner.writeAt(path, offset, bytes)),
      truncate: (path, size) => this.#guard(() => inner.truncate(path, size)),
      remove: (path) => this.#guard(() => inner.remove(path)),
      openAppend: (path) => this.#guard(async () => this.#opened(await inner.openAppend(path))),
    };
  }

  #opened(inner: AppendFile): AppendFile {
    return {
      initialSize: inner.initialSize,
      append: (bytes) => this.#guard(() => inner.append(bytes)),
      sync: () => this.#guard(() => inner.sync()),
      close: () => this.#guard(() => inner.close()),
    };
  }

  async #guard<T>(operation: () => Promise<T>): Promise<T> {
    if (!this.#countOperation()) return NEVER;
    const result = await operation();
    return this.#countOperation() ? result : NEVER;
  }

  #countOperation(): boolean {
    this.#left -= 1;
    if (this.#left === 0) this.#crash();
    return this.#left > 0;
  }
}

const NEVER = new Promise<never>(() => undefined);
