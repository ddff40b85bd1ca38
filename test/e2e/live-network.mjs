/**
 * Runs inside the network of test/support/rigs/public-network.mjs: a sandbox, and TLS in front of it. Sluice itself
 * is the program as users start it; nothing in it is replaced. Prints one JSON line with what happened.
 *
 * node live-network.mjs FOLDER
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { serveTls } from '../support/rigs/public-network.mjs';

const [folder] = process.argv.slice(2);
const PROGRAM = new URL('../../bin/sluice.mjs', import.meta.url).pathname;
const SECRET = 'a-secret-of-the-second-sandbox';
const RUN = '75s';

const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_EXTRA_CA_CERTS: `${folder}/ca.pem`,
};
const start = (args, environment = env) =>
  spawn(process.execPath, [PROGRAM, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function run(args, environment) {
  const child = start(args, environment);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  return { exitCode, stdout, stderr };
}

const sandbox = start(['sandbox', '--port', '8787', '--secret', SECRET, '--json']);
sandbox.stderr.resume();
await new Promise((resolve) => createInterface(sandbox.stdout).once('line', resolve));

const tls = await serveTls(folder, 8787);

const control = async (method, path, body) => {
  const response = await fetch(`http://127.0.0.1:8787${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json();
};

const config = `${folder}/live.yaml`;
const text = readFileSync(config, 'utf8');
const result = {};
result.unacknowledged = await run(['run', '--config', config]);
result.untrusted = await run(['doctor', config, '--observe', '--json'], {
  PATH: env.PATH,
  HOME: env.HOME,
});
result.doctor = await run(['doctor', config, '--observe', '--json']);
result.observe = await run(['run', '--config', config, '--observe', '--duration', RUN, '--json']);
result.observed = (await control('GET', '/sandbox/requests')).requests.map(
  ({ method, path }) => `${method} ${path}`,
);
result.ordersAfterObserve = (await control('GET', '/sandbox/state')).orders.length;

writeFileSync(
  config,
  text.replace('account: main\n', 'account: main\nlive: { acknowledgement: real money on main }\n'),
);
await control('PUT', '/sandbox/faults', [
  { on: 'POST /fapi/v2/futures/order', fault: 'resp_lost', count: 1 },
  { on: 'GET /fapi/v1/futures/orders/detail', fault: 'resp_lost', count: 1 },
]);
result.live = await run(['run', '--config', config, '--duration', RUN, '--json']);
result.orders = (await control('GET', '/sandbox/state')).orders;

// The strategy of the open position gets another id.
writeFileSync(config, readFileSync(config, 'utf8').replace('- id: btc\n', '- id: btc-trend\n'));
const before = (await control('GET', '/sandbox/state')).positions;
result.undecided = await run(['run', '--config', config, '--duration', '20s', '--json']);
result.renamed = await run(['strategy', 'rename', 'btc', 'btc-trend', '--config', config]);
result.decided = await run(['run', '--config', config, '--duration', '20s', '--json']);
const funds = { on: 'GET /fapi/v1/futures/funds', fault: '500_before' };
await control('PUT', '/sandbox/faults', [funds]);
result.waiting = await run(['run', '--config', config, '--duration', '15s']);
await control('DELETE', '/sandbox/faults');
result.positions = [before, (await control('GET', '/sandbox/state')).positions];
result.replay = await run(['replay', `${folder}/state`, '--json']);
process.stdout.write(`${JSON.stringify(result)}\n`);
sandbox.kill();
tls.close();
process.exit(0);
