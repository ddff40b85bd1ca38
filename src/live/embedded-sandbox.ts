import type { Clock, Random, Scheduler } from '../core/ports.js';
import { resolveBehavior } from '../sandbox/behavior/behavior-choices.js';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.js';
import { listen } from '../sandbox/http/server.js';
import type { VenueEndpoint } from '../config/config-venue.js';

export interface EmbeddedSandbox {
  readonly sandbox: Sandbox;
  readonly baseUrl: string;
  readonly wsUrl: string;
  close(): Promise<void>;
}

/**
 * A sandbox of the bot itself, on a free loopback port. Its clock is held until the bot is ready, so that two
 * runs receive the same market from their first candle on.
 */
export async function startEmbeddedSandbox(
  endpoint: Extract<VenueEndpoint, { kind: 'embedded' }>,
  ports: { readonly clock: Clock; readonly scheduler: Scheduler; readonly random: Random },
): Promise<EmbeddedSandbox> {
  const sandbox = createSandbox(
    {
      ...resolveBehavior({ ...(endpoint.quirks !== undefined && { quirks: endpoint.quirks }) }),
      clock: endpoint.clock,
      seed: endpoint.seed,
      ...(endpoint.startMs !== undefined && { startMs: endpoint.startMs }),
      held: true,
    },
    ports,
  );
  sandbox.start();
  const server = await listen(sandbox, { port: 0 });
  return {
    sandbox,
    baseUrl: server.baseUrl,
    wsUrl: server.wsUrl,
    close: async () => {
      sandbox.stop();
      await server.close();
    },
  };
}
