import type { SluiceConfig } from '../../config/config.js';
import { nonPublicReason } from '../../core/public-address.js';
import {
  fail,
  firstFailure,
  judged,
  pass,
  REAL,
  type Interlock,
  type InterlockVerdict,
} from './interlock.js';

/** Host names of the venue's addresses, each once. */
export const venueHosts = ({ venue: { endpoint } }: SluiceConfig): readonly string[] =>
  endpoint.kind === 'remote'
    ? [...new Set([endpoint.baseUrl, endpoint.wsUrl].map((url) => new URL(url).hostname))]
    : [];

const https: Interlock = {
  id: 'https',
  severity: 'hard',
  modes: REAL,
  reads: 'machine',
  requires: '`base_url` begins with `https:` and `ws_url` with `wss:`',
  mend: 'write the https and wss addresses of the venue into CONFIG (venue.base_url, venue.ws_url)',
  judge({ config: { venue } }) {
    if (venue.endpoint.kind !== 'remote') return fail('no address of a venue is configured');
    const { baseUrl, wsUrl } = venue.endpoint;
    const plain = [baseUrl, wsUrl].filter((url) => !/^(?:https|wss):/i.test(url));
    return plain.length === 0
      ? pass(`${baseUrl} and ${wsUrl}`)
      : fail(`${plain.join(' and ')} has no TLS: the key would be readable on its way`);
  },
};

const publicHost: Interlock = {
  id: 'public_host',
  severity: 'hard',
  modes: REAL,
  reads: 'machine',
  requires:
    'every address of the hosts is public: not private, loopback, link-local or reserved. Each connection checks its address again',
  mend: 'correct venue.base_url and venue.ws_url in CONFIG, or the entry of the name in DNS or /etc/hosts; `getent ahosts NAME` shows it',
  judge({ config, machine }) {
    const hosts = venueHosts(config);
    if (hosts.length === 0) return fail('no address of a venue is configured');
    const verdicts = hosts.map((host) =>
      judged(machine.addresses.get(host), (addresses) => hostVerdict(host, addresses)),
    );
    return firstFailure(verdicts, `${hosts.join(', ')}: public`);
  },
};

function hostVerdict(host: string, addresses: readonly string[]): InterlockVerdict {
  if (addresses.length === 0) return fail(`${host} has no address`);
  const reserved = addresses.flatMap((address) => {
    const reason = nonPublicReason(address);
    return reason === undefined ? [] : [`${address}, ${reason}`];
  });
  return reserved.length === 0 ? pass(host) : fail(`${host} is ${reserved.join('; ')}`);
}

const tlsVerification: Interlock = {
  id: 'tls_verification',
  severity: 'hard',
  modes: REAL,
  reads: 'machine',
  requires: 'the environment does not turn off the verification of certificates',
  mend: 'unset NODE_TLS_REJECT_UNAUTHORIZED',
  judge: ({ machine: { env } }) =>
    env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
      ? fail('NODE_TLS_REJECT_UNAUTHORIZED is 0 in the environment')
      : pass('certificates are verified'),
};

const extraAuthority: Interlock = {
  id: 'extra_authority',
  severity: 'soft',
  modes: REAL,
  reads: 'machine',
  requires: 'the environment adds no certificate authority',
  mend: 'unset NODE_EXTRA_CA_CERTS unless you added this authority yourself: the owner of its key can read the traffic',
  judge({ machine: { env } }) {
    const file = env['NODE_EXTRA_CA_CERTS'];
    return file === undefined || file === ''
      ? pass('none is added')
      : fail(`NODE_EXTRA_CA_CERTS adds the authorities of ${file}`);
  },
};

export const ADDRESS_INTERLOCKS: readonly Interlock[] = [
  https,
  publicHost,
  tlsVerification,
  extraAuthority,
];
