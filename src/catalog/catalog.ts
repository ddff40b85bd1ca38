import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock, FileLocks, Files, Scheduler } from '../core/ports.js';
import { decodeArrow } from './arrow-file.js';
import { CatalogError } from './catalog-error.js';
import { withCatalogLock } from './catalog-lock.js';
import {
  columnsOfRows,
  lengthOfRows,
  rowsOfDataset,
  rowsWithin,
  type ColumnsOf,
  type Rows,
} from './columns.js';
import { endOf, type TimeRange } from './coverage.js';
import { DATASET_KINDS, datasetOf, datasetText, type Dataset } from './dataset.js';
import {
  answeredRanges,
  withSource,
  type DataSource,
  type FileState,
  type SourcePart,
} from './dataset-record.js';
import { DatasetFiles } from './dataset-files.js';
import { mergeRows, type RowConflict } from './merge.js';
import { rowFaults } from './row-fault.js';

export interface CatalogPorts {
  readonly files: Files;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Absent: the catalogue can only be read. */
  readonly locks?: FileLocks;
}

export interface WriteOptions {
  /** Replaces rows whose values differ. Default: such a write is refused. */
  readonly overwrite?: boolean;
  /** The files that the rows come from, if they are several. They are recorded instead of the source. */
  readonly parts?: readonly SourcePart[];
}

export interface WriteResult {
  readonly added: number;
  readonly replaced: number;
  /** Rows that were there with the same values. */
  readonly unchanged: number;
  readonly state: FileState;
}

/** The ranges, gaps and sources of a dataset. */
export interface Coverage extends FileState {
  /** Ranges that need no download: rows, and times that a venue has answered for. Ascending, disjoint. */
  readonly answered: readonly TimeRange[];
}

export interface CatalogEntry {
  readonly dataset: Dataset;
  /** Path of the Arrow file. */
  readonly path: string;
  /** undefined: the record of the file is missing or unreadable. */
  readonly state: FileState | undefined;
}

/**
 * The data catalogue: Arrow IPC files, one for each kind, symbol and interval, in a folder, each with a record of
 * its checksum, coverage and sources. Files are replaced whole, and one process writes at a time.
 */
export class DataCatalog {
  readonly folder: string;
  readonly #ports: CatalogPorts;
  readonly #datasets: DatasetFiles;

  constructor(folder: string, ports: CatalogPorts) {
    this.folder = folder;
    this.#ports = ports;
    this.#datasets = new DatasetFiles(folder, ports.files);
  }

  /** Path of the Arrow file of a dataset. */
  pathOf(dataset: Dataset): string {
    return this.#datasets.pathOf(dataset);
  }

  /**
   * Adds rows to a dataset. A row whose time is there already with other values is refused, unless
   * `overwrite` replaces it. The same write twice changes nothing. The columns may be empty: then the write records
   * the range for which the source has answered.
   *
   * @throws CatalogError for impossible rows, rows out of order, a conflict, or a damaged file
   */
  async write<D extends Dataset>(
    dataset: D,
    columns: ColumnsOf<D>,
    source: DataSource,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    const rows = rowsOfDataset(dataset, columns);
    const [fault] = rowFaults(dataset, rows, 1);
    if (fault !== undefined)
      throw new CatalogError(
        `${source.text}: ${datasetText(dataset)} at ${instant(fault.timeMs)}: ${fault.reason}; nothing was written`,
      );
    return withCatalogLock(this.folder, this.#ports, () =>
      this.#write(dataset, rows, source, options),
    );
  }

  /**
   * The rows with `fromMs` ≤ time < `toMs`; undefined for a dataset that the catalogue does not hold.
   * @throws CatalogError for a damaged file
   */
  async read<D extends Dataset>(
    dataset: D,
    fromMs = -Infinity,
    toMs = Infinity,
  ): Promise<ColumnsOf<D> | undefined> {
    const stored = await this.#datasets.read(dataset);
    if (stored === undefined) return undefined;
    return columnsOfRows(dataset, rowsWithin(stored.rows, fromMs, toMs));
  }

