import type picocolors from 'picocolors';
import type { HonestyCheck, HonestyChecks } from '../report/run/checks-schema.js';
import type { ProfitEvidence } from '../report/run/evidence-schema.js';
import type { ResultFinding } from './findings/finding.js';
import type { BacktestResult } from './result.js';
import { brailleChart } from '../report/braille-chart.js';
import type { EquityCurve } from '../report/statistics/equity-curve.js';
import { MIN_GROWTH_DAYS } from '../report/statistics/statistics.js';
import {
  formatCount,
  formatDuration,
  formatNumber,
  formatMoney,
  formatPercent,
  formatRatio,
  formatSignedPercent,
} from '../report/figure-format.js';

const CHART_WIDTH = 60;
const EQUITY_HEIGHT = 4;
const DRAWDOWN_HEIGHT = 2;
const LABEL_WIDTH = 14;

type Colours = ReturnType<typeof picocolors.createColors>;

/** The answers to a trader's first questions, two columns. */
export function summaryLines(
  result: BacktestResult,
  cash: number,
  colours: Colours,
): readonly string[] {
  const { currency } = result;
  const net = Number(result.net_profit);
  const tint = net < 0 ? colours.red : colours.green;
  const rows: readonly (readonly [string, string])[] = [
    ['Period', periodText(result)],
    [
      'Net profit',
      `${tint(`${formatMoney(net, currency)} (${formatSignedPercent(result.return_pct)})`)} on ${formatMoney(cash, currency)}`,
    ],
    ['  from', profitText(result)],
    ...boundsRows(result),
    ['Buy and hold', `${formatSignedPercent(result.benchmark.return_pct)} with the same costs`],
    ['CAGR', growthText(result)],
    ['Sharpe', sharpeText(result)],
    ['Drawdown', drawdownText(result)],
    [
      'Exposure',
      `${formatPercent(result.exposure_pct)} of the time, turnover ${formatRatio(result.turnover)} x`,
    ],
    ['Trades', tradesText(result)],
    ['Orders', ordersText(result)],
  ];
  return rows.map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}${text}`);
}

const MAX_FINDINGS = 8;

/** The reasons to doubt the result, one a line. */
export function findingLines(findings: readonly ResultFinding[]): readonly string[] {
  const lines = findings.slice(0, MAX_FINDINGS).map(({ id, text }) => `${id}: ${text}`);
  const more = findings.length - MAX_FINDINGS;
  if (more > 0) lines.push(`… and ${more} more in result.json`);
  return lines.map(
    (line, index) => `${(index === 0 ? 'Findings' : '').padEnd(LABEL_WIDTH)}${line}`,
  );
}

/** The verdict and its reasons, one a line. */
export const evidenceLines = ({ verdict, robust }: ProfitEvidence): readonly string[] => [
  ...verdict.text
    .split('. ')
    .map((part, index) => `${(index === 0 ? 'Evidence' : '').padEnd(LABEL_WIDTH)}${part}`),
  ...robustFaults(robust).map(
    (text, index) => `${(index === 0 ? 'Further runs' : '').padEnd(LABEL_WIDTH)}${text}`,
  ),
];

/** Failures in a message. */
const MAX_FAILURES = 3;

/** The further runs of `--robust` that have no figures; empty if all have. */
export function robustFaults(robust: ProfitEvidence['robust']): readonly string[] {
  if (robust === null) return [];
  const { runs, missing, refused, failed, failures } = robust;
  const more = failed - MAX_FAILURES;
  return [
    ...(failed > 0 ? [`${failed} of ${runs} failed:`] : []),
    ...failures.slice(0, MAX_FAILURES).map(({ run, reason }) => `  ${run}: ${reason}`),
    ...(more > 0 ? [`  and ${more} more, in evidence.robust.failures of result.json`] : []),
    ...(missing > 0 ? [`${missing} of ${runs} were left out by Ctrl-C`] : []),
    ...(refused > 0
      ? [`${refused} of ${runs} have parameters that the strategy does not take: no failure`]
      : []),
  ];
}

/** The answers of `--check`; a failed one has its reason among the findings. */
export const checkLines = (checks: HonestyChecks | null): readonly string[] =>
  checks === null
    ? []
    : [
        `${'Check'.padEnd(LABEL_WIDTH)}look-ahead ${checkText(checks.look_ahead)}`,
        `${''.padEnd(LABEL_WIDTH)}warm-up ${checkText(checks.warm_up)}`,
        ...checks.look_ahead.files.map(
          (file) => `${''.padEnd(LABEL_WIDTH)}not checked: the strategy reads ${file}`,
        ),
      ];

function checkText({ status, reason, runs }: HonestyCheck): string {
  if (status === 'passed') return `passed, ${formatNumber(runs, 0)} further runs`;
  return status === 'failed'
    ? 'failed, see the findings'
    : `${status.replace('_', ' ')}: ${reason}`;
}

/** Both answers to the order of prices inside candles, where there is more than one. */
function boundsRows(result: BacktestResult): readonly (readonly [string, string])[] {
  const { ambiguous_bars: ambiguous, equity_low: low, equity_high: high, currency } = result;
  if (ambiguous === 0) return [];
  const leaves = ambiguous === 1 ? 'leaves the order of its' : 'leave the order of their';
  const candles = `${formatCount(ambiguous, 'candle')} ${leaves} prices open`;
  if (low === null || high === null) return [['Bounds', `${candles}; not run (--no-bounds)`]];
  const [worst, best] = [low, high].map((text) => formatMoney(Number(text), currency));
  return [['Bounds', `final equity ${worst} to ${best}: ${candles}`]];
}

const periodText = ({ from, to, days, bars }: BacktestResult): string =>
  `${minute(from)} to ${minute(to)} UTC, ${formatDuration(days)}, ${formatCount(bars, 'candle')}`;

const minute = (iso: string): string => iso.slice(0, 16).replace('T', ' ');

function profitText({ profit_split: split, currency }: BacktestResult): string {
  const part = (name: keyof typeof split): string =>
    `${name} ${formatMoney(Number(split[name]), currency)}`;
  return (['price', 'fees', 'funding', 'slippage'] as const).map(part).join(', ');
}

function growthText({ cagr_pct, volatility_pct, days }: BacktestResult): string {
  const volatility = `volatility ${formatPercent(volatility_pct)} a year`;
  if (days < MIN_GROWTH_DAYS)
    return `– (needs ${MIN_GROWTH_DAYS} days, there are ${formatNumber(days, 0)}), ${volatility}`;
  return `${formatSignedPercent(cagr_pct)}, ${volatility}`;
}

function sharpeText({ sharpe, sortino, calmar, sharpe_p_value }: BacktestResult): string {
  const chance =
    sharpe_p_value === null ? '' : `, by chance alone in ${formatPercent(sharpe_p_value * 100)}`;
  return `${formatRatio(sharpe)}${chance}; Sortino ${formatRatio(sortino)}, Calmar ${formatRatio(calmar)}`;
}

const drawdownText = (result: BacktestResult): string =>
  `${formatPercent(result.max_drawdown_pct)} at its deepest, ${formatDuration(result.max_drawdown_days)} at its longest, ` +
  `under water ${formatPercent(result.under_water_pct)} of the time`;

function tradesText(result: BacktestResult): string {
  const { trades, currency, expectancy, open_trades } = result;
  const open = open_trades.length === 0 ? '' : `, ${open_trades.length} still open`;
  if (trades === 0) return `none closed${open}`;
  return (
    `${formatNumber(trades, 0)}${open}, ${formatPercent(result.win_rate_pct)} won, profit factor ${formatRatio(result.profit_factor)}, ` +
    `${formatMoney(expectancy ?? 0, currency)} each, losing streak ${result.longest_losing_streak}`
  );
}

function ordersText(result: BacktestResult): string {
  const counts = [
    [result.fills, 'fills'],
    [result.refused, 'refused'],
    [result.rejected, 'rejected'],
    [result.liquidations, 'liquidations'],
  ] as const;
  return counts.map(([count, name]) => `${formatNumber(count, 0)} ${name}`).join(', ');
}

/** Equity and drawdown, with their ends at the right. */
export function chartLines(
  { equity, length }: EquityCurve,
  cash: number,
  currency: string,
): readonly string[] {
  const { falls, lowest, highest } = drawdownCurve(equity, length, cash);
  return [
    ...chart(
      'Equity',
      brailleChart(equity, { width: CHART_WIDTH, height: EQUITY_HEIGHT, length }),
      [formatMoney(highest, currency), formatMoney(lowest, currency)],
    ),
    ...chart('Drawdown', brailleChart(falls, { width: CHART_WIDTH, height: DRAWDOWN_HEIGHT }), [
      '0 %',
      formatPercent(falls.reduce((a, b) => Math.min(a, b), 0)),
    ]),
  ];
}

const chart = (
  label: string,
  lines: readonly string[],
  [top, bottom]: readonly [string, string],
): readonly string[] =>
  lines.map((line, index) => {
    const end = index === 0 ? ` ${top}` : index === lines.length - 1 ? ` ${bottom}` : '';
    return `${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}${end}`;
  });

/** Per cent below the running peak, at most 0, and the range of the equity. */
function drawdownCurve(equity: Float64Array, length: number, cash: number) {
  const falls = new Float64Array(length);
  let [peak, lowest, highest] = [cash, cash, cash];
  for (let index = 0; index < length; index += 1) {
    const value = equity[index] as number;
    peak = Math.max(peak, value);
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
    falls[index] = peak > 0 ? (value / peak - 1) * 100 : 0;
  }
  return { falls, lowest, highest };
}

/** A table of years and months, of returns in per cent. */
export function monthLines({ months }: BacktestResult): readonly string[] {
  const years = new Map<string, (number | null)[]>();
  for (const { month, return_pct } of months) {
    const [year = '', number = '1'] = month.split('-');
    const row = years.get(year) ?? Array.from({ length: 12 }, () => null);
    row[Number(number) - 1] = return_pct;
    years.set(year, row);
  }
  const cells = (texts: readonly string[]): string =>
    texts.map((text) => text.padStart(7)).join('');
  return [
    `${'%'.padEnd(5)}${cells(MONTH_NAMES)}`,
    ...[...years].map(
      ([year, row]) =>
        `${year.padEnd(5)}${cells(row.map((value) => (value === null ? '' : formatNumber(value, 1))))}`,
    ),
  ];
}

const MONTH_NAMES = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
] as const;
