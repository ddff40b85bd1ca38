import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import type { Logger } from '../../core/ports.js';
import type { Outcome } from '../../core/request.js';
import { createNodeNet, type NodeNet } from '../../transport/node-net.js';
import {
  createFuturesApi,
  type OpenFuturesApi,
} from '../../venue/futures-api/create-futures-api.js';
import { Secret } from '../../venue/futures-api/secret.js';
import { VenueError } from '../../venue/venue.js';
import type { VenueOptions } from './account-options.js';
import type { Io } from '../command-options.js';
import { loadConfig, type SluiceConfig } from '../config.js';
import { StartError, UsageError } from '../failure.js';
import { createLogger } from '../logger.js';
import {
  ENVIRONMENT_NAME,
  ENVIRONMENT_WARNING,
  readSecretFile,
  takeEnvironmentSecret,
} from '../secret-file.js';

/** A venue and the account at it, as a command of one shot uses it. */
export interface VenueAccess {
  readonly api: OpenFuturesApi;
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly currency: Currency;
  readonly secret: Secret;
  readonly secretFrom: string;
  readonly net: NodeNet;
  readonly logger: Logger;
  /** What `--config` named. */
  readonly config: SluiceConfig | undefined;
  close(): Promise<void>;
}

/** @throws ConfigError, UsageError, VenueUrlError */
export async function openVenueAccess(
  options: VenueOptions,
  io: Io,
  net: NodeNet = createNodeNet(),
): Promise<VenueAccess> {
  const config =
    options.config === undefined ? undefined : await loadConfig(options.config, io.files);
  const { baseUrl, wsUrl } = addressesOf(options, config);
  const { text, from } = await secretOf(options, config, io);
  const logger = await createLogger({
    level: options.debug ? 'debug' : 'warn',
    write: io.stderr,
    pretty: io.isTerminal,
    colour: io.isTerminal && io.env['NO_COLOR'] === undefined,
    secrets: [text],
    stacks: options.debug,
  });
  const secret = new Secret(text);
  const { clock, scheduler, random } = io;
  const api = createFuturesApi({ baseUrl, secret, net, clock, scheduler, random, logger });
  return {
    api,
    baseUrl,
    wsUrl,
    currency: options.currency ?? config?.venue.tradeCurrency ?? 'USDT',
    secret,
    secretFrom: from,
    net,
    logger,
    config,
    close: async () => {
      await api.close();
      await net.close();
    },
  };
}

/** Runs with the venue open, and closes it whatever happens. */
export async function withVenueAccess<T>(
  options: VenueOptions,
  io: Io,
  run: (access: VenueAccess) => Promise<T>,
  net?: NodeNet,
): Promise<T> {
  const access = await openVenueAccess(options, io, net);
  try {
    return await run(access);
  } finally {
    await access.close();
  }
}

/** The value of a yes. @throws StartError for the venue's no, VenueError when it is not known */
export function valueOf<T>(outcome: Outcome<T>, what: string): T {
  if (outcome.kind === 'yes') return outcome.value;
  if (outcome.kind === 'no') {
    throw new StartError(`the venue refuses ${what}: ${outcome.text} (HTTP ${outcome.status})`);
  }
  throw new VenueError(`${what} cannot be read: ${outcome.cause}`);
}

const MOST_TRIES = 5;

/**
 * One read, again while the venue says that it has had too many: the next try waits for the budget
 * that the answer has told.
 * @throws StartError for the venue's no, VenueError when it cannot be read
 */
export async function read<T>(call: () => Promise<Outcome<T>>, what: string): Promise<T> {
  return valueOf(await patiently(call), what);
}

/** As `read`, for a no that says something. */
export async function patiently<T>(call: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  let outcome = await call();
  for (let tries = 1; tries < MOST_TRIES && isTooMany(outcome); tries += 1) outcome = await call();
  return outcome;
}

const isTooMany = (outcome: Outcome<unknown>): boolean =>
  outcome.kind !== 'yes' && outcome.status === 429;

/** A write acts for a configuration: its account, its journal, its limits. @throws UsageError */
export function refuseWithoutConfig({ config }: VenueOptions): void {
  if (config !== undefined) return;
  throw new UsageError(
    'it needs --config FILE: what changes something goes through the risk gate and the journal of its state_dir',
  );
}

/** What `refuseWithoutConfig` has made sure of. */
export function configOf({ config }: VenueAccess): SluiceConfig {
  assert(config !== undefined, 'A write has its configuration');
  return config;
}

function addressesOf(
  { baseUrl, wsUrl }: VenueOptions,
  config: SluiceConfig | undefined,
): { readonly baseUrl: string; readonly wsUrl: string } {
  if (config !== undefined && baseUrl !== undefined) {
    throw new UsageError('give --config or --base-url, not both');
  }
  if (baseUrl !== undefined) return { baseUrl, wsUrl: wsUrl ?? baseUrl.replace(/^http/, 'ws') };
  if (config === undefined) {
    throw new UsageError(
      'say where the venue is: --config FILE, or --base-url URL --secret-file FILE',
    );
  }
  const { endpoint } = config.venue;
  if (endpoint.kind === 'remote') return endpoint;
  throw new UsageError(
    `${config.where(['venue'])} the sandbox of this configuration lives only while \`sluice run\` does; ` +
      'start one with `sluice sandbox` and name it with base_url and ws_url (as config/sandbox.yaml does)',
  );
}

async function secretOf(
  { secretFile }: VenueOptions,
  config: SluiceConfig | undefined,
  io: Io,
): Promise<{ readonly text: string; readonly from: string }> {
  const path = secretFile ?? config?.venue.apiSecretFile;
  if (path !== undefined) return { text: await readSecretFile(path), from: path };
  const text = takeEnvironmentSecret(io.env);
  if (text === undefined) {
    throw new UsageError(
      config === undefined
        ? 'name the file of the API secret with --secret-file (one line, mode 0600)'
        : `${config.where(['venue'])} venue has no api_secret_file: put the key's secret into a file of mode 0600 and name it there`,
    );
  }
  io.stderr(`sluice: warning: ${ENVIRONMENT_WARNING}\n`);
  return { text, from: ENVIRONMENT_NAME };
}
