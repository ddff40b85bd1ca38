import type { SluiceConfig } from '../../../config/config.js';
import type { HostFacts, ResolveHost } from '../../../core/host-facts.js';
import type { NodeNet } from '../../../io/net/node-net.js';
import { openVenueNet } from '../../venue-net.js';
import { nodeHostFacts, nodeResolveHost } from '../../../io/node/node-host-facts.js';

/** Access to network and machine beside `Io`. Tests pass their own; no option and no variable replaces them. */
export interface RunPorts {
  readonly host: HostFacts;
  readonly resolve: ResolveHost;
  openNet(config: SluiceConfig): NodeNet;
}

export const nodeRunPorts: RunPorts = {
  host: nodeHostFacts,
  resolve: nodeResolveHost,
  openNet: openVenueNet,
};
