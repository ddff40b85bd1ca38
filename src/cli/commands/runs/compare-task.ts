import { EXIT } from '../../../core/exit-code.js';
import { compareRuns } from '../../../report/run/run-comparison.js';
import {
  comparedCells,
  comparedColumns,
  figureText,
  inputText,
} from '../../../report/run/comparison-text.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import { findRuns } from '../../../report/run/find-run.js';
import type { RunsOptions } from './runs-options.js';

type CompareOptions = Extract<RunsOptions, { readonly what: 'compare' }>;

/** Prints the inputs that differ and the figures, one column for each run. */
export async function compareRunsTask(options: CompareOptions, io: Io): Promise<number> {
  const { runs: given, directory, json } = options;
  const runs = await findRuns(given, directory, io);
  const comparison = compareRuns(runs.map(({ result }) => result));
  if (json) {
    const names = runs.map(({ name, folder, result }) => ({
      name,
      folder,
      run_hash: result.run_hash,
    }));
    printJson(io, { runs: names, ...comparison });
    return EXIT.done;
  }
  const letters = runs.map((_, index) => String.fromCharCode('A'.charCodeAt(0) + index));
  for (const [index, { name, result }] of runs.entries())
    io.stdout(`${letters[index]}  ${name}  ${result.run_hash.slice(0, 8)}\n`);
  if (comparison.same) io.stdout('Inputs and results are the same to the last digit.\n');
  io.stdout('\nInputs that differ\n');
  const columns = comparedColumns(letters);
  await printRows(
    io,
    comparison.inputs.map((row) => comparedCells(row, letters, inputText)),
    {
      columns,
      none: 'none',
      isDense: true,
    },
  );
  io.stdout('\nResults\n');
  await printRows(
    io,
    comparison.results.map((row) => comparedCells(row, letters, figureText)),
    {
      columns,
      none: 'none',
      isDense: true,
    },
  );
  return EXIT.done;
}
