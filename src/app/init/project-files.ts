import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A person's own files: unlike state, they are for whoever the umask says. */
export const projectFiles = {
  /** Names in a folder; undefined when it is not there. */
  async list(folder: string): Promise<readonly string[] | undefined> {
    try {
      return await readdir(folder);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  },

  read: (path: string): Promise<string> => readFile(path, 'utf8'),

  async readIfThere(path: string): Promise<string | undefined> {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  },

  /** false, and nothing written, when the file is there already. */
  async writeNew(path: string, text: string): Promise<boolean> {
    await mkdir(dirname(path), { recursive: true });
    try {
      await writeFile(path, text, { flag: 'wx' });
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  },
};

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
