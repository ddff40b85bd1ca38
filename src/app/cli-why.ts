import type { Command } from 'commander';
import { DEBUG_TEXT, examples, JSON_TEXT } from './cli-help.js';
import type { WhyOptions } from './command-options.js';

/** `sluice why`: what led to an order, or why nothing did. */
export function addWhy(
  program: Command,
  debug: boolean,
  act: (options: WhyOptions) => Promise<void>,
): void {
  program
    .command('why')
    .description(
      'Explain an order, a decision or a candle: event, decision, verdict, attempts, fills.',
    )
    .usage('[options] <id | key | symbol time> [state-dir]')
    .argument(
      '<words...>',
      'an order id, client order id, decision key or command id (or how it begins), or a symbol and ' +
        'the time of a candle; then the state folder (default: the newest run below .sluice/)',
    )
    .option('--config <file>', 'the configuration whose state_dir is meant')
    .option('--strategy <id>', 'of a candle: this strategy alone')
    .option('--rebuild', 'drop index.db first and build it anew', false)
    .option('--json', JSON_TEXT, false)
    .option('--debug', DEBUG_TEXT, debug)
    .addHelpText(
      'after',
      examples(
        'sluice why mxq7ha-5yzv2cn3 .sluice/demo',
        'sluice why 01968f2e-7c7e-7b11 --config config/demo.yaml --json',
        'sluice why candle:BTCUSDT:1m:1746403980000#0 .sluice/demo',
        'sluice why BTCUSDT 2025-05-05T00:13:00Z .sluice/demo --strategy btc-cross',
      ),
    )
    .action((words: readonly string[], options: Omit<WhyOptions, 'words'>) =>
      act({ words, ...options }),
    );
}
