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
import {
  leaveToNextStart,
  requireConfiguredStrategy,
  rowOf,
  withBot,
} from '../strategy/strategy-target.js';
import type { PauseEnd, PauseOptions } from './pause-options.js';

/** Sets the kill switch to `pause`, with an end where one is named. */
export async function pauseCommand(options: PauseOptions, io: Io): Promise<number> {
  if (options.strategy !== undefined) return pauseStrategy(options.strategy, options, io);
  if (options.reason !== undefined) throw new UsageError('--reason needs --strategy');
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

/** Refuses the entries of one strategy. Without a daemon the next start does. */
const pauseStrategy = (strategy: string, options: PauseOptions, io: Io): Promise<number> =>
  withBot(options, io, async (target, client) => {
    if (client === undefined) await requireConfiguredStrategy(strategy, target, io);
    const until = options.until === undefined ? undefined : await endOf(options.until, client, io);
    const end = until !== undefined && { until };
    const reason = options.reason ?? 'sluice pause';
    const report =
      client === undefined
        ? await leaveToNextStart(target, { kind: 'pause-strategy', strategy, ...end, reason }, io)
        : await ask(client, { command: 'pause', strategy, ...end, reason });
    const state = rowOf(report, strategy)?.state;
    const at =
      until === undefined
        ? `\`sluice resume --strategy ${strategy}\``
        : new Date(until).toISOString();
    if (options.json) io.stdout(`${JSON.stringify(report)}\n`);
    else if (client === undefined)
      io.stdout(
        `no daemon runs: from the next start on only exits of ${strategy} leave, until ${at}\n`,
      );
    else if (state === 'paused') io.stdout(`only exits of ${strategy} leave until ${at}\n`);
    else
      io.stdout(
        `${strategy} is ${state ?? 'unknown'}; once it runs, only its exits leave until ${at}\n`,
      );
    return EXIT.done;
  });

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
