import type { VolumeColumn } from '../../catalog/cache/candle-cache.js';
import type { Files } from '../../core/ports.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import { parseCandleFile } from '../../market/candles/candle-csv.js';
import { readIfFile } from './data-file.js';

/** Files, with a cache of parsed candle files. */
export interface CandleFiles extends Files {
  /** The candles of a file; undefined: the cache does not take the file, or there is none. */
  readonly candles?: (path: string, volume: VolumeColumn) => Promise<CandleColumns | undefined>;
}

/**
 * The candles of a CSV file, plain or gzip.
 * @param volume `optional` for mark prices, which have none
 * @returns undefined when the path is a folder or does not exist
 * @throws CandleFileError for a file that is unreadable or no valid series
 */
export async function readCandleFile(
  path: string,
  files: CandleFiles,
  volume: VolumeColumn = 'required',
): Promise<CandleColumns | undefined> {
  const cached = await files.candles?.(path, volume);
  if (cached !== undefined) return cached;
  const bytes = await readIfFile(path, files);
  return bytes === undefined ? undefined : parseCandleFile(bytes, path, { volume });
}
