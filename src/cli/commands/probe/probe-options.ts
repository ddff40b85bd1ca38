import type { Command } from 'commander';
import {
  examples,
  withAccount,
  type CommandAction,
  type VenueOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';

export interface ProbeOptions extends VenueOptions {
  /** Also sends orders of minimum size. */
  readonly minSize: boolean;
  readonly symbol: string;
  /** Path of the answers to compare with; a missing file is written. */
  readonly compare?: string;
  /** Path of the venue profile to write. */
  readonly out?: string;
}

export function addProbe(
  program: Command,
  debug: boolean,
  action: CommandAction<ProbeOptions>,
): void {
  withAccount(program.command('probe'), debug)
    .description('Find out how a real venue behaves where its interface leaves questions open.')
    .option('--read-only', 'send reads only (the default)', true)
    .option('--min-size', 'also send orders of minimum size, after a typed confirmation', false)
    .option('--symbol <symbol>', 'the symbol to probe with', values.parseSymbol, 'BTCUSDT')
    .option(
      '--compare <file>',
      'instead: compare rules, fee rates, limits and shapes with those of this file (exit code 1 if they changed). A missing file is written',
    )
    .option('--out <file>', 'write the answers as a venue profile, for `sluice sandbox --profile`')
    .addHelpText(
      'after',
      examples(
        'sluice probe --base-url https://api.example.com --secret-file secret --out venue-profile.json',
        'sluice probe --config config/sandbox.yaml --min-size',
        'sluice probe --config live.yaml --compare venue-answers.json',
      ),
    )
    .action(
      (
        _config: unknown,
        { readOnly: _default, ...options }: ProbeOptions & { readonly readOnly: boolean },
      ) => action(options),
    );
}
