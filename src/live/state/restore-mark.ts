import type { Files, Logger } from '../../core/ports.js';

/** Present from a restore until the next run trades. */
export const restoreMarkIn = (stateDir: string): string => `${stateDir}/restored.json`;

/** Says at a start that the journal is that of a backup. */
export async function logRestore(
  files: Pick<Files, 'read'>,
  stateDir: string,
  logger: Logger,
): Promise<void> {
  const bytes = await files.read(restoreMarkIn(stateDir));
  if (bytes === undefined) return;
  logger.warn(
    { mark: new TextDecoder().decode(bytes).trim() },
    'this state was restored from a backup: orders since then are not in its journal. The start compares positions, ' +
      'open orders and the order history with the venue before it trades',
  );
}

export const removeRestoreMark = (files: Pick<Files, 'remove'>, stateDir: string): Promise<void> =>
  files.remove(restoreMarkIn(stateDir));
