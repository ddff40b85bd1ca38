import { CommandFailure } from '../../core/command-errors.js';
import { EXIT } from '../../core/exit-code.js';
import type { FileLock, FileLocks, Files } from '../../core/ports.js';

/** Another recorder writes the catalogue. */
export class RecorderHeldError extends CommandFailure {
  override readonly name = 'RecorderHeldError';
  readonly exitCode = EXIT.held;
}

/**
 * The lock of the recorder of a catalogue. The system ends it with its process.
 * @param folder of the recorder's own files
 * @throws RecorderHeldError
 */
export async function lockRecorder(
  folder: string,
  files: Pick<Files, 'makeDirectory' | 'exists' | 'createExclusive'>,
  locks: FileLocks,
): Promise<FileLock> {
  const path = `${folder}/recorder.lock`;
  await files.makeDirectory(folder);
  // An existing file must only be opened to lock it.
  if (!(await files.exists(path))) await files.createExclusive(path, new Uint8Array());
  const lock = await locks.exclusive(path);
  if (lock !== undefined) return lock;
  throw new RecorderHeldError(
    `${folder}: another recorder writes this catalogue; stop it, add its symbols to that one, or choose another folder with --catalog`,
  );
}
