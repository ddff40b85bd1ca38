import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import { readTables } from '../../../report/run/run-reader.js';
import { runHashOf } from '../../../report/run/run-hash.js';
import { runLines } from '../../../report/run/run-text.js';
import type { Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import { findRun } from '../../../report/run/find-run.js';
import type { RunsOptions } from './runs-options.js';

type ShowOptions = Extract<RunsOptions, { readonly what: 'show' }>;

/**
 * Prints one run, and whether its hash still follows from its files.
 * @returns 1 when a file was changed after the run
 */
export async function showRun({ run, directory, json }: ShowOptions, io: Io): Promise<number> {
  const found = await findRun(run, directory, io);
  const { folder, result } = found;
  const tables = await readTables(folder, io.files);
  const verified = tables !== undefined && runHashOf(result, tables) === result.run_hash;
  if (json) printJson(io, { ...result, folder, hash_verified: verified });
  else io.stdout(`${runLines(found, verified).map(oneLine).join('\n')}\n`);
  if (!verified) io.stderr(`sluice: ${oneLine(folder)}: ${changedText(tables !== undefined)}\n`);
  return verified ? EXIT.done : EXIT.failed;
}

const changedText = (hasTables: boolean): string =>
  hasTables
    ? 'the hash does not follow from the files: one was changed after the run; run the repeat command'
    : 'trades.csv, equity.csv or fills.csv is missing; run the repeat command';
