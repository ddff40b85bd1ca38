import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import {
  formatDuration,
  formatMoney,
  formatNumber,
  formatPercent,
  formatRatio,
  formatSignedPercent,
} from '../../../report/figure-format.js';
import type { Column, Row } from '../../../report/rows-table.js';
import { indexedRuns } from '../../../report/run/run-index.js';
import { matchesFilter, sortedRuns, type IndexedRun } from '../../../report/run/indexed-run.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import type { RunsOptions } from './runs-options.js';

type ListOptions = Extract<RunsOptions, { readonly what: 'list' }>;

const COLUMNS: readonly Column[] = [
  { key: 'run' },
  { key: 'hash' },
  { key: 'strategy' },
  { key: 'symbols' },
  { key: 'from' },
  { key: 'length', alignRight: true },
  { key: 'net', head: 'net profit', alignRight: true },
  { key: 'return', alignRight: true },
  { key: 'sharpe', alignRight: true },
  { key: 'drawdown', alignRight: true },
  { key: 'trades', alignRight: true },
];

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
        : `none of the ${runs.length} runs in ${directory} matches`;
    await printRows(io, shown.map(rowOf), { columns: COLUMNS, none, isDense: true });
    if (matching.length > shown.length)
      io.stdout(`${shown.length} of ${matching.length} runs; --limit 0 prints all\n`);
  }
  for (const { name, problem } of faults)
    io.stderr(`sluice: warning: ${oneLine(`${directory}/${name}`)}: ${oneLine(problem)}\n`);
  return EXIT.done;
}

const rowOf = (run: IndexedRun): Row => ({
  run: run.interrupted ? `${run.name} (interrupted)` : run.name,
  hash: run.run_hash.slice(0, 8),
  strategy: run.strategies[0] ?? '',
  symbols: `${run.symbols.join(' ')} ${run.interval}`,
  from: run.from.slice(0, 10),
  length: formatDuration(run.days),
  net: formatMoney(Number(run.net_profit), run.currency),
  return: formatSignedPercent(run.return_pct),
  sharpe: formatRatio(run.sharpe),
  drawdown: formatPercent(run.max_drawdown_pct),
  trades: formatNumber(run.trades, 0),
});