  /** Ranges, gaps and sources of a dataset; undefined if the catalogue does not hold it. */
  async coverage(dataset: Dataset): Promise<Coverage | undefined> {
    if (!(await this.#ports.files.exists(this.pathOf(dataset)))) return undefined;
    const state = await this.#datasets.stateOf(dataset);
    if (state === undefined) throw this.#datasets.unrecorded(dataset);
    return { ...state, answered: answeredRanges(state) };
  }

  /**
   * The rows of a file as they are on the disk, without a comparison of its checksum; undefined: no file.
   * @throws CatalogError for a file that is no whole Arrow file
   */
  async inspect(dataset: Dataset): Promise<{ rows: Rows; sha256: string } | undefined> {
    const path = this.pathOf(dataset);
    const bytes = await this.#ports.files.read(path);
    if (bytes === undefined) return undefined;
    return { rows: await decodeArrow(dataset, bytes, path), sha256: hash('sha256', bytes, 'hex') };
  }

  /** Every dataset, by kind, symbol and interval. Reads the records alone. */
  async list(): Promise<readonly CatalogEntry[]> {
    const entries: CatalogEntry[] = [];
    for (const kind of DATASET_KINDS) {
      for (const name of await this.#ports.files.list(join(this.folder, kind))) {
        const dataset = datasetOf(kind, name);
        if (dataset === undefined) continue;
        const state = await this.#datasets.stateOf(dataset);
        entries.push({ dataset, path: this.pathOf(dataset), state });
      }
    }
    return entries;
  }

  /** Under the lock. */
  async #write(
    dataset: Dataset,
    rows: Rows,
    source: DataSource,
    { overwrite = false, parts }: WriteOptions,
  ): Promise<WriteResult> {
    const datasets = this.#datasets;
    await datasets.removeTemporaries(dataset);
    const stored = await (overwrite ? datasets.readOrSetAside(dataset) : datasets.read(dataset));
    const merged = stored === undefined ? firstRows(rows) : mergeRows(dataset, stored.rows, rows);
    if (merged.conflict !== undefined && !overwrite)
      throw conflictError(dataset, source, merged.conflict, merged.conflicts);
    const { added, replaced, unchanged } = merged;
    const whole = { ...source, ...answeredRange(dataset, rows, source), rows: added + replaced };
    const importedMs = this.#ports.clock.utcMs();
    const sources = (parts ?? [whole]).reduce(
      (all, { text, sha256, fromMs, toMs, rows: given }) =>
        withSource(all, { text, sha256, fromMs, toMs, rows: given, importedMs }),
      stored?.state.sources ?? [],
    );
    if (stored === undefined || added > 0 || replaced > 0) {
      const previous = stored?.state ?? null;
      const state = await datasets.replace(dataset, merged.rows, sources, previous);
      return { added, replaced, unchanged, state };
    }
    const state = { ...stored.state, sources };
    if (sources !== stored.state.sources) await datasets.saveState(dataset, state);
    return { added, replaced, unchanged, state };
  }
}

const firstRows = (rows: Rows) => ({
  rows,
  added: lengthOfRows(rows),
  replaced: 0,
  unchanged: 0,
  conflict: undefined,
  conflicts: 0,
});

/** The range that the source answered for: at least that of its rows. */
function answeredRange(dataset: Dataset, [times]: Rows, { text, answered }: DataSource): TimeRange {
  const first = times[0] ?? answered?.fromMs;
  const last = times.at(-1);
  if (first === undefined) throw new CatalogError(`${text}: it holds no rows; nothing was written`);
  const own = { fromMs: first, toMs: last === undefined ? first : endOf(dataset, last) };
  if (answered === undefined) return own;
  return {
    fromMs: Math.min(own.fromMs, answered.fromMs),
    toMs: Math.max(own.toMs, answered.toMs),
  };
}

function conflictError(
  dataset: Dataset,
  source: DataSource,
  { timeMs, column, old, new: added }: RowConflict,
  count: number,
): CatalogError {
  const others = count === 1 ? '' : `, the first of ${count} rows that differ`;
  return new CatalogError(
    `${source.text}: ${datasetText(dataset)} at ${instant(timeMs)}: ${column} is ${added}, and the catalogue has ${old}${others}; nothing was written; --overwrite replaces them`,
  );
}

const instant = (ms: number): string =>
  Number.isFinite(ms) ? new Date(ms).toISOString() : `the time ${ms}`;
