import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Files of a user's project. Unlike state files, their mode follows the umask. */
export const projectFiles = {
  /** Names in a folder; undefined when the folder does not exist. */
  async list(folder: string): Promise<readonly string[] | undefined> {
    try {
      return await readdir(folder);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  },

  read: (path: string): Promise<string> => readFile(path, 'utf8'),

  async readIfExists(path: string): Promise<string | undefined> {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  },

  /** @returns false, without writing, when the file exists */
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
