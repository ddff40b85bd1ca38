import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { CacheFiles, Clock, Files, FileStamp } from '../../core/ports.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import { parseCandleFile } from '../../market/candles/candle-csv.js';
import {
  decodeCacheRecord,
  encodeCacheRecord,
  isUnchanged,
  type CacheRecord,
} from './cache-record.js';
import { cacheSettings, type CacheSettings } from './cache-settings.js';
import { decodeColumns, encodeColumns, type ColumnState } from './column-file.js';

/** Raised with every change of the files, and of the values that the parser makes of a text. */
const FORM = 1;
/** A smaller file is parsed faster than its entry is found and written. */
const LEAST_BYTES = 262_144;
/** A write of another process takes seconds: an older unfinished file was left behind. */
const UNFINISHED_MS = 3_600_000;
const UNFINISHED = /\.tmp$/;

export type VolumeColumn = 'required' | 'optional';

/** Candles of a file, and the file as it is on the disk. */
export interface CandlesOfFile {
  readonly columns: CandleColumns;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

interface CachePorts {
  readonly files: Pick<Files, 'read'>;
  readonly cacheFiles: CacheFiles;
  readonly clock: Clock;
  /** Version of the program: another one may parse a file in another way. */
  readonly version: string;
}

/**
 * Candle files in parsed form. An entry is an Arrow IPC file and a record; it is found by the absolute path of the
 * source and counts while the source has the same stamp, or else the same SHA-256. Entries are replaced whole, and
 * processes that write the same entry write the same bytes. A fault of the cache is a note, never a failure: the file
 * is then parsed.
 */
export class CandleCache {
  /** Faults of the cache, for display. */
  readonly notes: string[] = [];
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #ports: CachePorts;

  constructor({ folder, maxBytes }: CacheSettings, ports: CachePorts) {
    this.#folder = join(folder, 'candles');
    this.#maxBytes = maxBytes;
    this.#ports = ports;
  }

  /**
   * The candles of a CSV file, plain or gzip.
   * @returns undefined for a file that the cache does not take: a small one, a folder or none
   * @throws CandleFileError for a file that is no valid series
   */
  async read(path: string, volume: VolumeColumn): Promise<CandlesOfFile | undefined> {
    // A path that cannot be examined cannot be read either: the caller's read says so.
    const stamp = await this.#ports.cacheFiles.stampOf(path).catch(() => undefined);
    if (stamp === undefined || stamp.bytes < LEAST_BYTES) return undefined;
    const entry = this.#entryOf(path, volume);
    let record = await this.#attempt('read', () => this.#record(entry));
    if (record !== undefined && isUnchanged(record, stamp)) {
      const columns = await this.#columns(entry, record.columns);
      if (columns !== undefined) return found(columns, record);
      // Its columns are gone or damaged, so they are not read a second time.
      record = undefined;
    }
    return this.#readSource({ path, volume, stamp, entry, record });
  }

