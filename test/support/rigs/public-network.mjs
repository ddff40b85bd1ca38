// A network of its own, made by `unshare`: a public-looking address on the loopback device, a hosts entry for its
// name, and TLS in front of a sandbox. Nothing else is reachable in it, so that the address leads nowhere.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';

export const ADDRESS = '93.184.216.34';
export const NAME = 'api.venue.example';
const DAYS = '2';
const ENTER = `set -e
ip link set lo up
ip address add ${ADDRESS}/32 dev lo
mount --bind "$1/hosts" /etc/hosts
ulimit -c 0
shift
exec "$@"`;

/** Such a network needs user namespaces, iproute2 and openssl. */
export function isPublicNetworkPossible() {
  const { status } = spawnSync('unshare', ['-rnm', 'sh', '-c', 'ip link set lo up']);
  return status === 0 && spawnSync('openssl', ['version']).status === 0;
}

/** Writes `hosts`, the authority `ca.pem`, and `cert.pem` with `key.pem` into the folder. */
export function preparePublicNetwork(folder) {
  const at = (name) => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const openssl = (args) => execFileSync('openssl', args, { stdio: 'ignore' });
  const authority = ['-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=a test'];
  openssl(['req', '-x509', ...key, ...authority, '-days', DAYS]);
  const request = ['-keyout', at('key.pem'), '-out', at('request.pem'), '-subj', `/CN=${NAME}`];
  openssl(['req', ...key, ...request]);
  writeFileSync(at('names'), `subjectAltName=DNS:${NAME}\n`);
  const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  const signed = ['-extfile', at('names'), '-in', at('request.pem'), '-out', at('cert.pem')];
  openssl(['x509', '-req', ...signer, ...signed, '-days', DAYS]);
  writeFileSync(at('hosts'), `127.0.0.1 localhost\n${ADDRESS} ${NAME}\n`);
}

/** Arguments of `unshare` that run a script of Node inside the network. */
export const publicNetworkArgs = (folder, script, args) => [
  ...['-rnm', 'sh', '-c', ENTER, 'sh', folder],
  ...[process.execPath, script, ...args],
];

/** Inside the network: TLS at the public address, in front of a port of 127.0.0.1. */
export async function serveTls(folder, port) {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)));
  const server = createServer({ key, cert }, (socket) => {
    const inner = connect(port, '127.0.0.1');
    socket.pipe(inner).pipe(socket);
    socket.on('error', () => inner.destroy());
    inner.on('error', () => socket.destroy());
  });
  await new Promise((resolve) => server.listen(443, ADDRESS, resolve));
  return server;
}
