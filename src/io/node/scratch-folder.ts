import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A private folder below the system's temporary folder. */
export interface ScratchFolder {
  readonly path: string;
  /** Writes a file that only this user can read. @returns its path */
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

export async function makeScratchFolder(prefix: string): Promise<ScratchFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  return {
    path,
    async write(name, text) {
      const file = join(path, name);
      await writeFile(file, text, { mode: 0o600 });
      return file;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
