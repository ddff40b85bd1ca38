import type { Files } from '../../core/ports.js';
import type { TarEntry } from './tar.js';

/** Reads the copy of a folder in memory, under the paths of the original. */
export class CopiedFiles implements Pick<Files, 'read' | 'list' | 'exists'> {
  readonly #contents: ReadonlyMap<string, Uint8Array>;

  constructor(directory: string, entries: readonly TarEntry[]) {
    this.#contents = new Map(entries.map(({ path, bytes }) => [`${directory}/${path}`, bytes]));
  }

  read(path: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#contents.get(path));
  }

  exists(path: string): Promise<boolean> {
    return Promise.resolve(this.#contents.has(path));
  }

  list(directory: string): Promise<readonly string[]> {
    const start = `${directory}/`;
    const below = [...this.#contents.keys()].filter((path) => path.startsWith(start));
    return Promise.resolve(
      below
        .map((path) => path.slice(start.length))
        .filter((name) => !name.includes('/'))
        .sort(),
    );
  }
}
