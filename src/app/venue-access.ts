import { assert } from '../core/assert.js';
import type { Io } from './command-options.js';
import type { SluiceConfig } from './config.js';
import type { EmbeddedSandbox } from './embedded-sandbox.js';
import { UsageError } from './failure.js';
import { nodeProcessFacts } from './ports/process-facts.js';
import {
  ENVIRONMENT_NAME,
  ENVIRONMENT_WARNING,
  readSecretFile,
  takeEnvironmentSecret,
} from './secret-file.js';

export interface GivenSecret {
  readonly text: string;
  /** Where it can be read again. */
  readonly file?: string;
  /** For messages. */
  readonly from: string;
}

export interface VenueAccess {
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** A paper run can do without. */
  readonly secret: GivenSecret | undefined;
  readonly stateDir: string;
  readonly sandbox: EmbeddedSandbox | undefined;
}

/** Where the venue is, and the key to it; an embedded sandbox is started here. */
export async function openVenue(config: SluiceConfig, io: Io): Promise<VenueAccess> {
  const { endpoint } = config.venue;
  const { stateDir } = config;
  assert(endpoint.kind !== 'none', 'A configuration to run names its venue');
  if (endpoint.kind === 'remote') {
    const secret = await readSecret(config, io);
    if (secret === undefined && config.mode !== 'paper') missingSecret(config);
    return { ...endpoint, secret, stateDir, sandbox: undefined };
  }
  // A bot of a venue elsewhere does not wait for an exchange to be loaded.
  const { startEmbeddedSandbox } = await import('./embedded-sandbox.js');
  const sandbox = await startEmbeddedSandbox(endpoint, io);
  return {
    baseUrl: sandbox.baseUrl,
    wsUrl: sandbox.wsUrl,
    secret: { text: sandbox.sandbox.secret, from: 'the embedded sandbox' },
    stateDir: `${stateDir}/${runName(io.clock.utcMs())}`,
    sandbox,
  };
}

async function readSecret(config: SluiceConfig, io: Io): Promise<GivenSecret | undefined> {
  const { apiSecretFile } = config.venue;
  if (apiSecretFile !== undefined) {
    const text = await readSecretFile(apiSecretFile);
    return { text, from: apiSecretFile, file: apiSecretFile };
  }
  const text = takeEnvironmentSecret(io.env);
  if (text === undefined) return undefined;
  io.stderr(`sluice: warning: ${ENVIRONMENT_WARNING}\n`);
  return { text, from: ENVIRONMENT_NAME };
}

/** What a person must do when the venue refuses the key in mid-run. */
export const keyAdviceOf = ({ file }: GivenSecret): string =>
  file === undefined
    ? 'stop this run and start it again with the secret of a key that is valid'
    : `put the secret of a key that is valid into ${file}, then: kill -HUP ${nodeProcessFacts.pid}`;

function missingSecret(config: SluiceConfig): never {
  throw new UsageError(
    `${config.where(['venue'])} venue has no api_secret_file: put the key's secret into a file of mode 0600 and name it there`,
  );
}

/** A folder of its own for each run on an embedded sandbox, which forgets everything. */
const runName = (utcMs: number): string =>
  new Date(utcMs).toISOString().replaceAll(':', '-').replace('Z', '');
