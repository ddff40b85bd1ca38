import { formatMoney } from '../../report/figure-format.js';
import { rowsTable } from '../../report/rows-table.js';
import { oneLine } from '../../core/terminal-text.js';
import type { DriftCause, DriftReport, DriftRow } from './drift-report.js';

/** Decisions that the text shows: those with the largest gaps. `--json` has all of them. */
const SHOWN_ROWS = 10;

const CAUSE_TEXT: Readonly<Record<DriftCause, string>> = {
  latency: 'the price moved before the order reached the venue',
  spread: 'distance of the fills from the market, and slippage',
  fee: 'fees',
  funding: 'funding',
  partial_fill: 'ordered, and not filled',
  missing_data: 'candles that did not arrive in time',
  decision: 'decisions of one side alone, or of another size',
};

/** For people. */
export function driftText(report: DriftReport, colour: boolean): string {
  const money = (text: string): string => formatMoney(Number(text), report.currency);
  const { parts, remainder, explained, warnings } = report;
  const lines = [
    `${report.mode} session of ${oneLine(report.state_dir)}, ${report.from} to ${report.to}`,
    `decisions: ${report.decisions}, of them ${report.decisions_alike} with one quantity on both sides; ` +
      `fills: session ${report.session_fills}, backtest ${report.backtest_fills}`,
    `replay: ${report.identical ? 'identical' : 'DIFFERENT: the code or a strategy has changed since the session'}`,
    '',
    `session   ${money(report.session_net)}`,
    `backtest  ${money(report.backtest_net)}`,
    `gap       ${money(report.gap)}`,
    ...(Object.keys(parts) as DriftCause[]).map(
      (cause) => `  ${cause.padEnd(13)} ${money(parts[cause]).padStart(16)}  ${CAUSE_TEXT[cause]}`,
    ),
    `  ${'remainder'.padEnd(13)} ${money(remainder).padStart(16)}  ${explained ? 'rounding' : 'NOT EXPLAINED: transfers, other money, or other fee rates'}`,
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  const rows = largest(report.differing);
  if (rows.length > 0) {
    lines.push(
      '',
      `the ${rows.length} largest of ${report.differing.length} decisions that differ (--json has all):`,
      rowsTable(rows.map(shown), COLUMNS, colour, true),
    );
  }
  return `${lines.join('\n')}\n`;
}

const COLUMNS = [
  { key: 'time' },
  { key: 'decision' },
  { key: 'session' },
  { key: 'backtest' },
  { key: 'gap', alignRight: true },
  { key: 'cause' },
];

const largest = (rows: readonly DriftRow[]): readonly DriftRow[] =>
  [...rows].sort((a, b) => Math.abs(Number(b.gap)) - Math.abs(Number(a.gap))).slice(0, SHOWN_ROWS);

const shown = (row: DriftRow): Readonly<Record<string, string>> => ({
  time: row.time.slice(0, 16).replace('T', ' '),
  decision: oneLine(`${row.strategy}: ${row.side} ${row.symbol}`),
  session: sideText(row.session),
  backtest: sideText(row.backtest),
  gap: row.gap,
  cause: oneLine(row.note === null ? row.cause : `${row.cause}: ${row.note}`),
});

const sideText = (side: DriftRow['session']): string =>
  side === null ? 'nothing' : `${side.filled} at ${side.price ?? '–'}`;