  async #readSource({
    path,
    volume,
    stamp,
    entry,
    record,
  }: Miss): Promise<CandlesOfFile | undefined> {
    const { files, clock } = this.#ports;
    const readMs = clock.utcMs();
    const bytes = await files.read(path);
    if (bytes === undefined) return undefined;
    const sha256 = hash('sha256', bytes, 'hex');
    const source = { ...stamp, bytes: bytes.length, sha256, readMs };
    const kept = record?.source.sha256 === sha256 ? record.columns : undefined;
    const known = kept && (await this.#columns(entry, kept));
    const columns = known ?? (await parseCandleFile(bytes, path, { volume }));
    await this.#attempt('written', async () => {
      const now = await this.#ports.cacheFiles.stampOf(path);
      // It changed while it was read: which of its states was read is not known.
      if (now?.identity !== stamp.identity) return;
      const state = known === undefined ? await this.#store(entry, columns) : kept;
      if (state === undefined) return;
      const next = encodeCacheRecord({ path: resolve(path), source, columns: state });
      await this.#ports.cacheFiles.write(entry.record, [next]);
      await this.#evict(entry);
    });
    return { columns, sha256, bytes: bytes.length };
  }

  /** @returns undefined for columns that are larger than the whole cache */
  async #store(entry: Entry, columns: CandleColumns): Promise<ColumnState | undefined> {
    const { parts, state } = encodeColumns(columns);
    if (state.bytes > this.#maxBytes) return undefined;
    await this.#ports.cacheFiles.write(entry.columns, parts);
    return state;
  }

  #entryOf(path: string, volume: VolumeColumn): Entry {
    const key = [FORM, this.#ports.version, volume, resolve(path)].join('\n');
    const name = hash('sha256', key, 'hex').slice(0, 32);
    const stem = join(this.#folder, name);
    return { name, columns: `${stem}.arrow`, record: `${stem}.json` };
  }

  async #record(entry: Entry): Promise<CacheRecord | undefined> {
    const bytes = await this.#ports.cacheFiles.read(entry.record);
    if (bytes === undefined) return undefined;
    const record = decodeCacheRecord(bytes);
    if (record === undefined) this.notes.push(`${entry.record}: it is damaged, and is made again`);
    return record;
  }

  async #columns(entry: Entry, state: ColumnState): Promise<CandleColumns | undefined> {
    const { cacheFiles, clock } = this.#ports;
    const memory = await this.#attempt('read', () => cacheFiles.read(entry.columns));
    if (memory === undefined) return undefined;
    const columns = decodeColumns(memory, state);
    if (columns === undefined)
      this.notes.push(`${entry.columns}: it is damaged, and is made again`);
    else
      await this.#attempt('marked as used', () => cacheFiles.touch(entry.columns, clock.utcMs()));
    return columns;
  }

  /** Removes the entries that were not used for longest, until the rest keeps the limit. */
  async #evict(own: Entry): Promise<void> {
    const { cacheFiles, clock } = this.#ports;
    const present = await cacheFiles.list(this.#folder);
    const ascending = [...present].sort((one, other) => one.usedMs - other.usedMs);
    let total = present.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { name, bytes, usedMs } of ascending) {
      const isUnfinished = UNFINISHED.test(name);
      const isLeft = isUnfinished && usedMs + UNFINISHED_MS < clock.utcMs();
      const isOver =
        total > this.#maxBytes && name.endsWith('.arrow') && !name.startsWith(own.name);
      if (!isLeft && !isOver) continue;
      await cacheFiles.remove(join(this.#folder, name));
      if (isOver) await cacheFiles.remove(join(this.#folder, name.replace(/arrow$/, 'json')));
      total -= bytes;
    }
  }

  async #attempt<T>(done: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.notes.push(`${this.#folder}: the cache of candles cannot be ${done}: ${reason}`);
      return undefined;
    }
  }
}

/** The ports and settings of a process, for its cache. */
export interface CacheProcess extends Omit<CachePorts, 'cacheFiles' | 'version'> {
  readonly cacheFiles?: CacheFiles;
  readonly version?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The cache that the environment names; undefined: none. @throws UsageError for an impossible limit */
export function candleCacheOf({
  cacheFiles,
  files,
  clock,
  version = 'unknown',
  env,
}: CacheProcess): CandleCache | undefined {
  const settings = cacheFiles && cacheSettings(env);
  return settings && new CandleCache(settings, { files, cacheFiles, clock, version });
}

/** The files of one source. */
interface Entry {
  readonly name: string;
  readonly columns: string;
  readonly record: string;
}

interface Miss {
  readonly path: string;
  readonly volume: VolumeColumn;
  readonly stamp: FileStamp;
  readonly entry: Entry;
  readonly record: CacheRecord | undefined;
}

const found = (columns: CandleColumns, { source }: CacheRecord): CandlesOfFile => ({
  columns,
  sha256: source.sha256,
  bytes: source.bytes,
});
