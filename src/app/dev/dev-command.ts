import { createNodeNet, type NodeNet } from '../../transport/node-net.js';
import type { Io } from '../command-options.js';
import { loadConfig, type SluiceConfig, type VenueEndpoint } from '../config.js';
import { startEmbeddedSandbox } from '../embedded-sandbox.js';
import { UsageError } from '../failure.js';
import { refuseConflicts } from '../limit-conflicts.js';
import type { DevOptions } from './dev-options.js';
import { DevSession } from './dev-session.js';

/** `sluice dev`: a sandbox and the bot in one process; a strategy that is saved is run anew. */
export async function devCommand(
  options: DevOptions,
  io: Io,
  net: NodeNet = createNodeNet(),
): Promise<number> {
  const endpoint = endpointOf(await loadConfig(options.config, io.files), io);
  const read = async (): Promise<SluiceConfig> => {
    const config = await loadConfig(options.config, io.files);
    refuseConflicts(config);
    return { ...config, mode: 'sandbox', venue: { ...config.venue, endpoint } };
  };
  const sandbox = await startEmbeddedSandbox(endpoint, io);
  try {
    return await new DevSession({ options, io, net, sandbox, read }).run();
  } finally {
    await sandbox.close();
    await net.close();
  }
}

type Embedded = Extract<VenueEndpoint, { kind: 'embedded' }>;

const OWN_SANDBOX: Embedded = { kind: 'embedded', clock: { kind: 'fast', factor: 60 }, seed: 1 };

/** The sandbox of the configuration, or one of its own: nothing else is ever traded on here. */
function endpointOf(config: SluiceConfig, io: Io): Embedded {
  const { endpoint } = config.venue;
  if (endpoint.kind === 'embedded') return endpoint;
  if (config.mode === 'live') {
    throw new UsageError(
      `${config.where(['mode'])} mode: live: sluice dev runs on a sandbox; give it a configuration with mode: sandbox`,
    );
  }
  io.stderr(
    `sluice: ${config.path} names a venue; dev runs on a sandbox of its own instead (fast:60, seed 1)\n`,
  );
  return OWN_SANDBOX;
}
