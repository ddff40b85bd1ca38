import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Files } from '../core/ports.js';
import { decodeArrow, encodeArrow } from './arrow-file.js';
import { CatalogError } from './catalog-error.js';
import { lengthOfRows, type Rows } from './columns.js';
import { gapsOf, rangesOf } from './coverage.js';
import { arrowPath, recordPath, type Dataset } from './dataset.js';
import { decodeRecord, encodeRecord, type FileState } from './dataset-record.js';

/** Reads of a file that another process replaces meanwhile. */
const READ_ATTEMPTS = 5;
/** A name that `Files.replace` gives to its unfinished file. */
const TEMPORARY = /\.[0-9a-f]{16}-\d+\.tmp$/;

/** Rows of a file, and the state that its record names. */
export interface StoredRows {
  readonly rows: Rows;
  readonly state: FileState;
}

/**
 * The files of a catalogue on the disk: each dataset is an Arrow file and a record of it. Both are replaced so that
 * a process that is killed between them leaves a dataset that can be read.
 */
export class DatasetFiles {
  readonly #folder: string;
  readonly #files: Files;

  constructor(folder: string, files: Files) {
    this.#folder = folder;
    this.#files = files;
  }

  /** Path of the Arrow file of a dataset. */
  pathOf(dataset: Dataset): string {
    return join(this.#folder, arrowPath(dataset));
  }

  /** The rows and the state of a file. @throws CatalogError for a damaged file */
  async read(dataset: Dataset): Promise<StoredRows | undefined> {
    const path = this.pathOf(dataset);
    for (let attempt = 1; ; attempt += 1) {
      const record = await this.#record(dataset);
      const bytes = await this.#files.read(path);
      if (bytes === undefined) return undefined;
      if (record === undefined) throw this.unrecorded(dataset);
      const sha256 = hash('sha256', bytes, 'hex');
      const state = [record.current, record.previous].find((each) => each?.sha256 === sha256);
      if (state) return { rows: await decodeArrow(dataset, bytes, path), state };
      // Another process may have replaced the file between the two reads.
      if (attempt === READ_ATTEMPTS)
        throw new CatalogError(
          `${path}: its checksum is not that of its record: the file was changed or damaged; sluice data verify names the command that repairs it`,
        );
    }
  }

  async #record(dataset: Dataset) {
    const bytes = await this.#files.read(join(this.#folder, recordPath(dataset)));
    return bytes === undefined ? undefined : decodeRecord(bytes);
  }

  /** The state that the record names for the Arrow file on the disk. */
  async stateOf(dataset: Dataset): Promise<FileState | undefined> {
    const record = await this.#record(dataset);
    if (record === undefined || record.previous === null) return record?.current;
    // A write was cut off: the Arrow file may be that of the previous state.
    const bytes = await this.#files.read(this.pathOf(dataset));
    const sha256 = bytes === undefined ? '' : hash('sha256', bytes, 'hex');
    return record.previous.sha256 === sha256 ? record.previous : record.current;
  }

  unrecorded(dataset: Dataset): CatalogError {
    return new CatalogError(
      `${this.pathOf(dataset)}: its record ${recordPath(dataset)} is missing or unreadable; sluice data verify names the command that repairs it`,
    );
  }

  /** Under the lock. `previous`: the state of the file so far; null: there is none. */
  async replace(
    dataset: Dataset,
    rows: Rows,
    sources: FileState['sources'],
    previous: FileState | null,
  ): Promise<FileState> {
    const bytes = await encodeArrow(dataset, rows);
    const ranges = rangesOf(dataset, rows);
    const state: FileState = {
      sha256: hash('sha256', bytes, 'hex'),
      bytes: bytes.length,
      rows: lengthOfRows(rows),
      ranges,
      gaps: gapsOf(dataset, ranges),
      sources,
    };
    await this.#saveRecord(dataset, state, previous);
    await this.#files.replace(this.pathOf(dataset), bytes);
    if (previous !== null) await this.#saveRecord(dataset, state, null);
    return state;
  }

  /** Under the lock. The Arrow file stays as it is. */
  saveState(dataset: Dataset, state: FileState): Promise<void> {
    return this.#saveRecord(dataset, state, null);
  }

  #saveRecord(dataset: Dataset, current: FileState, previous: FileState | null): Promise<void> {
    const path = join(this.#folder, recordPath(dataset));
    return this.#files.replace(path, encodeRecord({ current, previous }));
  }

  /** With `overwrite` a damaged file is renamed, and the new rows begin a new one. */
  async readOrSetAside(dataset: Dataset): Promise<StoredRows | undefined> {
    try {
      return await this.read(dataset);
    } catch (error) {
      if (!(error instanceof CatalogError)) throw error;
      const bytes = await this.#files.read(this.pathOf(dataset));
      if (bytes !== undefined) await this.#files.replace(`${this.pathOf(dataset)}.damaged`, bytes);
      return undefined;
    }
  }

  /** Unfinished files of a process that was killed: the lock proves that none writes now. */
  async removeTemporaries(dataset: Dataset): Promise<void> {
    const folder = join(this.#folder, dataset.kind);
    await this.#files.makeDirectory(folder);
    for (const name of await this.#files.list(folder))
      if (TEMPORARY.test(name)) await this.#files.remove(join(folder, name));
  }
}
