import { UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { loadConfig } from '../../../config/config.js';
import { countText } from '../../../core/terminal-text.js';
import { nodeGzip } from '../../../io/node/node-gzip.js';
import { restoreBackup, writeBackup } from '../../../live/backup/backup-file.js';
import type { Io } from '../../command-io.js';
import { findTarget, requireJournal } from '../../operator-target.js';
import type { BackupOptions, RestoreOptions } from './backup-options.js';

/** Writes a backup of a state folder. @throws UsageError, LogCorruptError */
export async function backupCommand(options: BackupOptions, io: Io): Promise<number> {
  const target = await findTarget(options, io);
  requireJournal(target);
  const { stateDir } = target;
  const parts = { files: io.files, gzip: nodeGzip, utcMs: io.clock.utcMs() };
  const { account, records, files, created } = await writeBackup(stateDir, options.out, parts);
  const summary = { file: options.out, state_dir: stateDir, account, records, created };
  if (options.json) io.stdout(`${JSON.stringify({ ...summary, files })}\n`);
  else
    io.stdout(
      `${options.out}: ${countText(files.length, 'file')} of account ${account}, ${countText(records, 'journal record')}\n`,
    );
  return EXIT.done;
}

/** Fills an empty state folder. @throws UsageError, ConfigError, SafetyRefusal */
export async function restoreCommand(options: RestoreOptions, io: Io): Promise<number> {
  const { file, into, config: path } = options;
  const config = path === undefined ? undefined : await loadConfig(path, io.files);
  const stateDir = into ?? config?.stateDir;
  if (stateDir === undefined) {
    throw new UsageError('name the folder with --into, or the configuration with --config');
  }
  const target = { stateDir, ...(config !== undefined && { account: config.account }) };
  const parts = { files: io.files, utcMs: io.clock.utcMs() };
  const { account, created, records } = await restoreBackup(file, target, parts);
  if (options.json) {
    io.stdout(`${JSON.stringify({ state_dir: stateDir, account, created, records })}\n`);
  } else {
    io.stdout(
      `${stateDir}: account ${account} as of ${created}, ${countText(records, 'journal record')}. ` +
        'Orders since then are not in it: the next start compares the account with the venue before it trades\n',
    );
  }
  return EXIT.done;
}
