import { UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import type { OperatorClient } from '../../../live/operator/operator-client.js';
import type { Io } from '../../command-io.js';
import {
  ask,
  connectTo,
  findTarget,
  refuseOtherAccount,
  requireKillable,
} from '../../operator-target.js';
import { setKillFile } from '../kill/kill-command.js';
import { offlineStatus } from '../status/status-command.js';
import type { PauseEnd, PauseOptions } from './pause-options.js';

/** Sets the kill switch to `pause`, with an end where one is named. */
export async function pauseCommand(options: PauseOptions, io: Io): Promise<number> {
  const target = await findTarget(options, io);
  requireKillable(target);
  const client = await connectTo(target, io);
  if (client === undefined) await refuseOtherAccount(target, io);
  try {
    const until = options.until === undefined ? undefined : await endOf(options.until, client, io);
    const setting = await setKillFile(
      target,
      { level: 'pause', ...(until !== undefined && { until }) },
      io,
    );
    const report =
      client === undefined
        ? await offlineStatus(target, io)
        : await ask(client, {
            command: 'pause',
            reason: 'sluice pause',
            ...(until !== undefined && { until }),
          });
    if (options.json) io.stdout(`${JSON.stringify(report)}\n`);
    else if (setting.level === 'pause') {
      const end = until === undefined ? '`sluice resume`' : new Date(until).toISOString();
      io.stdout(`only exits leave until ${end}\n`);
    } else {
      io.stdout(`the kill switch is set to ${setting.level} already, which is stronger\n`);
    }
    return EXIT.done;
  } finally {
    client?.close();
  }
}

/** Venue ms. Without a daemon the clock of this machine stands for that of the venue. */
async function endOf(
  end: PauseEnd,
  client: OperatorClient | undefined,
  { clock }: Pick<Io, 'clock'>,
): Promise<number> {
  const venueTime =
    client === undefined ? null : (await ask(client, { command: 'status' })).venue_time;
  const now = venueTime === null ? clock.utcMs() : Date.parse(venueTime);
  const at = 'at' in end ? end.at : now + end.afterMs;
  if (at > now) return at;
  const text = `--until ${new Date(at).toISOString()} has passed: it is ${new Date(now).toISOString()} at the venue`;
  throw new UsageError(text);
}
