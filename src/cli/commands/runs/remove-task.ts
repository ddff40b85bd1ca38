import { join } from 'node:path';
import { UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import { RESULT_FILE, RUN_FILES } from '../../../report/run/run-folder-writer.js';
import type { Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import { findRuns } from '../../../report/run/find-run.js';
import type { RunsOptions } from './runs-options.js';

type RemoveOptions = Extract<RunsOptions, { readonly what: 'rm' }>;

interface Removal {
  readonly run: string;
  readonly folder: string;
  /** Files of no run, which stay. */
  readonly kept: readonly string[];
}

/** Removes the files of runs. @throws UsageError without `--yes`, or when one of the runs is unknown */
export async function removeRuns(options: RemoveOptions, io: Io): Promise<number> {
  const runs = await findRuns(options.runs, options.directory, io);
  const folders = [...new Set(runs.map(({ folder }) => folder))];
  if (!options.yes)
    throw new UsageError(`nothing was removed; --yes removes ${folders.map(oneLine).join(', ')}`);
  const removed: Removal[] = [];
  for (const folder of folders) removed.push(await removeRun(folder, io));
  if (options.json) printJson(io, { removed });
  else {
    for (const { folder, kept } of removed) {
      const rest = kept.length === 0 ? '' : `; it keeps ${kept.join(', ')}`;
      io.stdout(`${oneLine(`removed ${folder}${rest}`)}\n`);
    }
  }
  return EXIT.done;
}

/** The result goes first: without it a folder is no run. */
async function removeRun(folder: string, { files, folders }: Io): Promise<Removal> {
  await files.remove(join(folder, RESULT_FILE));
  for (const name of RUN_FILES) await files.remove(join(folder, name));
  const kept = await files.list(folder);
  if (kept.length === 0) await folders.remove(folder);
  return { run: folder.replace(/^.*[/\\]/, ''), folder, kept };
}
