import type { BacktestPlan } from '../backtest/plan.js';
import type { BacktestResult, Reported } from '../backtest/result.js';
import type { BacktestRun } from '../backtest/run.js';
import { styled } from '../core/terminal-text.js';
import type { Engine } from '../engine/engine.js';
import type { Note } from '../execution/effects.js';
import { sparkline } from '../report/sparkline.js';
import { summaryTable } from '../report/summary-table.js';
import { strategyErrorText } from '../strategy/host/strategy-error.js';
import type { Io } from './command-options.js';
import { refusalLines } from './refusal-lines.js';
import { strategyFailureLines } from './strategy-failures.js';

const SPARKLINE_WIDTH = 48;
const MAX_NOTES = 5;

export interface BacktestStory extends Reported {
  readonly plan: BacktestPlan;
  readonly run: BacktestRun;
  readonly origin: string;
}

/** The report for people: failures first, then the figures. */
export function backtestText({ result, curve, plan, run, origin }: BacktestStory, io: Io): string {
  const colour = io.isTerminal && io.env['NO_COLOR'] === undefined;
  const title = `${plan.seat.id} on ${plan.seat.symbols.join(', ')} ${plan.seat.interval}, ${origin}`;
  const line = sparkline(curve.equity, { width: SPARKLINE_WIDTH, length: curve.length });
  const wrong = wrongLines(run.engine).map((each) => `${each}\n`);
  return (
    `${wrong.join('')}${styled(summaryTable(shown(result), { colour, title }))}\nequity ${line}\n` +
    `${explanation(result)}files  ${result.run}/{result.json,trades.csv,equity.csv}\n`
  );
}

/** The failures of a run, those of the strategies first. */
export const wrongLines = (engine: Engine): readonly string[] => [
  ...strategyFailureLines(engine),
  ...refusalLines(engine.counts),
];

/** The first of the run's notes, errors before warnings; what the errors of `result` say is left out. */
export function noteLines(notes: readonly Note[], result: BacktestResult): readonly string[] {
  const said = result.errors.map((error) =>
    strategyErrorText({ ...error, candle: null, count: 1 }),
  );
  const news = notes.filter(({ text }) => !said.includes(text));
  const sorted = [
    ...news.filter(({ level }) => level === 'error'),
    ...news.filter(({ level }) => level !== 'error'),
  ];
  const lines = sorted.slice(0, MAX_NOTES).map(({ level, text }) => `${level}: ${text}`);
  const more = sorted.length - MAX_NOTES;
  return more > 0 ? [...lines, `… and ${more} more of this kind`] : lines;
}

function shown(result: BacktestResult) {
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

/** "Nothing happened" explains itself. */
function explanation(result: BacktestResult): string {
  if (result.fills > 0) return '';
  if (result.errors.length > 0)
    return 'no order was placed: see the errors of the strategy above\n';
  if (result.refused === 0)
    return 'no order was wanted: the strategy gave no signal in this range\n';
  return `no order was placed: ${result.refused} intents were refused by ${countsText(result.refused_by)}\n`;
}
