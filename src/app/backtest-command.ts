import { LINE_CLEAR, LINE_START } from '../core/terminal-text.js';
import { marketsOf, type BacktestPlan } from '../backtest/plan.js';
import type { Pulse } from '../backtest/pulse.js';
import { reportOf, type Reported } from '../backtest/result.js';
import { runBacktest } from '../backtest/run.js';
import { equityCsv, resultJson, tradesCsv } from '../report/run-folder.js';
import { planBacktest } from './backtest-plan.js';
import { backtestText, noteLines, wrongLines } from './backtest-text.js';
import type { BacktestOptions, Io } from './command-options.js';
import { EXIT } from './exit-code.js';
import { StartError, UsageError } from './failure.js';
import { systemText } from './system-error.js';

/** A longer curve is thinned in `equity.csv`. */
const MAX_EQUITY_ROWS = 50_000;

/** The link to the thread that watches the run. */
export interface BacktestWatch {
  readonly pulse: Pulse;
  /** The strategy is loaded, and the run about to begin. */
  readonly began: (run: BegunBacktest) => void;
}

export interface BegunBacktest {
  readonly strategy: string;
  readonly symbols: readonly string[];
  readonly interval: string;
  /** Of the longest symbol. */
  readonly candles: number;
}

/**
 * Runs a strategy over history and writes the run's folder.
 * @returns 0, or 1 when the strategy has erred
 */
export async function backtestCommand(
  options: BacktestOptions,
  io: Io,
  watch?: BacktestWatch,
): Promise<number> {
  const startedAt = io.clock.monotonicMs();
  const { plan, name, origin, warnings } = await planBacktest(options, io, watch?.pulse);
  for (const warning of warnings) io.stderr(`sluice: warning: ${warning}\n`);
  const folder = options.out ?? `backtests/${stampOf(io.clock.utcMs())}-${name}`;
  // Before the work: a result that cannot be written is lost.
  await makeFolder(folder, io);
  watch?.began(begunOf(plan));
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
  const { result } = reported;
  if (options.json) io.stdout(`${JSON.stringify(result)}\n`);
  else io.stdout(backtestText({ ...reported, plan, run, origin }, io));
  if (options.json) tell(wrongLines(run.engine), io);
  tell(noteLines(run.notes, result), io);
  return result.errors.length === 0 ? EXIT.done : EXIT.failed;
}

const begunOf = (plan: BacktestPlan): BegunBacktest => ({
  strategy: plan.seat.id,
  symbols: plan.seat.symbols,
  interval: plan.base,
  candles: longestOf(plan),
});

const longestOf = (plan: BacktestPlan): number =>
  Math.max(...marketsOf(plan).map(({ columns }) => columns.length));

const tell = (lines: readonly string[], io: Io): void => {
  for (const line of lines) io.stderr(`${line}\n`);
};

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

function progressOf(plan: BacktestPlan, io: Io): Pick<BacktestPlan, 'progress'> {
  if (!io.isTerminal) return {};
  const length = longestOf(plan);
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
