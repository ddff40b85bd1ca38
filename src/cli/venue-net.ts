import type { SluiceConfig } from '../config/config.js';
import { nonPublicReason } from '../core/public-address.js';
import { createNodeNet, type NodeNet } from '../io/net/node-net.js';

/**
 * The network to the venue of a configuration. With a real account it connects to public addresses only: each
 * connection checks its own address, so that a name that resolves elsewhere later gains nothing.
 */
export const openVenueNet = ({ mode }: Pick<SluiceConfig, 'mode'>): NodeNet =>
  mode === 'live' || mode === 'observe'
    ? createNodeNet({ mayConnect: (address) => nonPublicReason(address) === undefined })
    : createNodeNet();
