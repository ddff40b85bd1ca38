import {
  formatDuration,
  formatMoney,
  formatCount,
  formatNumber,
  formatPercent,
  formatRatio,
  formatSignedPercent,
} from '../figure-format.js';
import type { Column, Row } from '../rows-table.js';
import type { FoundRun } from './find-run.js';
import type { IndexedRun } from './indexed-run.js';
import type { RunResult } from './result-schema.js';

/** Of a list of runs. */
export const RUN_COLUMNS: readonly Column[] = [
  { key: 'run' },
  { key: 'hash' },
  { key: 'strategy' },
  { key: 'symbols' },
  { key: 'from' },
  { key: 'length', alignRight: true },
  { key: 'net', head: 'net profit', alignRight: true },
  { key: 'return', alignRight: true },
  { key: 'sharpe', alignRight: true },
  { key: 'drawdown', alignRight: true },
  { key: 'trades', alignRight: true },
];

export const runRow = (run: IndexedRun): Row => ({
  run: run.interrupted ? `${run.name} (interrupted)` : run.name,
  hash: run.run_hash.slice(0, 8),
  strategy: run.strategies[0] ?? '',
  symbols: `${run.symbols.join(' ')} ${run.interval}`,
  from: run.from.slice(0, 10),
  length: formatDuration(run.days),
  net: formatMoney(Number(run.net_profit), run.currency),
  return: formatSignedPercent(run.return_pct),
  sharpe: formatRatio(run.sharpe),
  drawdown: formatPercent(run.max_drawdown_pct),
  trades: formatNumber(run.trades, 0),
});

const LABEL_WIDTH = 14;

/** A run for people: inputs, figures, hash and repeat command. @param verified its hash follows from its files */
export function runLines({ folder, result }: FoundRun, verified: boolean): readonly string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['Run', folder + (result.interrupted ? ' (interrupted by Ctrl-C)' : '')],
    ['Made', `${result.created_at}, version ${result.inputs.code.version}`],
    ...inputRows(result),
    ...figureRows(result),
    [
      'Hash',
      `${result.run_hash} ${verified ? '(follows from the files)' : '(DOES NOT FOLLOW FROM THE FILES)'}`,
    ],
    ...(result.report === null ? [] : [['Report', result.report] as const]),
    ['Repeat', result.repeat],
  ];
  return rows.map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}${text}`);
}

function inputRows({ inputs }: RunResult): readonly (readonly [string, string])[] {
  const { strategies, data, seed } = inputs;
  return [
    ...strategies.flatMap((each): (readonly [string, string])[] => [
      [
        'Strategy',
        `${each.id} (${each.use}) on ${each.symbols.join(', ')} ${each.interval}, leverage ${each.leverage}`,
      ],
      ['  params', JSON.stringify(each.params)],
      ['  size', JSON.stringify(each.size)],
      ['  protect', JSON.stringify(each.protect)],
    ]),
    [
      'Costs',
      `taker ${inputs.taker_fee}, maker ${inputs.maker_fee}, slippage ${JSON.stringify(inputs.slippage)}, funding ${inputs.funding.kind}`,
    ],
    ['Risk', `preset ${inputs.risk.preset}`],
    [
      'Data',
      seed === null
        ? data.map(({ path }) => path).join(', ')
        : `the bundled synthetic market, seed ${seed}`,
    ],
  ];
}

function figureRows(result: RunResult): readonly (readonly [string, string])[] {
  const { currency, profit_split: split } = result;
  const money = (text: string): string => formatMoney(Number(text), currency);
  return [
    [
      'Period',
      `${result.from} to ${result.to}, ${formatDuration(result.days)}, ${formatCount(result.bars, 'candle')}`,
    ],
    [
      'Net profit',
      `${money(result.net_profit)} (${formatSignedPercent(result.return_pct)}) on ${money(result.inputs.cash)}`,
    ],
    [
      '  from',
      `price ${money(split.price)}, fees ${money(split.fees)}, funding ${money(split.funding)}, slippage ${money(split.slippage)}`,
    ],
    [
      'Sharpe',
      `${formatRatio(result.sharpe)}, drawdown ${formatPercent(result.max_drawdown_pct)}, exposure ${formatPercent(result.exposure_pct)}`,
    ],
    [
      'Trades',
      `${formatNumber(result.trades, 0)}, ${formatPercent(result.win_rate_pct)} won, profit factor ${formatRatio(result.profit_factor)}`,
    ],
  ];
}
