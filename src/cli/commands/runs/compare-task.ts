import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import { compareRuns } from '../../../report/run/run-comparison.js';
import {
  comparedCells,
  comparedColumns,
  figureText,
  inputText,
} from '../../../report/run/comparison-text.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import { findRuns, type FoundRun } from '../../../report/run/find-run.js';
import { openReport } from '../../report-page-file.js';
import { writeComparison } from './comparison-page.js';
import type { RunsOptions } from './runs-options.js';

type CompareOptions = Extract<RunsOptions, { readonly what: 'compare' }>;

/** Prints the inputs that differ and the figures, one column for each run. Writes them as a page too, if asked to. */
export async function compareRunsTask(options: CompareOptions, io: Io): Promise<number> {
  const { runs: given, directory, json, html } = options;
  const runs = await findRuns(given, directory, io);
  // First: a page that was asked for and cannot be written is no success.
  if (html !== undefined) await writeComparison(html, runs, io);
  if (json) printJson(io, { ...comparisonJson(runs), ...(html !== undefined && { page: html }) });
  else await printComparison(runs, html, io);
  if (html !== undefined && options.open) await openReport(html, io);
  return EXIT.done;
}

function comparisonJson(runs: readonly FoundRun[]): object {
  const names = runs.map(({ name, folder, result }) => ({
    name,
    folder,
    run_hash: result.run_hash,
  }));
  return { runs: names, ...compareRuns(runs.map(({ result }) => result)) };
}

async function printComparison(
  runs: readonly FoundRun[],
  html: string | undefined,
  io: Io,
): Promise<void> {
  const comparison = compareRuns(runs.map(({ result }) => result));
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
  if (html !== undefined) io.stdout(`\nThe page is ${oneLine(html)}\n`);
}
