import { UsageError } from '../../../core/command-errors.js';
import { oneLine } from '../../../core/terminal-text.js';
import type { Io } from '../../command-io.js';

/** Writes a new file. @throws UsageError when it exists */
export async function writeNewFile(path: string, text: string, io: Io): Promise<void> {
  const isNew = await io.files.createExclusive(path, new TextEncoder().encode(text));
  if (!isNew) throw new UsageError(`${path} exists already: name another file with --out`);
}

/** One warning a line, on standard error. */
export function warn(problems: readonly string[], io: Io): void {
  for (const problem of problems) io.stderr(`sluice: warning: ${oneLine(problem)}\n`);
}
