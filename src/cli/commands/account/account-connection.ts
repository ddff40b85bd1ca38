import { SECRET_VARIABLE } from '../../../core/secret-variable.js';
import { assert } from '../../../core/assert.js';
import type { Currency } from '../../../core/currency.js';
import type { Logger } from '../../../core/ports.js';
import { createNodeNet, type NodeNet } from '../../../io/net/node-net.js';
import {
  createFuturesApi,
  type ClosableFuturesApi,
} from '../../../venue/futures-api/http/create-futures-api.js';
import { Secret } from '../../../venue/futures-api/http/secret.js';
import type { VenueOptions } from '../../shared-options.js';
import { openVenueNet } from '../../venue-net.js';
import { usesColour, type Io } from '../../command-io.js';
import { loadConfig, type SluiceConfig } from '../../../config/config.js';
import { UsageError } from '../../../core/command-errors.js';
import { createLogger } from '../../../live/log/logger.js';
import {
  SECRET_VARIABLE_WARNING,
  readSecretFile,
  consumeEnvironmentSecret,
} from '../../../config/secret-file.js';

/** A venue and an account at it, for commands that run once and exit. */
export interface AccountConnection {
  readonly api: ClosableFuturesApi;
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly currency: Currency;
  readonly secret: Secret;
  readonly secretFrom: string;
  readonly net: NodeNet;
  readonly logger: Logger;
  /** The configuration of `--config`. */
  readonly config: SluiceConfig | undefined;
  close(): Promise<void>;
}

/** @throws ConfigError, UsageError, VenueUrlError */
export async function openAccountConnection(
  options: VenueOptions,
  io: Io,
  givenNet?: NodeNet,
): Promise<AccountConnection> {
  const config =
    options.config === undefined ? undefined : await loadConfig(options.config, io.files);
  const net = givenNet ?? (config === undefined ? createNodeNet() : openVenueNet(config));
  const { baseUrl, wsUrl } = addressesOf(options, config);
  const { text, from } = await secretOf(options, config, io);
  const logger = await createLogger({
    level: options.debug ? 'debug' : 'warn',
    write: io.stderr,
    pretty: io.isTerminal,
    colour: usesColour(io),
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

/** Runs with an open connection and closes it in every case. */
export async function withAccountConnection<T>(
  options: VenueOptions,
  io: Io,
  run: (connection: AccountConnection) => Promise<T>,
  net?: NodeNet,
): Promise<T> {
  const connection = await openAccountConnection(options, io, net);
  try {
    return await run(connection);
  } finally {
    await connection.close();
  }
}

/** A write needs a configuration: its account, its journal, its limits. @throws UsageError */
export function refuseWithoutConfig({ config }: VenueOptions): void {
  if (config !== undefined) return;
  throw new UsageError(
    'this command needs --config FILE: it writes through the risk gate and the journal of the state_dir',
  );
}

/** The configuration, which `refuseWithoutConfig` has checked. */
export function configOf({ config }: AccountConnection): SluiceConfig {
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
    throw new UsageError('name the venue: --config FILE, or --base-url URL --secret-file FILE');
  }
  const { endpoint } = config.venue;
  if (endpoint.kind === 'remote') return endpoint;
  throw new UsageError(
    `${config.locate(['venue'])} the sandbox of this configuration exists only while \`sluice run\` runs; ` +
      'start one with `sluice sandbox` and name it with base_url and ws_url (as config/sandbox.yaml does)',
  );
}

async function secretOf(
  { secretFile }: VenueOptions,
  config: SluiceConfig | undefined,
  io: Io,
): Promise<{ readonly text: string; readonly from: string }> {
  if (secretFile !== undefined)
    return { text: await readSecretFile(secretFile, '--secret-file'), from: secretFile };
  const configured = config?.venue.apiSecretFile;
  if (config !== undefined && configured !== undefined) {
    const namedBy = `${config.locate(['venue', 'api_secret_file'])} api_secret_file`;
    return { text: await readSecretFile(configured, namedBy), from: configured };
  }
  const text = consumeEnvironmentSecret(io.env);
  if (text === undefined) {
    throw new UsageError(
      config === undefined
        ? 'name the file of the API secret with --secret-file (one line, mode 0600)'
        : `${config.locate(['venue'])} venue has no api_secret_file: put the key's secret into a file of mode 0600 and name it there`,
    );
  }
  io.stderr(`sluice: warning: ${SECRET_VARIABLE_WARNING}\n`);
  return { text, from: SECRET_VARIABLE };
}
