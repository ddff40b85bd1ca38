import { createHash } from 'node:crypto';
import { CandleFileError } from '../../market/candles/candle-file-error.js';
import type { FileChecksum, ForeignFile } from './foreign-file.js';

const SHA_256 = /^([0-9a-f]{64})(?:\s|$)/i;

/**
 * SHA-256 of a file, compared with its `.CHECKSUM` file where there is one (`<sha256>  <name>`).
 * @throws CandleFileError if they differ, or if the `.CHECKSUM` file holds no SHA-256
 */
export function checksumOf({ path, bytes, checksum }: ForeignFile): FileChecksum {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (checksum === undefined) return { sha256, isVerified: false };
  const expected = SHA_256.exec(new TextDecoder().decode(checksum).trim())?.[1]?.toLowerCase();
  if (expected === undefined) {
    throw new CandleFileError(
      `${path}.CHECKSUM: it holds no SHA-256; fetch it again, or move it away to import unverified`,
    );
  }
  if (expected !== sha256) {
    throw new CandleFileError(
      `${path}: its SHA-256 ${sha256.slice(0, 12)}… differs from ${expected.slice(0, 12)}… of ` +
        `${path}.CHECKSUM; the file is damaged or was replaced: fetch both again`,
    );
  }
  return { sha256, isVerified: true };
}
