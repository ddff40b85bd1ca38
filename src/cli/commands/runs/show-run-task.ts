import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import {
  formatDuration,
  formatMoney,
  formatNumber,
  formatPercent,
  formatRatio,
  formatSignedPercent,
} from '../../../report/figure-format.js';
import { readTables } from '../../../report/run/run-reader.js';
import { runHashOf } from '../../../report/run/run-hash.js';
import type { RunResult } from '../../../report/run/result-schema.js';
import type { Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import { findRun, type FoundRun } from './find-run.js';
import type { RunsOptions } from './runs-options.js';

type ShowOptions = Extract<RunsOptions, { readonly what: 'show' }>;

const LABEL_WIDTH = 14;

/**
 * Prints one run, and whether its hash still follows from its files.
 * @returns 1 when a file was changed after the run
 */
export async function showRun({ run, directory, json }: ShowOptions, io: Io): Promise<number> {
  const found = await findRun(run, directory, io);
  const { folder, result } = found;
  const tables = await readTables(folder, io.files);
  const verified = tables !== undefined && runHashOf(result, tables) === result.run_hash;
  if (json) printJson(io, { ...result, folder, hash_verified: verified });
  else io.stdout(`${textLines(found, verified).map(oneLine).join('\n')}\n`);
  if (!verified) io.stderr(`sluice: ${oneLine(folder)}: ${changedText(tables !== undefined)}\n`);
  return verified ? EXIT.done : EXIT.failed;
}

const changedText = (hasTables: boolean): string =>
  hasTables
    ? 'the hash does not follow from the files: one was changed after the run; run the repeat command'
    : 'trades.csv, equity.csv or fills.csv is missing; run the repeat command';

function textLines({ folder, result }: FoundRun, verified: boolean): readonly string[] {
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
      `${result.from} to ${result.to}, ${formatDuration(result.days)}, ${formatNumber(result.bars, 0)} candles`,
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
