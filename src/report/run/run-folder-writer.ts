import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../core/command-errors.js';
import type { Files, Folders, Random } from '../../core/ports.js';
import { systemText } from '../../core/system-error.js';

/** The file that makes a folder a run: it is written last. */
export const RESULT_FILE = 'result.json';
export const REPORT_FILE = 'report.html';
/** Files of an earlier run that a run in the same folder replaces or removes. */
export const RUN_FILES: readonly string[] = [
  RESULT_FILE,
  'trades.csv',
  'equity.csv',
  'fills.csv',
  REPORT_FILE,
];
/** Name of a folder that is being written, or was left by a process that was killed. */
const PARTIAL = '.partial-';

export const isPartialName = (name: string): boolean => name.includes(PARTIAL);

/** Content by file name, with `result.json`. */
export type RunFiles = ReadonlyMap<string, string | Uint8Array>;

export interface RunFolderPorts {
  readonly files: Files;
  readonly folders: Folders;
  readonly random: Random;
}

/**
 * Writes the folder of a run whole or not at all. A new folder is written beside its place and then renamed. In a
 * folder that exists, `result.json` goes first and comes last; files that belong to no run stay.
 */
export class RunFolderWriter {
  /** Where the files are written first. */
  readonly staging: string;
  readonly #folder: string;
  readonly #isNew: boolean;
  readonly #ports: RunFolderPorts;

  private constructor(folder: string, staging: string, isNew: boolean, ports: RunFolderPorts) {
    this.#folder = folder;
    this.staging = staging;
    this.#isNew = isNew;
    this.#ports = ports;
  }

  /**
   * Called before the run: a result that cannot be written would be lost.
   * @throws UsageError when the folder cannot be created
   */
  static async open(folder: string, ports: RunFolderPorts): Promise<RunFolderWriter> {
    const { files, random } = ports;
    const mark = `${PARTIAL}${Math.floor(random.next() * 2 ** 48).toString(36)}`;
    try {
      const isNew = !(await files.exists(folder));
      // Fails for a file of this name.
      if (!isNew) await files.makeDirectory(folder);
      const staging = isNew
        ? join(dirname(folder), `.${basename(folder)}${mark}`)
        : join(folder, mark);
      await files.makeDirectory(staging);
      return new RunFolderWriter(folder, staging, isNew, ports);
    } catch (cause) {
      const reason = cause instanceof Error ? systemText(cause) : String(cause);
      throw new UsageError(
        `${folder}: the folder of the run cannot be created: ${reason}; choose another with --out`,
        { cause },
      );
    }
  }

  /**
   * @param filesOf content for the folder of that name
   * @param isOwn the program chose the name: a folder that exists is not written to, the name gets a number
   * @returns the folder
   */
  async publish(filesOf: (folder: string) => RunFiles, isOwn: boolean): Promise<string> {
    const folder = this.#folder;
    if (!this.#isNew && !isOwn) {
      await this.#replaceIn(folder, filesOf(folder));
      return folder;
    }
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? folder : `${folder}-${count}`;
      const content = filesOf(name);
      await this.#write(this.staging, content);
      if (await this.#ports.folders.rename(this.staging, name)) return name;
      if (isOwn) continue;
      await this.#replaceIn(name, content);
      return name;
    }
  }

  /** Removes unpublished files. */
  discard(): Promise<void> {
    return this.#ports.folders.remove(this.staging);
  }

  async #replaceIn(folder: string, content: RunFiles): Promise<void> {
    for (const name of RUN_FILES) {
      if (name === RESULT_FILE || !content.has(name))
        await this.#ports.files.remove(join(folder, name));
    }
    await this.#write(folder, content);
  }

  async #write(folder: string, content: RunFiles): Promise<void> {
    const encoder = new TextEncoder();
    const last = (name: string): number => (name === RESULT_FILE ? 1 : 0);
    for (const [name, text] of [...content].sort(([a], [b]) => last(a) - last(b))) {
      const bytes = typeof text === 'string' ? encoder.encode(text) : text;
      await this.#ports.files.replace(join(folder, name), bytes);
    }
  }
}
