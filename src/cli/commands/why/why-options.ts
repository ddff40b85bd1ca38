import type { Command } from 'commander';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';

export interface WhyOptions extends OutputOptions {
  /** The order, decision or candle, then optionally the state folder. */
  readonly args: readonly string[];
  /** Path of a configuration: its state_dir is searched. */
  readonly config?: string;
  /** For a candle: shows this strategy only. */
  readonly strategy?: string;
  /** Deletes the index first. */
  readonly rebuild: boolean;
}

/** @param debug default of `--debug`, from SLUICE_DEBUG */
export function addWhy(program: Command, debug: boolean, action: CommandAction<WhyOptions>): void {
  const command = program
    .command('why')
    .description(
      'Explain an order, a decision or a candle: event, decision, verdict, attempts, fills.',
    )
    .usage('[options] <id | key | symbol time> [state-dir]')
    .argument(
      '<args...>',
      'an order id, client order id, decision key or command id (the first characters are enough), or a symbol ' +
        'and the time of a candle; then the state folder (default: the newest run below .sluice/)',
    )
    .option('--config <file>', 'search the state_dir of this configuration')
    .option('--strategy <id>', 'for a candle: show this strategy only')
    .option('--rebuild', 'delete index.db and build it again', false);
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice why mxq7ha-5yzv2cn3 .sluice/demo',
        'sluice why 01968f2e-7c7e-7b11 --config config/demo.yaml --json',
        'sluice why candle:BTCUSDT:1m:1746403980000#0 .sluice/demo',
        'sluice why BTCUSDT 2025-05-05T00:13:00Z .sluice/demo --strategy btc-cross',
      ),
    )
    .action((args: readonly string[], options: Omit<WhyOptions, 'args'>) =>
      action({ args, ...options }),
    );
}
