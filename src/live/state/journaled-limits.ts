import type { Files } from '../../core/ports.js';
import { recoverLimitChanges } from '../../execution/recovery/recovered-limits.js';
import type { LimitChange } from '../../risk/catalog/limit-changes.js';
import { readJournal } from '../plan/read-journal.js';
import { readPendingCommands } from './pending-commands.js';

/** Limits that a person tightened and that the next start applies, the oldest change first. */
export async function readLimitChanges(
  stateDir: string,
  files: Files,
): Promise<readonly LimitChange[]> {
  const journaled = recoverLimitChanges((await readJournal(files, stateDir)) ?? []);
  const pending = (await readPendingCommands(files, stateDir)).flatMap(({ command }) =>
    command.kind === 'tighten'
      ? Object.entries(command.limits).map(([key, value]) => ({
          key,
          value,
          reason: command.reason,
        }))
      : [],
  );
  return [...journaled, ...pending];
}
