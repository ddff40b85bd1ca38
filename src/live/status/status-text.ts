import picocolors from 'picocolors';
import { oneLine, countText } from '../../core/terminal-text.js';
import { rowsTable, type Column } from '../../report/rows-table.js';
import { limitText } from '../../risk/catalog/limit-catalog.js';
import { expectationText } from '../expectation/expectation-text.js';
import { limitTables } from './limits/limit-text.js';
import { unprovedAdvice } from '../summary/unproved-orders.js';
import type { DataAges, KillStatus, StatusReport } from './status-report.js';

export interface StatusTextOptions {
  readonly colour: boolean;
  /** Every limit; default: the tightest. */
  readonly all?: boolean;
}

/** The status for people: facts first, then a table for each kind of thing that there is. */
export function statusReportText(
  report: StatusReport,
  { colour, all = false }: StatusTextOptions,
): string {
  const lines = factLines(report, colour).map(oneLineKeepingColours);
  const tables = tablesOf(report, all).flatMap(({ title, rows, columns }) =>
    rows.length === 0 ? [] : ['', title, rowsTable(rows, columns, colour, true)],
  );
  const unproved = report.unproved.map((row) => oneLine(unprovedAdvice(row)));
  return `${[...lines, ...tables, ...(unproved.length === 0 ? [] : ['', ...unproved])].join('\n')}\n`;
}

/** Values are made printable before they are coloured. */
const oneLineKeepingColours = ([label, value]: readonly [string, string]): string =>
  `${label.padEnd(LABEL_WIDTH)}${value}`;

const LABEL_WIDTH = 13;

type Fact = readonly [label: string, value: string];

function factLines(report: StatusReport, colour: boolean): readonly Fact[] {
  const colours = picocolors.createColors(colour);
  const mode = report.mode === 'TRADING' ? colours.green(report.mode) : colours.yellow(report.mode);
  const causes = report.causes.map(oneLine).join('; ');
  const kill = report.kill === null ? 'off' : colours.red(oneLine(killText(report.kill)));
  const facts: (Fact | undefined)[] = [
    ['daemon', daemonText(report)],
    ['state folder', oneLine(report.state_dir)],
    ['mode', causes === '' ? mode : `${mode}: ${causes}`],
    ...Object.entries(report.symbols).map(([symbol, { mode: own, cause }]): Fact => [
      oneLine(symbol),
      `${colours.yellow(own)}: ${oneLine(cause)}`,
    ]),
    ['kill switch', kill],
    report.pending_commands.length === 0
      ? undefined
      : ['next start', oneLine(report.pending_commands.join('; '))],
    report.tightened.length === 0
      ? undefined
      : ['tightened', oneLine(report.tightened.map(tightenedFact).join('; '))],
    report.flatten === null ? undefined : ['flatten', flattenText(report.flatten)],
    report.equity === null
      ? undefined
      : ['equity', `${oneLine(report.equity)} ${oneLine(report.currency ?? '')}`],
    report.expectation === null
      ? undefined
      : ['expected', oneLine(expectationText(report.expectation))],
    ['positions', countOrNone(report.positions.length)],
    ['orders', countOrNone(report.orders.length)],
    ['unknown', report.unknown === 0 ? 'none' : colours.red(String(report.unknown))],
    report.reconciled === null
      ? undefined
      : ['reconciled', report.reconciled ? 'yes' : colours.yellow('no')],
    report.venue_time === null ? undefined : ['venue time', oneLine(report.venue_time)],
    report.ages_ms === null ? undefined : ['age of data', agesText(report.ages_ms)],
  ];
  return facts.filter((fact) => fact !== undefined);
}

const tightenedFact = ({ key, unit, from, to }: StatusReport['tightened'][number]): string =>
  `${key} ${limitText(to, unit)} instead of ${limitText(from ?? undefined, unit)}`;

const daemonText = ({ running, pid, account, run_mode: mode }: StatusReport): string => {
  const name = account === null ? '' : ` of account ${oneLine(account)}`;
  return running
    ? `running${name}, process ${pid ?? '?'}, mode: ${oneLine(mode ?? '?')}`
    : `not running${name}; this is what its journal holds`;
};

