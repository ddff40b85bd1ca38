import { EXIT } from '../../../core/exit-code.js';
import { countText, oneLine } from '../../../core/terminal-text.js';
import { indexedRuns } from '../../../report/run/run-index.js';
import { matchesFilter, sortedRuns } from '../../../report/run/indexed-run.js';
import { RUN_COLUMNS, runRow } from '../../../report/run/run-text.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import type { RunsOptions } from './runs-options.js';

type ListOptions = Extract<RunsOptions, { readonly what: 'list' }>;

/** Prints the runs of a folder that match the filter. */
export async function listRuns(options: ListOptions, io: Io): Promise<number> {
  const { directory, filter, order, limit, json } = options;
  const { runs, faults } = await indexedRuns(directory, io);
  const matching = sortedRuns(
    runs.filter((run) => matchesFilter(run, filter)),
    order,
  );
  const shown = limit === 0 ? matching : matching.slice(0, limit);
  if (json)
    printJson(io, {
      directory,
      total: runs.length,
      matching: matching.length,
      runs: shown,
      faults,
    });
  else {
    const none =
      runs.length === 0
        ? `no run in ${directory}: sluice backtest makes one`
        : `no run of ${runs.length} in ${directory} matches the filter`;
    await printRows(io, shown.map(runRow), { columns: RUN_COLUMNS, none, isDense: true });
    if (matching.length > shown.length)
      io.stdout(`${shown.length} of ${countText(matching.length, 'run')}; --limit 0 prints all\n`);
  }
  for (const { name, problem } of faults)
    io.stderr(`sluice: warning: ${oneLine(`${directory}/${name}`)}: ${oneLine(problem)}\n`);
  return EXIT.done;
}
