import picocolors from 'picocolors';
import { oneLine } from '../core/terminal-text.js';
import { terminalTable } from './terminal-table.js';

export type SummaryValue = string | number | boolean | null | undefined;

export interface SummaryOptions {
  /** Only for a terminal, and without NO_COLOR. */
  readonly colour: boolean;
  readonly title?: string;
}

/** Labels in place of the key. */
const LABELS: Readonly<Record<string, string>> = {
  bars: 'Bars',
  return_pct: 'Return',
  max_drawdown_pct: 'Max drawdown',
  win_rate_pct: 'Win rate',
  engine_ns_per_bar: 'Engine',
  load_ms: 'Load',
  first_fill_ms: 'First fill',
  state_dir: 'State',
};
/** Units by the suffix of the key. */
const UNITS: readonly (readonly [suffix: string, text: string])[] = [
  ['_pct', ' %'],
  ['_ms', ' ms'],
  ['_ns_per_bar', ' ns/bar'],
];
/** Good above 0 and bad below. */
const SIGNED = /^(return_pct|sharpe|sortino|calmar|net_pnl|realised_pnl|pnl)$/;
/** Bad above 0. */
const BAD_ABOVE_ZERO = /^(refused|unknown|liquidations|ambiguous_bars)$/;
const DIGITS = 6;

/**
 * A result record as a two-column terminal table, in the order of the record. Null is a dash; undefined
 * entries are left out.
 */
export function summaryTable(
  result: Readonly<Record<string, SummaryValue>>,
  options: SummaryOptions,
): string {
  const colours = picocolors.createColors(options.colour);
  const table = terminalTable({
    colAligns: ['left', 'right'],
    // cli-table3 would colour heads and borders even without a terminal.
    style: { head: [], border: [] },
  });
  if (options.title !== undefined) {
    table.push([{ content: colours.bold(oneLine(options.title)), colSpan: 2, hAlign: 'left' }]);
  }
  for (const [key, value] of Object.entries(result)) {
    if (value === undefined) continue;
    table.push([labelOf(key), tint(colours, key, value)(textOf(key, value))]);
  }
  return table.toString();
}

function labelOf(key: string): string {
  const label = LABELS[key] ?? oneLine(key.replace(/_(pct|ms)$/, '').replaceAll('_', ' '));
  return label.charAt(0).toUpperCase() + label.slice(1);
}

function textOf(key: string, value: Exclude<SummaryValue, undefined>): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return oneLine(value);
  if (!Number.isFinite(value)) return '–';
  const number = Number.isInteger(value) ? groups(value) : `${Number(value.toPrecision(DIGITS))}`;
  const unit = UNITS.find(([suffix]) => key.endsWith(suffix))?.[1] ?? '';
  return `${number}${unit}`;
}

/** 1000000 is "1,000,000". Without Intl, so that every machine prints the same. */
const groups = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

function tint(
  colours: ReturnType<typeof picocolors.createColors>,
  key: string,
  value: Exclude<SummaryValue, undefined>,
): (text: string) => string {
  const number = Number(value);
  if (value === false) return colours.red;
  if (BAD_ABOVE_ZERO.test(key) && number > 0) return colours.yellow;
  if (SIGNED.test(key) && number > 0) return colours.green;
  if (SIGNED.test(key) && number < 0) return colours.red;
  return String;
}
