import { UsageError } from '../../../core/command-errors.js';
import type { SluiceConfig } from '../../../config/config.js';
import type { NodeNet } from '../../../io/net/node-net.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import type { Bot } from '../../../live/bot/bot.js';
import { createBot } from '../../../live/bot/create-bot.js';
import { StartupRetry, VenueUnavailableError } from '../../../live/bot/startup-retry.js';
import { createLogger } from '../../../live/log/logger.js';
import { killFileIn, type KillSetting } from '../../../live/state/kill-file.js';
import { CandleTimes } from '../../../live/status/candle-times.js';
import { engineStatus } from '../../../live/status/engine-status.js';
import type { StatusReport } from '../../../live/status/status-report.js';
import { Secret } from '../../../venue/futures-api/http/secret.js';
import { openVenueNet } from '../../venue-net.js';
import { usesColour, type Io } from '../../command-io.js';
import type { OperatorTarget } from '../../operator-target.js';
import { openVenue, type OpenedVenue } from '../run/open-venue.js';
import { offlineStatus } from '../status/status-command.js';
import { configOfState } from './config-of-state.js';
import type { KillOptions } from './kill-options.js';
import type { KillProgress } from './kill-progress.js';

const PROGRESS_INTERVAL_MS = 500;

export interface OfflineKill {
  readonly setting: KillSetting;
  readonly target: OperatorTarget;
  readonly options: KillOptions;
  readonly io: Io;
  readonly progress: KillProgress;
}

/**
 * Cancels and closes without a daemon: takes the lock, reconciles with the venue and sends the same command to
 * the same engine, without a strategy.
 * @throws StateHeldError when another process holds the folder, SafetyRefusal, ConfigError
 */
export async function killWithoutDaemon(kill: OfflineKill): Promise<StatusReport> {
  const { target, io, options } = kill;
  const config = target.config ?? (await configOfState(target.stateDir, io.files));
  if (config === undefined) throw new UsageError(noConfigText(target.stateDir));
  if (config.venue.endpoint.kind === 'embedded') {
    io.stderr('sluice: the exchange of this bot ended with its run: nothing of ours is open\n');
    return emptied(await offlineStatus(target, io));
  }
  const net = openVenueNet(config);
  const retry = new StartupRetry({ ...io, logger: await quietLogger(options, io) });
  const cancelTimeout = io.scheduler.after(options.timeoutMs, () => {
    retry.cancel();
  });
  const removeListener = io.onSignal(() => {
    retry.cancel();
  });
  try {
    return await runKill(kill, { config, net, retry, venue: await openVenue(config, io) });
  } catch (error) {
    if (!(error instanceof VenueUnavailableError)) throw error;
    io.stderr(`sluice: ${error.message}. Nothing was sent\n`);
    return { ...(await offlineStatus(target, io)), reconciled: false };
  } finally {
    removeListener();
    cancelTimeout();
    await net.close();
  }
}

interface KillVenue {
  readonly config: SluiceConfig;
  readonly net: NodeNet;
  readonly retry: StartupRetry;
  readonly venue: OpenedVenue;
}

async function runKill(
  { setting, target, options, io, progress }: OfflineKill,
  { config, net, retry, venue }: KillVenue,
): Promise<StatusReport> {
  const { baseUrl, wsUrl, secret } = venue;
  const bot = await createBot({
    config,
    strategies: [],
    operator: {},
    baseUrl,
    wsUrl,
    ...(secret !== undefined && { secret: new Secret(secret.text), secretFrom: secret.from }),
    stateDir: target.stateDir,
    ports: { ...io, net, facts: nodeProcessFacts },
    logger: await quietLogger(options, io, secret?.text),
    withRetry: (attempt) => retry.run(attempt),
    allowKilled: true,
  });
  const read = (): StatusReport => statusOf(bot, { config, setting, target, io });
  const deadline = io.clock.monotonicMs() + options.timeoutMs;
  let isStopped = false;
  const repeat = (): void => {
    progress.show(read());
    if (!isStopped) io.scheduler.after(PROGRESS_INTERVAL_MS, repeat);
  };
  try {
    bot.command({
      kind: 'kill',
      level: setting.level,
      reason: `${killFileIn(target.stateDir)} exists`,
    });
    await Promise.race([bot.start(), bot.failed, retry.cancelled]);
    repeat();
    let end = deadline;
    void retry.cancelled.then(() => (end = 0));
    await bot.stop('keep', () => end);
    if (bot.failure !== undefined) throw bot.failure;
    return read();
  } finally {
    isStopped = true;
    await bot.close();
  }
}

function statusOf(
  bot: Bot,
  {
    config,
    setting,
    target,
    io,
  }: Pick<OfflineKill, 'setting' | 'target' | 'io'> & {
    readonly config: SluiceConfig;
  },
): StatusReport {
  const report = engineStatus({
    engine: bot.engine,
    config,
    stateDir: target.stateDir,
    pid: nodeProcessFacts.pid,
    kill: setting,
    candleTimes: new CandleTimes(),
    venuePositions: bot.reportedPositions?.positions,
    monotonic: io.clock.monotonicMs(),
    venueTime: bot.venueTimeIn(0),
  });
  return { ...report, running: false, pid: null };
}

/** An embedded exchange keeps nothing after its run. */
const emptied = (report: StatusReport): StatusReport => ({
  ...report,
  positions: [],
  orders: [],
  unknown: 0,
  unproved: [],
  flatten: null,
});

const quietLogger = (options: KillOptions, io: Io, secret?: string) =>
  createLogger({
    level: options.debug ? 'debug' : 'warn',
    write: io.stderr,
    pretty: io.isTerminal,
    colour: usesColour(io),
    secrets: secret === undefined ? [] : [secret],
    stacks: options.debug,
  });

const noConfigText = (stateDir: string): string =>
  `${killFileIn(stateDir)} is written, and the next start obeys it. No record in ${stateDir} names the ` +
  'configuration of its bot: give it with --config FILE, so that this command can reach the venue';
