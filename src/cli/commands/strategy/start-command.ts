import { StartError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import type { Io } from '../../command-io.js';
import { ask } from '../../operator-target.js';
import type { StartStrategyOptions } from './control-options.js';
import { leaveToNextStart, requireConfiguredStrategy, rowOf, withBot } from './strategy-target.js';

/** Real ms for loading the code twice and reading the warm-up. */
const TIMEOUT_MS = 120_000;

/** Starts one strategy of a bot again, or reloads it. */
export const startStrategyCommand = (options: StartStrategyOptions, io: Io): Promise<number> =>
  withBot(options, io, async (target, client) => {
    const { strategy, reload, reason, json } = options;
    if (client === undefined) {
      await requireConfiguredStrategy(strategy, target, io);
      if (reload)
        throw new StartError(
          `no daemon runs on ${target.stateDir}: its next start reads the code and the configuration anew`,
        );
      const command = { kind: 'start-strategy', strategy, reason } as const;
      const waiting = await leaveToNextStart(target, command, io);
      if (json) io.stdout(`${JSON.stringify(waiting)}\n`);
      else io.stdout(`no daemon runs: the next start of the bot starts ${strategy}\n`);
      return EXIT.done;
    }
    const before = rowOf(await ask(client, { command: 'status' }), strategy)?.state;
    const request = { command: 'start-strategy', strategy, reload, reason } as const;
    const report = await ask(client, request, TIMEOUT_MS);
    const state = rowOf(report, strategy)?.state ?? 'unknown';
    const ran = !reload && (before === 'running' || before === 'paused');
    const what = reload ? 'is reloaded' : 'is started';
    const { unapplied = [] } = report;
    if (unapplied.length > 0)
      io.stderr(
        `sluice: warning: ${unapplied.join(', ')} of ${strategy} differ from this run: a reload reads \`use\` and \`params\` alone, so restart the bot to apply them\n`,
      );
    if (json) io.stdout(`${JSON.stringify(report)}\n`);
    else io.stdout(`${strategy} ${ran ? 'runs already' : what}; its state is ${state}\n`);
    return state === 'running' || state === 'paused' ? EXIT.done : EXIT.failed;
  });
