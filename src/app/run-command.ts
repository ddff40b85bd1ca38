import { createNodeNet, type NodeNet } from '../transport/node-net.js';
import { Secret, SecretHolder } from '../venue/futures-api/secret.js';
import type { Bot } from './bot.js';
import type { Io, RunOptions } from './command-options.js';
import { loadConfig, type SluiceConfig } from './config.js';
import { EXIT } from './exit-code.js';
import { SafetyRefusal } from './failure.js';
import { refuseConflicts } from './limit-conflicts.js';
import { createLogger } from './logger.js';
import { openStrategies } from './open-strategies.js';
import { nodeGzip } from './ports/node-gzip.js';
import { nodeProcessFacts } from './ports/process-facts.js';
import { RunSession, tellUnbegun } from './run-session.js';
import { SecretRotation } from './secret-rotation.js';
import { KILL_FILE } from './state-folder.js';
import { keyAdviceOf, openVenue, type VenueAccess } from './venue-access.js';
import { VenueDownError, VenueWait } from './venue-wait.js';
import { createBot, type BotPorts } from './wire.js';

/**
 * The daemon: runs the configured strategies until it is told to stop, or for `--duration`.
 * @returns 0 when everything it did is proved and no strategy has erred, else 1
 */
export async function runCommand(
  options: RunOptions,
  io: Io,
  net: NodeNet = createNodeNet(),
): Promise<number> {
  const config = await loadConfig(options.config, io.files);
  refuseMode(config);
  refuseConflicts(config);
  const strategies = await openStrategies(config, io);
  let access: VenueAccess | undefined;
  let bot: Bot | undefined;
  let forgetHangup: (() => void) | undefined;
  let wait: VenueWait | undefined;
  let endWait: EndWait | undefined;
  try {
    access = await openVenue(config, io);
    const { baseUrl, wsUrl, secret, sandbox, stateDir } = access;
    const scrubbed = new Set(secret === undefined ? [] : [secret.text]);
    const holder = secret === undefined ? undefined : new SecretHolder(new Secret(secret.text));
    const logger = await createLogger({
      level: config.logLevel,
      write: io.stderr,
      pretty: io.isTerminal,
      colour: io.isTerminal && io.env['NO_COLOR'] === undefined,
      secrets: scrubbed,
      stacks: options.debug,
    });
    if (sandbox !== undefined) logger.info({ base_url: baseUrl }, 'the embedded sandbox is up');
    const startedAt = io.clock.monotonicMs();
    const patience = new VenueWait({ ...io, logger });
    wait = patience;
    endWait = endWaitOn(patience, options, io);
    const ports: BotPorts = { ...io, net, facts: nodeProcessFacts, gzip: nodeGzip };
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
      reach: (attempt) => patience.reach(attempt),
      evenIfKilled: true,
    });
    if (secret !== undefined && holder !== undefined) {
      const rotation = new SecretRotation({ ...secret, holder, scrubbed, logger });
      forgetHangup = onHangup(io, rotation, bot);
    }
    const killed = await io.files.exists(`${stateDir}/${KILL_FILE}`);
    const parts = { options, io, config, bot, sandbox, startedAt, stateDir, wait, killed };
    const session = new RunSession(parts);
    endWait.signal();
    return await session.run(endWait.duration);
  } catch (error) {
    if (!(error instanceof VenueDownError) || access === undefined) throw error;
    tellUnbegun(access.stateDir, error.message, options, io);
    return EXIT.failed;
  } finally {
    endWait?.signal();
    endWait?.duration();
    wait?.end();
    forgetHangup?.();
    await bot?.close();
    await strategies.close();
    await access?.sandbox?.close();
    await net.close();
  }
}

/** How to take back what would end the wait. */
interface EndWait {
  readonly signal: () => void;
  readonly duration: () => void;
}

/** A signal and the run's time end a start that waits for its venue. */
function endWaitOn(wait: VenueWait, { durationMs }: RunOptions, io: Io): EndWait {
  const signal = io.onSignal((name) => {
    io.stderr(`\nsluice: ${name}: stopping\n`);
    wait.end();
  });
  const duration = durationMs === undefined ? () => undefined : wait.endAfter(durationMs);
  return { signal, duration };
}

function onHangup(io: Io, rotation: SecretRotation, bot: Bot): (() => void) | undefined {
  return io.onHangup?.(() => {
    rotation.readAgain().then(
      (read) => {
        if (read) bot.secretRead();
      },
      (error: unknown) => {
        bot.fail(error);
      },
    );
  });
}

function refuseMode(config: SluiceConfig): void {
  if (config.mode !== 'live') return;
  const place = config.where(['mode']);
  throw new SafetyRefusal(
    `${place} mode: live is refused: the interlocks of the risk gate that live trading needs do not exist yet; use mode: sandbox or mode: paper`,
  );
}
