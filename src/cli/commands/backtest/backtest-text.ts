import { formatCount } from '../../../report/figure-format.js';
import type { BacktestPlan } from '../../../backtest/plan.js';
import type { BacktestResult, BacktestReport } from '../../../backtest/result.js';
import type { RunRecord } from '../../../backtest/run-record.js';
import type { BacktestRun } from '../../../backtest/run.js';
import picocolors from 'picocolors';
import { oneLine, styled } from '../../../core/terminal-text.js';
import type { Engine } from '../../../engine/engine.js';
import type { Note } from '../../../execution/effects.js';
import { summaryTable, type SummaryValue } from '../../../report/summary-table.js';
import { strategyErrorText } from '../../../strategy/host/strategy-error.js';
import { notInBacktestsText } from '../../../risk/catalog/backtest-controls.js';
import { enforcesLimits } from '../../../risk/preset.js';
import { usesColour, type Io } from '../../command-io.js';
import type { BacktestOptions } from './backtest-options.js';
import {
  chartLines,
  checkLines,
  evidenceLines,
  findingLines,
  monthLines,
  summaryLines,
} from '../../../backtest/backtest-summary.js';
import { refusalLines } from '../../../live/summary/refusal-text.js';
import { strategyFailureLines } from '../../../live/strategies/strategy-failures.js';

const MAX_NOTES = 5;

export interface BacktestReportInput extends BacktestReport {
  readonly result: RunRecord;
  readonly plan: BacktestPlan;
  readonly run: BacktestRun;
  readonly origin: string;
}

/** The report for people: failures first, then the figures, then the files. */
export function backtestText(
  { result, curve, cash, plan, run, origin }: BacktestReportInput,
  { months, verbose }: Pick<BacktestOptions, 'months' | 'verbose'>,
  io: Io,
): string {
  const colour = usesColour(io);
  const colours = picocolors.createColors(colour);
  const names = plan.strategies.map(
    ({ id, symbols, interval }) => `${id} on ${symbols.join(', ')} ${interval}`,
  );
  const title = oneLine(`${names.join('; ')}, ${origin}`);
  const lines = [
    ...failureLines(run.engine),
    styled(colours.bold(title)),
    '',
    ...summaryLines(result, cash, colours).map(styled),
    '',
    ...chartLines(curve, cash, plan.currency),
    ...(result.checks === null ? [] : ['', ...checkLines(result.checks).map(oneLine)]),
    ...['', ...evidenceLines(result.evidence).map(oneLine)],
    ...(result.findings.length > 0 ? ['', ...findingLines(result.findings).map(oneLine)] : []),
    ...(months ? ['', ...monthLines(result)] : []),
    ...(verbose ? ['', styled(summaryTable(summaryFields(result), { colour }))] : []),
    '',
    ...explanation(result, run),
    ...unevaluated(plan),
    ...(result.interrupted
      ? [`stopped before the end: the figures are those up to ${result.to}`]
      : []),
    `files  ${result.run}/{result.json,trades.csv,equity.csv,fills.csv}`,
    ...(result.report === null ? [] : [`report ${result.report}`]),
    `repeat ${oneLine(result.repeat)}`,
    `hash   ${result.run_hash}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** The failures of a run, those of the strategies first. */
export const failureLines = (engine: Engine): readonly string[] => [
  ...strategyFailureLines(engine),
  ...refusalLines(engine.counts),
];

/** The first notes of the run, errors before warnings, without those that `result.errors` already reports. */
export function noteLines(notes: readonly Note[], result: BacktestResult): readonly string[] {
  const reported = result.errors.map((error) =>
    strategyErrorText({ ...error, candle: null, count: 1 }),
  );
  const unreported = notes.filter(({ text }) => !reported.includes(text));
  const sorted = [
    ...unreported.filter(({ level }) => level === 'error'),
    ...unreported.filter(({ level }) => level !== 'error'),
  ];
  const lines = sorted.slice(0, MAX_NOTES).map(({ level, text }) => `${level}: ${text}`);
  const more = sorted.length - MAX_NOTES;
  return more > 0 ? [...lines, `… and ${more} more of this kind`] : lines;
}

/** Every figure of the result that is one value. */
function summaryFields(result: BacktestResult): Readonly<Record<string, SummaryValue>> {
  const { run: _run, report: _report, errors, ...rest } = result;
  const plain = Object.entries(rest).flatMap(([key, value]): [string, SummaryValue][] =>
    value === null || typeof value !== 'object' ? [[key, value]] : [],
  );
  return {
    ...Object.fromEntries(plain),
    refused_by: countsText(result.refused_by),
    would_refuse: countsText(result.would_refuse),
    rejected_by: countsText(result.rejected_by),
    errors: errors.reduce((sum, { count }) => sum + count, 0),
  };
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([control, count]) => `${control} ${count}`)
    .join(', ') || 'none';

/** Controls of an enforced preset that candles cannot show. */
const unevaluated = ({ gate }: BacktestPlan): readonly string[] =>
  enforcesLimits(gate.preset) ? [notInBacktestsText()] : [];

/** The reason why no order was filled. */
function explanation(result: BacktestResult, { engine }: BacktestRun): readonly string[] {
  const { fills, errors, rejected, refused } = result;
  if (fills > 0) return [];
  if (errors.length > 0) return ['no order was placed: see the errors of the strategy above'];
  if (rejected > 0)
    return [
      `no order was filled: the exchange rejected ${formatCount(rejected, 'order')} (${countsText(result.rejected_by)})`,
    ];
  if (refused > 0)
    return [
      `no order was placed: ${formatCount(refused, 'intent')} ${refused === 1 ? 'was' : 'were'} refused by ${countsText(result.refused_by)}`,
    ];
  const hasSignal = engine.hosts.some(
    ({ counts }) => counts.decisions + counts.waited + counts.refused > 0,
  );
  return hasSignal
    ? ['no order was placed: no signal became an order; the warnings say why']
    : ['no order was placed: the strategy gave no signal in this range'];
}
