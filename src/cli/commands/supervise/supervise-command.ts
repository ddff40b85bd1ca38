import { assert } from '../../../core/assert.js';
import { SafetyRefusal, UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import type { Logger } from '../../../core/ports.js';
import { loadConfig, type SluiceConfig } from '../../../config/config.js';
import { readSecretFile } from '../../../config/secret-file.js';
import type { NodeNet } from '../../../io/net/node-net.js';
import { acquireStateLock } from '../../../io/log/state-lock.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import { createLogger } from '../../../live/log/logger.js';
import { isDaemonAnswering } from '../../../live/operator/sign-of-life.js';
import { readJournal } from '../../../live/plan/read-journal.js';
import { supervisorFolderIn } from '../../../live/supervisor/incident-file.js';
import { openEntries, type OpenEntry } from '../../../live/supervisor/open-entries.js';
import { Supervisor } from '../../../live/supervisor/supervisor.js';
import { openSupervisorVenue } from '../../../live/supervisor/supervisor-venue.js';
import { Secret } from '../../../venue/futures-api/http/secret.js';
import { usesColour, type Io } from '../../command-io.js';
import { openVenueNet } from '../../venue-net.js';
import { openVenue, type OpenedVenue } from '../run/open-venue.js';
import type { SuperviseOptions } from './supervise-options.js';

/**
 * Watches a daemon until a signal.
 * @returns 0
 * @throws UsageError, ConfigError, StateHeldError when another supervisor watches, SafetyRefusal
 */
export async function superviseCommand(
  options: SuperviseOptions,
  io: Io,
  givenNet?: NodeNet,
): Promise<number> {
  const config = await loadConfig(options.config, io.files);
  refuseWithoutVenue(config);
  const venue = await openVenue(config, io);
  const scrubbed = new Set(venue.secret === undefined ? [] : [venue.secret.text]);
  const logger = await createLogger({
    level: config.logLevel,
    write: io.stderr,
    pretty: io.isTerminal,
    colour: usesColour(io),
    secrets: scrubbed,
    stacks: options.debug,
  });
  const lock = await acquireStateLock(
    io.files,
    supervisorFolderIn(config.stateDir),
    nodeProcessFacts,
  );
  const net = givenNet ?? openVenueNet(config);
  const { stopped, removeListener } = stopSignal(io);
  try {
    const parts = { options, io, net, config, venue, logger, scrubbed };
    const afterMs = options.afterMs ?? config.riskSettings.limits.protection.deadManMs;
    logger.info(
      { state_dir: config.stateDir },
      `watching: entries end ${afterMs / 1_000} s after the last heartbeat`,
    );
    await refuseForeignJournal(parts);
    await createSupervisor({ ...parts, afterMs }).run(stopped);
    return EXIT.done;
  } finally {
    removeListener();
    await lock.release();
    await net.close();
  }
}

interface SuperviseParts {
  readonly options: SuperviseOptions;
  readonly io: Io;
  readonly net: NodeNet;
  readonly config: SluiceConfig;
  readonly venue: OpenedVenue;
  readonly logger: Logger;
  /** Secrets that the log must not show. */
  readonly scrubbed: Set<string>;
}

function createSupervisor(parts: SuperviseParts & { readonly afterMs: number }): Supervisor {
  const { afterMs, io, config, logger } = parts;
  const { stateDir } = config;
  return new Supervisor({
    ...io,
    logger,
    stateDir,
    afterMs,
    isAnswering: () => isDaemonAnswering(stateDir, io),
    entries: () => readEntries(parts),
    openVenue: async () => {
      const secret = await currentSecret(parts);
      const { baseUrl } = parts.venue;
      const folder = supervisorFolderIn(stateDir);
      return openSupervisorVenue({
        ...io,
        net: parts.net,
        logger,
        baseUrl,
        secret,
        stateDir: folder,
      });
    },
    ...(parts.options.json && {
      onLine: (line) => {
        io.stdout(`${JSON.stringify(line)}\n`);
      },
    }),
  });
}

/** The file is read again: the key may have been rotated since this process began. */
async function currentSecret({ venue, logger, scrubbed }: SuperviseParts): Promise<Secret> {
  const { secret } = venue;
  assert(secret !== undefined, 'A venue to cancel at has a key');
  let { text } = secret;
  try {
    if (secret.file !== undefined) text = await readSecretFile(secret.file);
  } catch (error) {
    logger.error({ error }, 'the secret cannot be read again: the one of the start is used');
  }
  scrubbed.add(text);
  return new Secret(text);
}

/** At the start, before it counts on this folder. A journal that cannot be read now is read again later. */
async function refuseForeignJournal(parts: SuperviseParts): Promise<void> {
  try {
    await readEntries(parts);
  } catch (error) {
    if (error instanceof SafetyRefusal) throw error;
    parts.logger.warn({ error }, 'the journal cannot be read now');
  }
}

/** @throws SafetyRefusal when the folder belongs to another account or venue */
async function readEntries({ io, config, venue }: SuperviseParts): Promise<readonly OpenEntry[]> {
  const records = (await readJournal(io.files, config.stateDir)) ?? [];
  const [header] = records;
  if (header === undefined) return [];
  const { account } = config;
  if (header.type === 'header' && header.account === account && header.venue === venue.baseUrl) {
    return openEntries(records, account);
  }
  throw new SafetyRefusal(
    `${config.stateDir} holds the journal of another account or venue, not of ${account} at ${venue.baseUrl}: ` +
      'nothing is canceled. Name the configuration of its daemon',
  );
}

/** Only orders at a venue of its own outlive a daemon. */
function refuseWithoutVenue({ mode, venue, locate }: SluiceConfig): void {
  if (venue.endpoint.kind === 'embedded') {
    throw new UsageError(
      `${locate(['venue'])} the sandbox of this configuration ends with its daemon: there is nothing to supervise`,
    );
  }
  if (mode !== 'paper') return;
  throw new UsageError(
    `${locate(['mode'])} mode: paper places no order at a venue: there is nothing to supervise`,
  );
}

function stopSignal(io: Io): {
  readonly stopped: Promise<void>;
  readonly removeListener: () => void;
} {
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  return {
    stopped,
    removeListener: io.onSignal(() => {
      stop();
    }),
  };
}
