import { createNodeNet, type NodeNet } from '../../../io/net/node-net.js';
import { Secret, SecretHolder } from '../../../venue/futures-api/http/secret.js';
import type { Bot } from '../../../live/bot/bot.js';
import { usesColour, type Io } from '../../command-io.js';
import type { RunOptions } from './run-options.js';
import { loadConfig, type SluiceConfig } from '../../../config/config.js';
import { EXIT } from '../../../core/exit-code.js';
import { SafetyRefusal } from '../../../core/command-errors.js';
import { checkLimitConflicts } from '../../../live/checks/limit-conflicts.js';
import { createLogger } from '../../../live/log/logger.js';
import { openStrategies } from '../../../live/strategies/open-strategies.js';
import { nodeGzip } from '../../../io/node/node-gzip.js';
import { nodeProcessFacts } from '../../../io/node/node-process-facts.js';
import { printVenueUnavailable } from './run-reporter.js';
import { RunSession } from './run-session.js';
import { startHeartbeat } from './daemon-heartbeat.js';
import { measuredPorts, openMetricsPage, type MetricsPage } from './metrics-page.js';
import { openDaemonChannel, type DaemonChannel } from './daemon-channel.js';
import { CandleTimes } from '../../../live/status/candle-times.js';
import { logRestore } from '../../../live/state/restore-mark.js';
import type { HeartbeatWriter } from '../../../live/supervisor/heartbeat.js';
import { SecretRotation } from '../../../live/log/secret-rotation.js';
import { keyAdviceOf, openVenue, type OpenedVenue } from './open-venue.js';
import { VenueUnavailableError, StartupRetry } from '../../../live/bot/startup-retry.js';
import { createMeters } from '../../../metrics/meters.js';
import { createBot, type BotPorts } from '../../../live/bot/create-bot.js';

/**
 * Runs `sluice run`: the daemon of the configured strategies, until a signal or for `--duration`.
 * @returns 0 when the outcome of every order is proved and no strategy failed, else 1
 */
export async function runCommand(
  options: RunOptions,
  io: Io,
  net: NodeNet = createNodeNet(),
): Promise<number> {
  const config = await loadConfig(options.config, io.files);
  rejectLiveMode(config);
  checkLimitConflicts(config);
  const strategies = await openStrategies(config, io);
  let venue: OpenedVenue | undefined;
  let bot: Bot | undefined;
  let removeHangupListener: (() => void) | undefined;
  let retry: StartupRetry | undefined;
  let interrupts: StartupInterrupts | undefined;
  let channel: DaemonChannel | undefined;
  let heartbeat: HeartbeatWriter | undefined;
  let page: MetricsPage | undefined;
  try {
    venue = await openVenue(config, io);
    const { baseUrl, wsUrl, secret, sandbox, stateDir } = venue;
    const scrubbed = new Set(secret === undefined ? [] : [secret.text]);
    const holder = secret === undefined ? undefined : new SecretHolder(new Secret(secret.text));
    const logger = await createLogger({
      level: config.logLevel,
      write: io.stderr,
      pretty: io.isTerminal,
      colour: usesColour(io),
      secrets: scrubbed,
      stacks: options.debug,
    });
    if (sandbox !== undefined) logger.info({ base_url: baseUrl }, 'the embedded sandbox is up');
    const startedAt = io.clock.monotonicMs();
    const startupRetry = new StartupRetry({ ...io, logger });
    retry = startupRetry;
    interrupts = interruptOn(startupRetry, options, io);
    const candleTimes = new CandleTimes();
    const meters = config.metrics === undefined ? undefined : createMeters(io.clock);
    const ports: BotPorts = { ...io, ...measuredPorts(meters, net, io), ...NODE_PORTS };
    bot = await createBot({
      config,
      strategies: strategies.all,
      baseUrl,
      wsUrl,
      ...(holder !== undefined && { secret: holder }),
      ...(secret !== undefined && { secretFrom: secret.from, keyAdvice: keyAdviceOf(secret) }),
      stateDir,
      ports,
      logger,
      withRetry: (attempt) => startupRetry.run(attempt),
      allowKilled: true,
      observer: candleTimes,
      beforeRelease: async () => {
        await channel?.close();
        await heartbeat?.close();
        await page?.close();
      },
    });
    await logRestore(io.files, stateDir, logger);
    heartbeat = await startHeartbeat({ bot, stateDir, logger, candleTimes }, io);
    if (secret !== undefined && holder !== undefined) {
      const rotation = new SecretRotation({ ...secret, holder, scrubbed, logger });
      removeHangupListener = onHangup(io, rotation, bot);
    }
    channel = await openDaemonChannel({ config, bot, stateDir, logger, candleTimes }, io);
    page = await openMetricsPage({ config, bot, meters, logger, channel, heartbeat }, io);
    const kill = await channel.killSwitch.read();
    const parts = {
      options,
      io,
      config,
      bot,
      sandbox,
      startedAt,
      stateDir,
      retry: startupRetry,
      killSwitch: channel.killSwitch,
      kill,
      onPlannedStop: () => heartbeat?.planStop(),
    };
    const session = new RunSession(parts);
    interrupts.signal();
    return await session.run(interrupts.duration);
  } catch (error) {
    if (!(error instanceof VenueUnavailableError) || venue === undefined) throw error;
    printVenueUnavailable(venue.stateDir, error.message, options, io);
    return EXIT.failed;
  } finally {
    interrupts?.signal();
    interrupts?.duration();
    retry?.cancel();
    removeHangupListener?.();
    await bot?.close();
    await strategies.close();
    await venue?.sandbox?.close();
    await net.close();
  }
}

const NODE_PORTS = { facts: nodeProcessFacts, gzip: nodeGzip };

/** Functions that remove the triggers which end a waiting start. */
interface StartupInterrupts {
  readonly signal: () => void;
  readonly duration: () => void;
}

/** A signal or the end of `--duration` ends a start that waits for its venue. */
function interruptOn(retry: StartupRetry, { durationMs }: RunOptions, io: Io): StartupInterrupts {
  const signal = io.onSignal((name) => {
    io.stderr(`\nsluice: ${name}: stopping\n`);
    retry.cancel();
  });
  const duration = durationMs === undefined ? () => undefined : retry.cancelAfter(durationMs);
  return { signal, duration };
}

function onHangup(io: Io, rotation: SecretRotation, bot: Bot): (() => void) | undefined {
  return io.onHangup?.(() => {
    rotation.reload().then(
      (read) => {
        if (read) bot.onSecretReloaded();
      },
      (error: unknown) => {
        bot.fail(error);
      },
    );
  });
}

function rejectLiveMode(config: SluiceConfig): void {
  if (config.mode !== 'live') return;
  const place = config.locate(['mode']);
  throw new SafetyRefusal(
    `${place} mode: live is refused: the interlocks of the risk gate that live trading needs do not exist yet; use mode: sandbox or mode: paper`,
  );
}
