import { Secret, SecretHolder } from '../../../venue/futures-api/http/secret.js';
import type { Bot } from '../../../live/bot/bot.js';
import { usesColour, type Io } from '../../command-io.js';
import type { RunOptions } from './run-options.js';
import { loadConfig } from '../../../config/config.js';
import { StateHeldError } from '../../../io/log/state-held-error.js';
import { EXIT } from '../../../core/exit-code.js';
import { checkLimitConflicts } from '../../../live/checks/limit-conflicts.js';
import { createLogger } from '../../../live/log/logger.js';
import { StrategyStarter } from '../../../live/strategies/strategy-starter.js';
import { openStrategies } from '../../../live/strategies/open-strategies.js';
import { nodeGzip } from '../../../io/node/node-gzip.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import { printVenueUnavailable } from './run-reporter.js';
import { LiveStart } from './live-start.js';
import { observedConfig } from './observed-config.js';
import { nodeRunPorts, type RunPorts } from './run-ports.js';
import { RunSession } from './run-session.js';
import { startHeartbeat } from './daemon-heartbeat.js';
import { measuredPorts, openMetricsPage, type MetricsPage } from './metrics-page.js';
import type { VenueCanary } from '../../../tools/probe/canary/venue-canary.js';
import { startCanary } from './daemon-canary.js';
import { openDaemonChannel, type DaemonChannel } from './daemon-channel.js';
import { CandleTimes } from '../../../live/status/candle-times.js';
import { logRestore } from '../../../live/state/restore-mark.js';
import type { HeartbeatWriter } from '../../../live/supervisor/heartbeat.js';
import { SecretRotation } from '../../../live/log/secret-rotation.js';
import { keyAdviceOf, openVenue, type OpenedVenue } from './open-venue.js';
import { VenueUnavailableError, StartupRetry } from '../../../live/bot/startup-retry.js';
import { botNotifySource } from '../../../live/notify/bot-notify-source.js';
import type { NotifyService } from '../../../live/notify/notify-service.js';
import { openNotify } from '../../../live/notify/open-notify.js';
import type { AlertEvent } from '../../../notify/notifier.js';
import { createMeters } from '../../../metrics/meters.js';
import { expectationOf, expectedRunOf } from './session-expectation.js';
import { createBot } from '../../../live/bot/create-bot.js';
import type { BotPorts } from '../../../live/bot/bot-options.js';

/**
 * Runs `sluice run`: the daemon of the configured strategies, until a signal or for `--duration`.
 * @returns 0 when the outcome of every order is proved and no strategy failed, else 1
 */
export async function runCommand(
  options: RunOptions,
  io: Io,
  runPorts: RunPorts = nodeRunPorts,
): Promise<number> {
  const loaded = await loadConfig(options.config, io.files);
  const config = options.observe === true ? observedConfig(loaded) : loaded;
  checkLimitConflicts(config);
  const expected = await expectedRunOf(config, io);
  const liveStart = await LiveStart.open(config, io, runPorts);
  const net = runPorts.openNet(config);
  const strategies = await openStrategies(config, io);
  const starter = new StrategyStarter({ ...io, config, strategies: strategies.all });
  let venue: OpenedVenue | undefined;
  let bot: Bot | undefined;
  let removeHangupListener: (() => void) | undefined;
  let retry: StartupRetry | undefined;
  let interrupts: StartupInterrupts | undefined;
  let channel: DaemonChannel | undefined;
  let heartbeat: HeartbeatWriter | undefined;
  let notify: NotifyService | undefined;
  let end: AlertEvent | undefined;
  let page: MetricsPage | undefined;
  let canary: VenueCanary | undefined;
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
    const notifying = await openNotify(config.notify, {
      ...io,
      ...config,
      stateDir,
      logger,
      scrubbed,
    });
    notify = notifying;
    const startedAt = io.clock.monotonicMs();
    const startupRetry = new StartupRetry({ ...io, logger });
    retry = startupRetry;
    interrupts = interruptOn(startupRetry, options, io);
    await liveStart?.askVenue(net, logger, (attempt) => startupRetry.run(attempt));
    const candleTimes = new CandleTimes();
    const meters = config.metrics === undefined ? undefined : createMeters(io.clock);
    const ports: BotPorts = { ...io, ...measuredPorts(meters, net, io), ...NODE_PORTS };
    bot = await createBot({
      config,
      strategies: strategies.all,
      restarts: starter.restarts,
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
      ...(notifying !== undefined && {
        notice: (note) => {
          notifying.onNote(note);
        },
      }),
    });
    await logRestore(io.files, stateDir, logger);
    heartbeat = await startHeartbeat({ bot, stateDir, logger, candleTimes }, io);
    await liveStart?.learnAccount();
    if (secret !== undefined && holder !== undefined) {
      const rotation = new SecretRotation({ ...secret, holder, scrubbed, logger });
      removeHangupListener = onHangup(io, rotation, bot);
    }
    channel = await openDaemonChannel(
      { config, bot, starter, stateDir, logger, candleTimes, notify: notifying },
      io,
    );
    const { killSwitch } = channel;
    notify?.start(botNotifySource({ bot, clock: io.clock, candleTimes }), async (level, reason) => {
      await killSwitch.set({ level }, reason);
    });
    page = await openMetricsPage({ config, bot, meters, logger, channel, heartbeat, notify }, io);
    const kill = await channel.killSwitch.read();
    const parts = {
      options,
      io,
      config,
      bot,
      sandbox,
      startedAt,
      stateDir,
      expectation: await expectationOf(
        expected,
        { config, stateDir, logger, notify: notifying },
        io,
      ),
      retry: startupRetry,
      killSwitch: channel.killSwitch,
      kill,
      onPlannedStop: () => heartbeat?.planStop(),
    };
    const session = new RunSession(parts);
    interrupts.signal();
    const started = bot;
    const endDuration = interrupts.duration;
    const exitCode = await session.run(() => {
      endDuration();
      canary = startCanary(
        {
          ...{ config, baseUrl, wsUrl, secret: holder, stateDir, logger },
          net: ports.net,
          notify: notifying,
        },
        io,
      );
      notifying?.record({ kind: 'started', scope: '', text: `mode ${started.engine.mode}` });
    });
    end = { kind: 'stopped', scope: '', text: `exit code ${exitCode}` };
    return exitCode;
  } catch (error) {
    end = failureEvent(error);
    if (!(error instanceof VenueUnavailableError) || venue === undefined) throw error;
    printVenueUnavailable(venue.stateDir, error.message, options, io);
    return EXIT.failed;
  } finally {
    canary?.close();
    interrupts?.signal();
    interrupts?.duration();
    retry?.cancel();
    removeHangupListener?.();
    await bot?.close();
    await notify?.close(end);
    await starter.close();
    await strategies.close();
    await venue?.sandbox?.close();
    await net.close();
  }
}

/** A start beside a running daemon is no failure of that daemon. */
function failureEvent(error: unknown): AlertEvent | undefined {
  if (error instanceof StateHeldError) return undefined;
  const text = error instanceof Error ? error.message : String(error);
  return { kind: 'run_failed', scope: '', text: text.slice(0, 500) };
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
