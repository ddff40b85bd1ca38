import { robustFaults } from '../../../backtest/backtest-summary.js';
import { equityBounds } from '../../../backtest/equity-bounds.js';
import { findingsOf } from '../../../backtest/findings/findings.js';
import type { Heartbeat } from '../../../backtest/heartbeat.js';
import { marketFactsOf } from '../../../backtest/market-facts.js';
import { marketsOf, ownerOf, type BacktestPlan } from '../../../backtest/plan.js';
import { reportOf, type BacktestReport } from '../../../backtest/result.js';
import { recordRun, type RunRecord } from '../../../backtest/run-record.js';
import { runBacktest, type BacktestRun } from '../../../backtest/run.js';
import { StartError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import { leverageFailureOf } from '../../../engine/start-failure.js';
import type { RobustResult } from '../../../report/run/evidence-schema.js';
import type { HonestyChecks } from '../../../report/run/checks-schema.js';
import { resultJson } from '../../../report/run-folder.js';
import {
  REPORT_FILE,
  RESULT_FILE,
  RunFolderWriter,
  type RunFiles,
} from '../../../report/run/run-folder-writer.js';
import type { Io } from '../../command-io.js';
import type { BacktestOptions } from './backtest-options.js';
import { planBacktest, type PlannedBacktest } from './backtest-plan.js';
import { backtestText, failureLines, noteLines } from './backtest-text.js';
import { openReport, reportPageText } from '../../report-page-file.js';
import { analyse, type BacktestAnalysis } from './backtest-analysis.js';
import { backtestPage } from './backtest-page.js';

/** Connects the run to the thread that watches it. */
export interface BacktestSupervision {
  readonly heartbeat: Heartbeat;
  /** Called after the strategy is loaded, before the first candle. */
  readonly onStarted: (run: BacktestStartInfo) => void;
}

export interface BacktestStartInfo {
  readonly symbols: readonly string[];
  /** Of each symbol, the id of its strategy. */
  readonly strategies: readonly string[];
  readonly interval: string;
  /** Candles of all symbols. */
  readonly candles: number;
  /** Folder of unfinished files: it goes when the run is ended from outside. */
  readonly staging: string;
}

/**
 * Runs `sluice backtest`: a strategy on historical candles. Writes the folder of the run.
 * @returns 0, or 1 when the strategy, a check of it or a further run failed
 */
export async function backtestCommand(
  options: BacktestOptions,
  io: Io,
  supervision?: BacktestSupervision,
): Promise<number> {
  const startedAt = io.clock.monotonicMs();
  const planned = await planBacktest(options, io, supervision);
  for (const warning of planned.warnings) io.stderr(`sluice: warning: ${warning}\n`);
  if (options.verbose) printLines(planned.cacheNotes, io);
  const folder = options.out ?? `backtests/${fileTimestamp(io.clock.utcMs())}-${planned.name}`;
  const writer = await RunFolderWriter.open(folder, io);
  try {
    supervision?.onStarted(startInfoOf(planned.plan, writer));
    const { plan } = planned;
    const loadedAt = io.clock.monotonicMs();
    const run = runBacktest(plan);
    const endedAt = io.clock.monotonicMs();
    // A promise of a strategy goes on only now: its intent is an error of the run.
    await new Promise<void>((resolve) => io.scheduler.after(0, resolve));
    throwIfUnusable(run);
    const times = { engineMs: endedAt - loadedAt, loadMs: loadedAt - startedAt };
    const bounds = options.bounds && !run.interrupted ? equityBounds(plan, run) : undefined;
    const reported = reportOf(plan, run, bounds, { run: folder, ...times });
    const analysis = await analyse({ planned, run, reported }, options, io, supervision?.heartbeat);
    const written = await writeRun({ planned, run, reported, analysis }, writer, options, io);
    const finished = { planned, run, analysis, reported: { ...reported, result: written } };
    return await printRun(finished, options, io);
  } finally {
    await writer.discard();
  }
}

/** A report whose result is the record as written. */
type PrintedReport = BacktestReport & { readonly result: RunRecord };

interface FinishedRun {
  readonly planned: PlannedBacktest;
  readonly run: BacktestRun;
  readonly reported: BacktestReport;
  readonly analysis: BacktestAnalysis;
}

/** @throws StartError for a run without a result */
function throwIfUnusable(run: BacktestRun): void {
  const failure = run.engine.haltReason ?? leverageFailureOf(run.engine);
  if (failure !== undefined) throw new StartError(`the backtest was halted: ${failure}`);
  if (run.candles === 0)
    throw new StartError('the backtest was stopped before its first candle; no result was written');
}

/** @returns the record as written */
async function writeRun(
  { planned, run, reported, analysis }: FinishedRun,
  writer: RunFolderWriter,
  options: BacktestOptions,
  io: Io,
): Promise<RunRecord> {
  const { record, tables } = recordRun(reported, run, {
    inputs: planned.inputs,
    findings: findingsOf({
      ...reported,
      inputs: planned.inputs,
      market: marketFactsOf(planned.plan, run.fills),
      ...analysis,
    }),
    ...analysis,
    repeat: planned.repeat(reported.result.to),
    interrupted: run.interrupted,
    created_at: new Date(io.clock.utcMs()).toISOString(),
  });
  const page = options.report
    ? await reportPageText(() => backtestPage({ ...planned, ...reported, record, run }), io)
    : undefined;
  const recordIn = (folder: string): RunRecord => ({
    ...record,
    run: folder,
    report: page === undefined ? null : `${folder}/${REPORT_FILE}`,
  });
  const filesOf = (folder: string): RunFiles =>
    new Map([
      ...Object.entries(tables),
      ...(page === undefined ? [] : [[REPORT_FILE, page] as const]),
      [RESULT_FILE, resultJson(recordIn(folder))],
    ]);
  return recordIn(await writer.publish(filesOf, options.out === undefined));
}

/** @returns the exit code */
async function printRun(
  { planned: { plan, origin }, run, reported }: FinishedRun & { readonly reported: PrintedReport },
  options: BacktestOptions,
  io: Io,
): Promise<number> {
  const { result } = reported;
  if (options.json) io.stdout(`${JSON.stringify(result)}\n`);
  else io.stdout(backtestText({ ...reported, plan, run, origin }, options, io));
  if (options.json) printLines([...failureLines(run.engine), ...robustLines(result)], io);
  printLines(noteLines(run.notes, result), io);
  if (options.open && result.report !== null) await openReport(result.report, io);
  const isSound =
    result.errors.length === 0 &&
    !run.interrupted &&
    hasPassed(result.checks) &&
    isComplete(result.evidence.robust);
  return isSound ? EXIT.done : EXIT.failed;
}

/** A check that was asked for and has failed, or did not come to its end, is no success. */
const hasPassed = (checks: HonestyChecks | null): boolean =>
  Object.values(checks ?? {}).every(({ status }) => status === 'passed' || status === 'not_run');

/** Further runs that were asked for and have failed, or were left out, are no success. */
const isComplete = (robust: RobustResult | null): boolean =>
  robust === null || (robust.failed === 0 && robust.missing === 0);

const robustLines = ({ evidence }: RunRecord): readonly string[] => {
  const { robust } = evidence;
  if (isComplete(robust)) return [];
  return ['sluice: further runs of --robust have no result', ...robustFaults(robust)].map(oneLine);
};

const startInfoOf = (plan: BacktestPlan, { staging }: RunFolderWriter): BacktestStartInfo => ({
  strategies: marketsOf(plan).map(({ instrument }) => ownerOf(plan, instrument.symbol)),
  symbols: marketsOf(plan).map(({ instrument }) => instrument.symbol),
  interval: plan.base,
  candles: candlesOf(plan),
  staging,
});

const candlesOf = (plan: BacktestPlan): number =>
  marketsOf(plan).reduce((sum, { columns }) => sum + columns.length, 0);

const printLines = (lines: readonly string[], io: Io): void => {
  for (const line of lines) io.stderr(`${line}\n`);
};

const fileTimestamp = (utcMs: number): string =>
  new Date(utcMs).toISOString().slice(0, 19).replaceAll(':', '-');