const killText = ({ level, until, file }: KillStatus): string =>
  `${level}, until ${until ?? '`sluice resume`'} (${file})`;

const flattenText = ({ end, positions, orders }: NonNullable<StatusReport['flatten']>): string =>
  end === 'unfinished'
    ? `unfinished: ${countText(positions, 'position')} and ${countText(orders, 'order')} left`
    : end;

const countOrNone = (count: number): string => (count === 0 ? 'none' : String(count));

function agesText({ positions, orders, wallet, feed }: DataAges): string {
  const age = (name: string, ms: number | null): string =>
    `${name} ${ms === null ? 'never read' : secondsText(ms)}`;
  return [
    age('prices', feed),
    age('positions', positions),
    age('orders', orders),
    age('wallet', wallet),
  ].join(', ');
}

/** The command that stopped or paused a strategy, and its held targets with the command that resumes them. */
function causeText({ cause, held }: StatusReport['strategies'][number]): string | null {
  const holds = held.map(
    ({ symbol, reason }) =>
      `${symbol}: its target is held, because ${reason} (sluice resume ${symbol})`,
  );
  const texts = [...(cause === null ? [] : [cause]), ...holds];
  return texts.length === 0 ? null : texts.join('; ');
}

/** `0.4 s`, `95 s`. */
export const secondsText = (ms: number): string =>
  `${ms < 10_000 ? (ms / 1_000).toFixed(1) : String(Math.round(ms / 1_000))} s`;

const right = (key: string, head?: string): Column => ({
  key,
  alignRight: true,
  ...(head !== undefined && { head }),
});

const POSITION_COLUMNS: readonly Column[] = [
  { key: 'symbol' },
  right('own', 'ours'),
  right('venue'),
  right('entry_price', 'entry'),
  right('last_price', 'last'),
  right('unrealised_pnl', 'unrealised'),
  right('stop_loss', 'stop'),
  right('take_profit', 'target'),
];
const ORDER_COLUMNS: readonly Column[] = [
  { key: 'client_order_id', head: 'order' },
  { key: 'strategy' },
  { key: 'symbol' },
  { key: 'side' },
  { key: 'type' },
  right('quantity'),
  right('filled'),
  right('price'),
  { key: 'state' },
];
const STRATEGY_COLUMNS: readonly Column[] = [
  { key: 'id', head: 'strategy' },
  { key: 'state' },
  { key: 'symbols' },
  right('age', 'last candle'),
  right('unrealised_pnl', 'unrealised'),
  right('intents'),
  right('refused'),
  right('errors'),
  { key: 'cause' },
];
const PROFIT_COLUMNS: readonly Column[] = [
  { key: 'owner', head: 'strategy' },
  right('realised', 'realised net'),
  right('today'),
  right('unrealised'),
];

function profitTitle({ currency, profit_source: source }: StatusReport): string {
  const title = `Profit by strategy, ${currency ?? 'in the currency of the wallet'}`;
  return source?.from === 'journal'
    ? `${title}, from the journal (newest record ${secondsText(source.age_ms)} ago), not confirmed by the venue`
    : title;
}

function tablesOf(report: StatusReport, all: boolean) {
  return [
    {
      title: 'Positions',
      rows: report.positions.map((row) => ({ ...row })),
      columns: POSITION_COLUMNS,
    },
    { title: 'Orders', rows: report.orders.map((row) => ({ ...row })), columns: ORDER_COLUMNS },
    {
      title: 'Strategies',
      rows: report.strategies.map((row) => ({
        ...row,
        symbols: row.symbols.join(', '),
        cause: causeText(row),
        age: row.last_candle_age_ms === null ? null : `${secondsText(row.last_candle_age_ms)} ago`,
      })),
      columns: STRATEGY_COLUMNS,
    },
    {
      title: profitTitle(report),
      rows: (report.profit ?? []).map((row) => ({ ...row })),
      columns: PROFIT_COLUMNS,
    },
    ...limitTables(report.limits, all),
  ];
}
