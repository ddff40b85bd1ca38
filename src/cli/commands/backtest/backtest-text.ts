import type { BacktestPlan } from '../../../backtest/plan.js';
import type { BacktestResult, BacktestReport } from '../../../backtest/result.js';
import type { BacktestRun } from '../../../backtest/run.js';
import { styled } from '../../../core/terminal-text.js';
import type { Engine } from '../../../engine/engine.js';
import type { Note } from '../../../execution/effects.js';
import { sparkline } from '../../../report/sparkline.js';
import { summaryTable } from '../../../report/summary-table.js';
import { strategyErrorText } from '../../../strategy/host/strategy-error.js';
import { notInBacktestsText } from '../../../risk/catalog/backtest-controls.js';
import { enforcesLimits } from '../../../risk/preset.js';
import { usesColour, type Io } from '../../command-io.js';
import { refusalLines } from '../../../live/summary/refusal-text.js';
import { strategyFailureLines } from '../../../live/strategies/strategy-failures.js';

const SPARKLINE_WIDTH = 48;
const MAX_NOTES = 5;

export interface BacktestReportInput extends BacktestReport {
  readonly plan: BacktestPlan;
  readonly run: BacktestRun;
  readonly origin: string;
}

/** The report for people: failures first, then the figures. */
export function backtestText(
  { result, curve, plan, run, origin }: BacktestReportInput,
  io: Io,
): string {
  const colour = usesColour(io);
  const title = `${plan.strategy.id} on ${plan.strategy.symbols.join(', ')} ${plan.strategy.interval}, ${origin}`;
  const line = sparkline(curve.equity, { width: SPARKLINE_WIDTH, length: curve.length });
  const wrong = failureLines(run.engine).map((each) => `${each}\n`);
  return (
    `${wrong.join('')}${styled(summaryTable(summaryFields(result), { colour, title }))}\nequity ${line}\n` +
    `${explanation(result)}${unevaluated(plan)}files  ${result.run}/{result.json,trades.csv,equity.csv}\n`
  );
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

function summaryFields(result: BacktestResult) {
  const {
    run: _run,
    report: _report,
    refused_by,
    would_refuse,
    rejected_by,
    errors,
    ...rest
  } = result;
  const counts = {
    refused_by: countsText(refused_by),
    would_refuse: countsText(would_refuse),
    rejected_by: countsText(rejected_by),
  };
  return { ...rest, ...counts, errors: errors.reduce((sum, { count }) => sum + count, 0) };
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([control, count]) => `${control} ${count}`)
    .join(', ') || 'none';

/** Controls of an enforced preset that candles cannot show. */
const unevaluated = ({ gate }: BacktestPlan): string =>
  enforcesLimits(gate.preset) ? `${notInBacktestsText()}\n` : '';

/** The reason why no order was filled. */
function explanation(result: BacktestResult): string {
  if (result.fills > 0) return '';
  if (result.errors.length > 0)
    return 'no order was placed: see the errors of the strategy above\n';
  if (result.refused === 0)
    return 'no order was placed: the strategy gave no signal in this range\n';
  return `no order was placed: ${result.refused} intents were refused by ${countsText(result.refused_by)}\n`;
}
