import { LINE_CLEAR, LINE_START, styled } from '../core/terminal-text.js';
import { marketsOf, type BacktestPlan } from '../backtest/plan.js';
import { reportOf, type BacktestResult, type Reported } from '../backtest/result.js';
import { runBacktest } from '../backtest/run.js';
import { equityCsv, resultJson, tradesCsv } from '../report/run-folder.js';
import { sparkline } from '../report/sparkline.js';
import { summaryTable } from '../report/summary-table.js';
import { planBacktest } from './backtest-plan.js';
import type { BacktestOptions, Io } from './command-options.js';
import { EXIT } from './exit-code.js';
import { StartError, UsageError } from './failure.js';
import { systemText } from './system-error.js';

const SPARKLINE_WIDTH = 48;
/** A longer curve is thinned in `equity.csv`. */
const MAX_EQUITY_ROWS = 50_000;

/** Runs a strategy over history and writes the run's folder. */
export async function backtestCommand(options: BacktestOptions, io: Io): Promise<number> {
  const startedAt = io.clock.monotonicMs();
  const { plan, name, origin, warnings } = await planBacktest(options, io);
  for (const warning of warnings) io.stderr(`sluice: warning: ${warning}\n`);
  const folder = options.out ?? `backtests/${stampOf(io.clock.utcMs())}-${name}`;
  // Before the work: a result that cannot be written is lost.
  await makeFolder(folder, io);
  const loadedAt = io.clock.monotonicMs();
  const run = runBacktest({ ...plan, ...progressOf(plan, io) });
  const endedAt = io.clock.monotonicMs();
  clearProgress(io);
  const { haltReason } = run.engine;
  if (haltReason !== undefined) throw new StartError(`the backtest was halted: ${haltReason}`);
  const reported = reportOf(plan, run, {
    run: folder,
    engineMs: endedAt - loadedAt,
    loadMs: loadedAt - startedAt,
  });
  await writeFolder(folder, reported, io);
  if (options.json) io.stdout(`${JSON.stringify(reported.result)}\n`);
  else io.stdout(textOf(reported, plan, origin, io));
  for (const note of run.notes.slice(0, MAX_NOTES)) io.stderr(`${note.level}: ${note.text}\n`);
  if (run.notes.length > MAX_NOTES) {
    io.stderr(`… and ${run.notes.length - MAX_NOTES} more of this kind\n`);
  }
  return EXIT.done;
}

const MAX_NOTES = 5;

async function makeFolder(folder: string, io: Io): Promise<void> {
  try {
    await io.files.makeDirectory(folder);
  } catch (cause) {
    const reason = cause instanceof Error ? systemText(cause) : String(cause);
    throw new UsageError(`${folder}: the folder of the run cannot be made: ${reason}; see --out`, {
      cause,
    });
  }
}

async function writeFolder(folder: string, reported: Reported, io: Io): Promise<void> {
  const encoder = new TextEncoder();
  const files: readonly (readonly [string, string])[] = [
    ['result.json', resultJson(reported.result)],
    ['trades.csv', tradesCsv(reported.trades)],
    ['equity.csv', equityCsv(reported.curve, MAX_EQUITY_ROWS)],
  ];
  for (const [file, text] of files) {
    await io.files.replace(`${folder}/${file}`, encoder.encode(text));
  }
}

function textOf({ result, curve }: Reported, plan: BacktestPlan, origin: string, io: Io): string {
  const colour = io.isTerminal && io.env['NO_COLOR'] === undefined;
  const title = `${plan.seat.id} on ${plan.seat.symbols.join(', ')} ${plan.seat.interval}, ${origin}`;
  const line = sparkline(curve.equity, { width: SPARKLINE_WIDTH, length: curve.length });
  return `${styled(summaryTable(shown(result), { colour, title }))}\nequity ${line}\n${explanation(result)}files  ${result.run}/{result.json,trades.csv,equity.csv}\n`;
}

function shown(result: BacktestResult) {
  const { run: _run, report: _report, refused_by, would_refuse, ...rest } = result;
  return { ...rest, refused_by: countsText(refused_by), would_refuse: countsText(would_refuse) };
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([control, count]) => `${control} ${count}`)
    .join(', ') || 'none';

/** "Nothing happened" explains itself. */
function explanation(result: BacktestResult): string {
  if (result.fills > 0) return '';
  if (result.refused === 0)
    return 'no order was wanted: the strategy gave no signal in this range\n';
  return `no order was placed: ${result.refused} intents were refused by ${countsText(result.refused_by)}\n`;
}

function progressOf(plan: BacktestPlan, io: Io): Pick<BacktestPlan, 'progress'> {
  if (!io.isTerminal) return {};
  const length = Math.max(...marketsOf(plan).map(({ columns }) => columns.length));
  return {
    progress: (done) => {
      io.stderr(`${LINE_START}${Math.round((done / length) * 100)} % of ${length} candles`);
    },
  };
}

function clearProgress(io: Io): void {
  if (io.isTerminal) io.stderr(LINE_CLEAR);
}

const stampOf = (utcMs: number): string =>
  new Date(utcMs).toISOString().slice(0, 19).replaceAll(':', '-');
