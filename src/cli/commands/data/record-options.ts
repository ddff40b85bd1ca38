import type { Command } from 'commander';
import { examples, type CommandAction } from '../../shared-options.js';
import * as values from '../../values.js';
import { dataGroup, withCatalog, type CatalogOptions } from './data-group.js';

export interface DataRecordOptions extends CatalogOptions {
  readonly config?: string;
  readonly baseUrl?: string;
  readonly secretFile?: string;
  /** 1 to 25. */
  readonly symbols: readonly string[];
  readonly streams: readonly RecordedKind[];
  /** ms between two readings of a funding rate. */
  readonly every: number;
  /** ms. Absent: until Ctrl-C. */
  readonly for?: number;
  /** ms UTC of this machine. */
  readonly until?: number;
  readonly maxMb?: number;
}

const KINDS = ['funding', 'klines', 'mark-klines'] as const;
export type RecordedKind = (typeof KINDS)[number];

type Raw = Omit<DataRecordOptions, 'symbols' | 'streams'> & {
  readonly symbol: readonly string[];
  readonly kind: readonly RecordedKind[];
};

export function addDataRecord(
  program: Command,
  debug: boolean,
  action: CommandAction<DataRecordOptions>,
): void {
  const kindOf = values.oneOf(KINDS);
  const command = dataGroup(program)
    .command('record')
    .description(
      'Record funding rates at their settlements, of which the venue keeps no history, and closed candles. Ctrl-C ends it; a later start goes on.',
    )
    .option('--config <file>', 'the YAML configuration with addresses and key, as `run` takes it')
    .option('--base-url <url>', 'address of the REST API, instead of --config')
    .option(
      '--secret-file <file>',
      'file that holds the API secret, mode 0600; funding rates alone need it',
    )
    .requiredOption(
      '--symbol <symbols>',
      'such as BTCUSDT; up to 25 with commas between',
      values.parseSymbolList,
    )
    .option(
      '--kind <kinds>',
      `${KINDS.join(', ')}, with commas between`,
      (text: string) => text.split(',').map(kindOf),
      [...KINDS],
    )
    .option(
      '--every <duration>',
      'time between two readings of a rate',
      values.parseDuration,
      300_000,
    )
    .option('--for <duration>', 'end after this time, such as 2h', values.parseDuration)
    .option('--until <time>', 'end at this time, ISO 8601 in UTC', values.parseInstant)
    .option(
      '--max-mb <megabytes>',
      'end before the files of the catalogue exceed this size',
      values.wholeNumber(1, 1_000_000),
    );
  withCatalog(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice data record --config config/sandbox.yaml --symbol BTCUSDT,ETHUSDT',
        'sluice data record --base-url http://127.0.0.1:8787 --symbol BTCUSDT --kind klines,mark-klines --for 2h',
      ),
    )
    .action(({ symbol, kind, ...options }: Raw) =>
      action({ ...options, symbols: [...new Set(symbol)], streams: [...new Set(kind)] }),
    );
}
