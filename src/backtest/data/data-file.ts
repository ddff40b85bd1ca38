import type { Files } from '../../core/ports.js';
import { CandleFileError } from '../../market/candles/candle-csv.js';

/**
 * Reads a file of candles or funding rates.
 * @returns undefined when the path is a folder or does not exist: the caller then lists it as a folder
 * @throws CandleFileError for an unreadable file
 */
export async function readIfFile(path: string, files: Files): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR') return undefined;
    throw new CandleFileError(`${path}: the file cannot be read: ${String(error)}`, {
      cause: error,
    });
  }
}
