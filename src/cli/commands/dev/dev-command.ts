import { createNodeNet, type NodeNet } from '../../../io/net/node-net.js';
import type { Io } from '../../command-io.js';
import { loadConfig, type SluiceConfig } from '../../../config/config.js';
import type { VenueEndpoint } from '../../../config/config-venue.js';
import { startEmbeddedSandbox } from '../../../live/embedded-sandbox.js';
import { UsageError } from '../../../core/command-errors.js';
import { checkLimitConflicts } from '../../../live/checks/limit-conflicts.js';
import type { DevOptions } from './dev-options.js';
import { DevSession } from './dev-session.js';

/** Runs `sluice dev`: a sandbox and a bot in one process, restarted when a strategy is saved. */
export async function devCommand(
  options: DevOptions,
  io: Io,
  net: NodeNet = createNodeNet(),
): Promise<number> {
  const endpoint = endpointOf(await loadConfig(options.config, io.files), io);
  const readConfig = async (): Promise<SluiceConfig> => {
    const config = await loadConfig(options.config, io.files);
    checkLimitConflicts(config);
    return { ...config, mode: 'sandbox', venue: { ...config.venue, endpoint } };
  };
  const sandbox = await startEmbeddedSandbox(endpoint, io);
  try {
    return await new DevSession({ options, io, net, sandbox, readConfig }).run();
  } finally {
    await sandbox.close();
    await net.close();
  }
}

type EmbeddedEndpoint = Extract<VenueEndpoint, { kind: 'embedded' }>;

const DEFAULT_ENDPOINT: EmbeddedEndpoint = {
  kind: 'embedded',
  clock: { kind: 'fast', factor: 60 },
  seed: 1,
};

/** The embedded sandbox of the configuration, else a default one; `dev` never trades on a venue. */
function endpointOf(config: SluiceConfig, io: Io): EmbeddedEndpoint {
  const { endpoint } = config.venue;
  if (endpoint.kind === 'embedded') return endpoint;
  if (config.mode === 'live') {
    throw new UsageError(
      `${config.locate(['mode'])} mode: live: sluice dev runs on a sandbox; give it a configuration with mode: sandbox`,
    );
  }
  io.stderr(
    `sluice: ${config.path} names a venue; dev runs on its own sandbox instead (fast:60, seed 1)\n`,
  );
  return DEFAULT_ENDPOINT;
}
