import { EXIT } from '../../../core/exit-code.js';
import { isPlainDecimal } from '../../../core/fixed/decimal.js';
import { formatNumber } from '../../../report/figure-format.js';
import type { Column, Row } from '../../../report/rows-table.js';
import { compareRuns, type ComparedRow } from '../../../report/run/run-comparison.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import { findRuns } from './find-run.js';
import type { RunsOptions } from './runs-options.js';

type CompareOptions = Extract<RunsOptions, { readonly what: 'compare' }>;

/** Characters of an input in the table. */
const MAX_CELL = 28;

/** Prints the inputs that differ and the figures, one column for each run. */
export async function compareTask(options: CompareOptions, io: Io): Promise<number> {
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
  const columns = columnsOf(letters);
  await printRows(
    io,
    comparison.inputs.map((row) => cellsOf(row, letters, inputText)),
    {
      columns,
      none: 'none',
      isDense: true,
    },
  );
  io.stdout('\nResults\n');
  await printRows(
    io,
    comparison.results.map((row) => cellsOf(row, letters, figureText)),
    {
      columns,
      none: 'none',
      isDense: true,
    },
  );
  return EXIT.done;
}

const columnsOf = (letters: readonly string[]): readonly Column[] => [
  { key: 'key', head: '' },
  ...letters.map((key) => ({ key, alignRight: true })),
];

const cellsOf = (
  { key, values, differs }: ComparedRow,
  letters: readonly string[],
  textOf: (value: unknown) => string,
): Row => ({
  key: differs ? key : `${key} =`,
  ...Object.fromEntries(values.map((value, index) => [letters[index] ?? '', textOf(value)])),
});

function inputText(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1)}…` : text;
}

const PLACES = 4;

/** Exact money and ratios in four places; whole numbers as they are. */
function figureText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' && !isPlainDecimal(value) && !/^-\d/.test(value)) return value;
  const number = Number(value);
  return formatNumber(number, Number.isInteger(number) ? 0 : PLACES);
}
