import type { Files } from '../core/ports.js';
import { CandleFileError } from '../market/candle-csv.js';

/** undefined where the path is no file. @throws CandleFileError for one that cannot be read */
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
