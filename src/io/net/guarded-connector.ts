import { lookup as lookupAddresses, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';

/** Whether a connection to an IP address is allowed. */
export type AddressCheck = (address: string) => boolean;

/**
 * A connector that connects to allowed addresses only. The address is checked where it is used: in the
 * resolver's answer that the socket connects to, and again at the open socket. A name that resolves to another
 * address a moment later (DNS rebinding) gains nothing.
 */
export function guardedConnector(
  options: buildConnector.BuildOptions,
  mayConnect: AddressCheck,
): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: guardedLookup(mayConnect) });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // A literal address is never looked up.
    if (isIP(host) !== 0 && !mayConnect(host)) {
      callback(refusal(host), null);
      return;
    }
    connect(target, (...[error, socket]) => {
      const address = socket?.remoteAddress;
      if (error !== null || socket === null) callback(error ?? new Error('no socket'), null);
      else if (address !== undefined && mayConnect(address)) callback(null, socket);
      else {
        socket.destroy();
        callback(refusal(address ?? host), null);
      }
    });
  };
}

/** One address that is not allowed refuses the whole name: it may be an attempt to reach it. */
const guardedLookup =
  (mayConnect: AddressCheck): LookupFunction =>
  (host, options, callback) => {
    lookupAddresses(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const refused = found.find(({ address }) => !mayConnect(address));
      const [first] = found;
      if (refused !== undefined || first === undefined)
        callback(refusal(refused?.address ?? host), '');
      else if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };

const refusal = (address: string): Error =>
  new Error(`the address ${address} is private, and a connection to it is not allowed`);
