import { countText } from '../../core/terminal-text.js';
import { basename, join } from 'node:path';
import { ConfigError } from '../../core/command-errors.js';
import type { Currency } from '../../core/currency.js';
import type { Files } from '../../core/ports.js';
import { readRun } from '../../report/run/run-reader.js';

/** The backtest that a live run is compared with. */
export interface ExpectedRun {
  readonly name: string;
  readonly hash: string;
  /** Of each closed trade, before fees and funding: a share of its value at entry. */
  readonly results: Float64Array;
}

/** Fewer trades say nothing about the spread of their results. */
const MIN_TRADES = 30;

/**
 * Reads the trades of a backtest's folder.
 * @param place of the key in the configuration
 * @throws ConfigError for a folder without a run, another currency, or too few trades
 */
export async function readExpectedRun(
  folder: string,
  { currency, place }: { readonly currency: Currency; readonly place: string },
  files: Files,
): Promise<ExpectedRun> {
  const refuse = (fault: string): ConfigError =>
    new ConfigError([`${place}: expected_run: ${folder}: ${fault}`]);
  const [read, bytes] = await Promise.all([
    readRun(folder, files),
    files.read(join(folder, 'trades.csv')),
  ]);
  if ('problem' in read) throw refuse(read.problem);
  const { result } = read;
  if (result.currency !== currency)
    throw refuse(`its account is in ${result.currency}, and this one in ${currency}`);
  if (bytes === undefined) throw refuse(`trades.csv is missing; repeat the run: ${result.repeat}`);
  const results = resultsOf(new TextDecoder().decode(bytes));
  if (results === undefined)
    throw refuse(`trades.csv was changed; repeat the run: ${result.repeat}`);
  if (results.length < MIN_TRADES)
    throw refuse(`it has ${countText(results.length, 'closed trade')}; a band needs ${MIN_TRADES}`);
  return { name: basename(folder), hash: result.run_hash, results };
}

/**
 * The price's gain in the direction of each trade: the same share in every currency of the account, where `gross_pnl`
 * is in that of the wallet and prices are in USDT.
 * @returns undefined for a table that `sluice backtest` did not write
 */
function resultsOf(text: string): Float64Array | undefined {
  const [header = '', ...rows] = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const columns = header.split(',');
  const [side, entry, exit] = ['side', 'entry_price', 'exit_price'].map((name) =>
    columns.indexOf(name),
  ) as [number, number, number];
  if (side < 0 || entry < 0 || exit < 0) return undefined;
  const results = rows.map((row) => {
    const cells = row.split(',');
    const gain = Number(cells[exit]) / Number(cells[entry]) - 1;
    return cells[side] === 'short' ? -gain : gain;
  });
  return results.every(Number.isFinite) ? Float64Array.from(results) : undefined;
}
