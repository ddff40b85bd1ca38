import { SECRET_FILE_VARIABLE, SECRET_VARIABLE } from '../../../core/secret-variable.js';
import { assert } from '../../../core/assert.js';
import type { Io } from '../../command-io.js';
import type { SluiceConfig } from '../../../config/config.js';
import type { EmbeddedSandbox } from '../../../live/embedded-sandbox.js';
import { UsageError } from '../../../core/command-errors.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import {
  SECRET_VARIABLE_WARNING,
  readSecretFile,
  consumeEnvironmentSecret,
} from '../../../config/secret-file.js';

export interface ApiSecret {
  readonly text: string;
  /** The file it was read from; SIGHUP reads it again. */
  readonly file?: string;
  /** The source, for messages. */
  readonly from: string;
}

export interface OpenedVenue {
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** Optional in paper mode. */
  readonly secret: ApiSecret | undefined;
  readonly stateDir: string;
  readonly sandbox: EmbeddedSandbox | undefined;
}

/** The addresses of the venue and its key. Starts the embedded sandbox, if one is configured. */
export async function openVenue(config: SluiceConfig, io: Io): Promise<OpenedVenue> {
  const { endpoint } = config.venue;
  const { stateDir } = config;
  assert(endpoint.kind !== 'none', 'A configuration to run names its venue');
  if (endpoint.kind === 'remote') {
    const secret = await readSecret(config, io);
    if (secret === undefined && config.mode !== 'paper') throwMissingSecret(config);
    return { ...endpoint, secret, stateDir, sandbox: undefined };
  }
  // Loaded on demand: a bot on a remote venue needs no exchange.
  const { startEmbeddedSandbox } = await import('../../../live/embedded-sandbox.js');
  const sandbox = await startEmbeddedSandbox(endpoint, io);
  return {
    baseUrl: sandbox.baseUrl,
    wsUrl: sandbox.wsUrl,
    secret: { text: sandbox.sandbox.secret, from: 'the embedded sandbox' },
    stateDir: `${stateDir}/${runName(io.clock.utcMs())}`,
    sandbox,
  };
}

async function readSecret(config: SluiceConfig, io: Io): Promise<ApiSecret | undefined> {
  const secretFile = secretFileOf(config, io);
  if (secretFile !== undefined) {
    const { path, namedBy } = secretFile;
    return { text: await readSecretFile(path, namedBy), from: path, file: path };
  }
  const text = consumeEnvironmentSecret(io.env);
  if (text === undefined) return undefined;
  io.stderr(`sluice: warning: ${SECRET_VARIABLE_WARNING}\n`);
  return { text, from: SECRET_VARIABLE };
}

/** @throws UsageError when two files are named */
function secretFileOf({ venue: { apiSecretFile }, locate }: SluiceConfig, { env }: Io) {
  const named = env[SECRET_FILE_VARIABLE];
  const where = locate(['venue', 'api_secret_file']);
  if (named === undefined || named === '')
    return apiSecretFile === undefined
      ? undefined
      : { path: apiSecretFile, namedBy: `${where} api_secret_file` };
  if (apiSecretFile === undefined) return { path: named, namedBy: SECRET_FILE_VARIABLE };
  throw new UsageError(
    `${where} ${SECRET_FILE_VARIABLE} names ${named} too: remove one of the two`,
  );
}

/** The remedy when the venue refuses the key during a run. */
export const keyAdviceOf = ({ file }: ApiSecret): string =>
  file === undefined
    ? 'stop this run and start it again with the secret of a valid key'
    : `put the secret of a valid key into ${file}, then: kill -HUP ${nodeProcessFacts.pid}`;

function throwMissingSecret(config: SluiceConfig): never {
  throw new UsageError(
    `${config.locate(['venue'])} venue has no api_secret_file: put the key's secret into a file of mode 0600 and name it there`,
  );
}

/** An embedded sandbox persists nothing, so each run has its own state folder. */
const runName = (utcMs: number): string =>
  new Date(utcMs).toISOString().replaceAll(':', '-').replace('Z', '');
