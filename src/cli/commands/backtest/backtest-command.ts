import { leverageFailureOf } from '../../../engine/start-failure.js';
import { LINE_CLEAR, LINE_START } from '../../../core/terminal-text.js';
import { marketsOf, type BacktestPlan } from '../../../backtest/plan.js';
import type { Heartbeat } from '../../../backtest/heartbeat.js';
import { equityBounds } from '../../../backtest/equity-bounds.js';
import { reportOf, type BacktestReport } from '../../../backtest/result.js';
import { runBacktest } from '../../../backtest/run.js';
import { equityCsv, resultJson, tradesCsv } from '../../../report/run-folder.js';
import { planBacktest } from './backtest-plan.js';
import { backtestText, noteLines, failureLines } from './backtest-text.js';
import type { BacktestOptions } from './backtest-options.js';
import { openReport, writeReport } from './report-file.js';
import type { Io } from '../../command-io.js';
import { EXIT } from '../../../core/exit-code.js';
import { StartError, UsageError } from '../../../core/command-errors.js';
import { systemText } from '../../../core/system-error.js';

/** A longer equity curve is thinned out in `equity.csv`. */
const MAX_EQUITY_ROWS = 50_000;

/** Connects the run to the thread that watches it. */
export interface BacktestSupervision {
  readonly heartbeat: Heartbeat;
  /** Called after the strategy is loaded, before the first candle. */
  readonly onStarted: (run: BacktestStartInfo) => void;
}

export interface BacktestStartInfo {
  readonly strategy: string;
  readonly symbols: readonly string[];
  readonly interval: string;
  /** Candles of the longest symbol. */
  readonly candles: number;
}

/**
 * Runs `sluice backtest`: a strategy on historical candles. Writes the folder of the run.
 * @returns 0, or 1 when the strategy failed
 */
export async function backtestCommand(
  options: BacktestOptions,
  io: Io,
  supervision?: BacktestSupervision,
): Promise<number> {
  const startedAt = io.clock.monotonicMs();
  const { plan, name, origin, warnings } = await planBacktest(options, io, supervision?.heartbeat);
  for (const warning of warnings) io.stderr(`sluice: warning: ${warning}\n`);
  const folder = options.out ?? `backtests/${fileTimestamp(io.clock.utcMs())}-${name}`;
  // Created first: a run whose result cannot be written would be lost.
  await makeFolder(folder, io);
  supervision?.onStarted(startInfoOf(plan));
  const loadedAt = io.clock.monotonicMs();
  const run = runBacktest({ ...plan, ...progressOf(plan, io) });
  const endedAt = io.clock.monotonicMs();
  clearProgress(io);
  const failure = run.engine.haltReason ?? leverageFailureOf(run.engine);
  if (failure !== undefined) throw new StartError(`the backtest was halted: ${failure}`);
  const bounds = options.bounds ? equityBounds(plan, run) : undefined;
  const figures = reportOf(plan, run, bounds, {
    run: folder,
    engineMs: endedAt - loadedAt,
    loadMs: loadedAt - startedAt,
  });
  const report = await writeReport(options, { ...figures, plan, origin, warnings }, io);
  const result = { ...figures.result, report };
  const reported = { ...figures, result };
  await writeFolder(folder, reported, io);
  if (options.json) io.stdout(`${JSON.stringify(result)}\n`);
  else io.stdout(backtestText({ ...reported, plan, run, origin }, options, io));
  if (options.json) printLines(failureLines(run.engine), io);
  printLines(noteLines(run.notes, result), io);
  if (options.open && report !== null) await openReport(report, io);
  return result.errors.length === 0 ? EXIT.done : EXIT.failed;
}

const startInfoOf = (plan: BacktestPlan): BacktestStartInfo => ({
  strategy: plan.strategy.id,
  symbols: plan.strategy.symbols,
  interval: plan.base,
  candles: longestOf(plan),
});

const longestOf = (plan: BacktestPlan): number =>
  Math.max(...marketsOf(plan).map(({ columns }) => columns.length));

const printLines = (lines: readonly string[], io: Io): void => {
  for (const line of lines) io.stderr(`${line}\n`);
};

async function makeFolder(folder: string, io: Io): Promise<void> {
  try {
    await io.files.makeDirectory(folder);
  } catch (cause) {
    const reason = cause instanceof Error ? systemText(cause) : String(cause);
    throw new UsageError(
      `${folder}: the folder of the run cannot be created: ${reason}; choose another with --out`,
      {
        cause,
      },
    );
  }
}

async function writeFolder(folder: string, reported: BacktestReport, io: Io): Promise<void> {
  const encoder = new TextEncoder();
  const files: readonly (readonly [string, string])[] = [
    ['result.json', resultJson(reported.result)],
    ['trades.csv', tradesCsv(reported.trades)],
    ['equity.csv', equityCsv(reported.curve, reported.cash, MAX_EQUITY_ROWS)],
  ];
  for (const [file, text] of files) {
    await io.files.replace(`${folder}/${file}`, encoder.encode(text));
  }
}

function progressOf(plan: BacktestPlan, io: Io): Pick<BacktestPlan, 'onProgress'> {
  if (!io.isTerminal) return {};
  const length = longestOf(plan);
  return {
    onProgress: (done) => {
      io.stderr(`${LINE_START}${Math.round((done / length) * 100)} % of ${length} candles`);
    },
  };
}

function clearProgress(io: Io): void {
  if (io.isTerminal) io.stderr(LINE_CLEAR);
}

const fileTimestamp = (utcMs: number): string =>
  new Date(utcMs).toISOString().slice(0, 19).replaceAll(':', '-');
