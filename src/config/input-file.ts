import type { Files } from '../core/ports.js';
import { ConfigError } from '../core/command-errors.js';

/**
 * Reads a file that the command line or a configuration names.
 * @param hint added to the message when the file does not exist
 * @throws ConfigError when it is missing or cannot be read
 */
export async function readInputFile(path: string, files: Files, hint = ''): Promise<Uint8Array> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await files.read(path);
  } catch (cause) {
    throw new ConfigError([`${path}: the file cannot be read: ${reasonOf(cause)}`], { cause });
  }
  if (bytes === undefined) throw new ConfigError([`${path}: there is no such file${hint}`]);
  return bytes;
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  return cause instanceof Error ? cause.message : String(cause);
}
