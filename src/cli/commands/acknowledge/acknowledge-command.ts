import { StartError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import type { Io } from '../../command-io.js';
import { ask, connectTo, findTarget } from '../../operator-target.js';
import type { AcknowledgeOptions } from './acknowledge-options.js';

/**
 * Ends the repetition of the raised alerts of a daemon.
 * @returns 0, also when nothing is raised
 * @throws StartError without a daemon, UsageError for a daemon without a notifier
 */
export async function acknowledgeCommand(options: AcknowledgeOptions, io: Io): Promise<number> {
  const target = await findTarget(options, io);
  const client = await connectTo(target, io);
  if (client === undefined)
    throw new StartError(`no daemon runs on ${target.stateDir}: no alert repeats`);
  try {
    const { acknowledged = [] } = await ask(client, { command: 'acknowledge' });
    if (options.json) io.stdout(`${JSON.stringify({ acknowledged })}\n`);
    else if (acknowledged.length === 0) io.stdout('no alert is raised that still repeats\n');
    else io.stdout(`acknowledged: ${acknowledged.join(', ')}\n`);
    return EXIT.done;
  } finally {
    client.close();
  }
}
