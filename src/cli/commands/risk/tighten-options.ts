import type { Command } from 'commander';
import type { OperatorTargetOptions } from '../../operator-target.js';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import { CONFIG_HELP } from '../status/status-options.js';
import { REASON_HELP } from '../strategy/control-options.js';

/** Limits of a bot by key with dots, values as text. */
export type TightenTask = OperatorTargetOptions & {
  readonly what: 'tighten';
  readonly limits: Readonly<Record<string, string>>;
  /** Journaled with the command. */
  readonly reason?: string;
};

type Raw = OutputOptions & { readonly config?: string; readonly reason?: string };

export function addTighten(
  risk: Command,
  debug: boolean,
  action: CommandAction<OutputOptions & TightenTask>,
): void {
  const command = withOutput(risk.command('tighten'), debug);
  command
    .description(
      'Tighten limits of a running bot at once, without a daemon at its next start. They stand over restarts until the ' +
        'configuration is as tight, or until `sluice risk accept` and a restart. A limit that would allow more is refused ' +
        '(exit code 4).',
    )
    .usage('[options] <key=value...> [state-dir]')
    .argument(
      '<words...>',
      'keys below `risk:` with their values, and the state folder (default: the daemon that runs below .sluice/, else the newest run there)',
    )
    .option('--config <file>', CONFIG_HELP)
    .option('--reason <text>', REASON_HELP)
    .addHelpText(
      'after',
      examples(
        'sluice risk tighten max_leverage=2',
        'sluice risk tighten max_position_notional.usdt=500 daily_loss_limit_pct.hard=4 --config config/sandbox.yaml',
        'sluice risk tighten max_order_qty.BTCUSDT=0.01 .sluice/sandbox --reason "thin books" --json',
      ),
    )
    .action((words: readonly string[], raw: Raw) => {
      const pairs = words.filter((word) => word.includes('='));
      const [stateDir, ...more] = words.filter((word) => !word.includes('='));
      if (pairs.length === 0 || more.length > 0)
        return command.error(
          'error: give limits as KEY=VALUE, such as max_leverage=2, and at most one state folder',
        );
      const limits = Object.fromEntries(pairs.map(pairOf));
      return action({
        what: 'tighten',
        ...{ ...raw, limits },
        ...(stateDir !== undefined && { stateDir }),
      });
    });
}

/** `risk.max_leverage` is the same key. */
function pairOf(word: string): readonly [key: string, value: string] {
  const at = word.indexOf('=');
  return [word.slice(0, at).replace(/^risk\./, ''), word.slice(at + 1)];
}
