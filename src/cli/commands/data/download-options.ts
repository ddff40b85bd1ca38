import type { Command } from 'commander';
import type { DownloadRequest } from '../../../tools/download/run-download.js';
import { examples, type CommandAction } from '../../shared-options.js';
import * as values from '../../values.js';
import { dataGroup, withCatalog, type CatalogOptions } from './data-group.js';

export type DataDownloadOptions = CatalogOptions & DownloadRequest;

const KINDS = ['klines', 'mark-klines'] as const;
/** The venue's limit for public market data, per address. */
const MAX_RATE = 300;

type Raw = Omit<DataDownloadOptions, 'symbols' | 'fromMs' | 'toMs'> & {
  readonly symbol: readonly string[];
  readonly from: number;
  readonly to?: number;
};

export function addDataDownload(
  program: Command,
  debug: boolean,
  action: CommandAction<DataDownloadOptions>,
): void {
  const command = dataGroup(program)
    .command('download')
    .description(
      'Download candles of the venue into the catalogue. A second run goes on where the first one ended.',
    )
    .requiredOption('--base-url <url>', 'address of the REST API; no key is needed')
    .requiredOption(
      '--symbol <symbols>',
      'such as BTCUSDT; several with commas between',
      values.parseSymbolList,
    )
    .option('--interval <interval>', 'candle interval', values.parseInterval, '1m')
    .option('--kind <kind>', KINDS.join(' or '), values.oneOf(KINDS), 'klines')
    .requiredOption('--from <time>', 'first open time, ISO 8601 in UTC', values.parseInstant)
    .option('--to <time>', 'end of the range, exclusive (default: now)', values.parseInstant)
    .option('--overwrite', 'replace rows of the catalogue that differ', false)
    .option(
      '--rate <calls>',
      'calls a minute at most; a bot at the same address needs some of the 300',
      values.wholeNumber(1, MAX_RATE),
      MAX_RATE,
    );
  withCatalog(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice data download --base-url http://127.0.0.1:8080 --symbol BTCUSDT,ETHUSDT --from 2025-05-01 --to 2025-06-01',
        'sluice data download --base-url http://127.0.0.1:8080 --symbol BTCUSDT --kind mark-klines --interval 1h --from 2025-01-01',
      ),
    )
    .action(({ symbol, from, to, ...options }: Raw) =>
      action({
        ...options,
        symbols: [...new Set(symbol)],
        fromMs: from,
        ...(to !== undefined && { toMs: to }),
      }),
    );
}
