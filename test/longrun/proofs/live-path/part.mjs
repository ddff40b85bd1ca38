// Runs inside the network of proof:live. Sluice is the program as users start it; nothing in it is replaced.
// Prints JSON lines: a sample a minute, and a check with its figure for each claim.
// node part.mjs FOLDER MINUTES PART...
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setInterval } from 'node:timers';
import { NAME, serveTls } from '../../../support/rigs/public-network.mjs';

const [folder, minutes, ...parts] = process.argv.slice(2);
const PROGRAM = new URL('../../../../bin/sluice.mjs', import.meta.url).pathname;
/** Holds a position from its first candle, so that a short run trades too. */
const HOLDER = new URL('../../../fixtures/constant-target.ts', import.meta.url).pathname;
const SECRET = 'a-secret-of-the-second-sandbox';
const PORT = 8787;
const SAMPLE_MS = 60_000;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const FAULTS = [
  { on: 'POST /fapi/v2/futures/order', fault: 'resp_lost', probability: 0.1 },
  { on: 'GET /fapi/v1/futures/orders/detail', fault: 'resp_lost', probability: 0.02 },
  // Of about 95 requests a minute: 2 % of them latch R25 within two hours, and a latched account trades no more.
  { on: '*', fault: '500_before', probability: 0.005 },
  { on: '*', fault: '429', probability: 0.01 },
  { on: 'WS', fault: 'ws_drop', probability: 0.0001 },
];
const CONFIG = join(folder, 'live.yaml');
const configText = `mode: live
account: main
venue:
  base_url: https://${NAME}
  ws_url: wss://${NAME}
  api_secret_file: secret
state_dir: ${folder}/state
on_stop: flatten
strategies:
${SYMBOLS.map(
  (symbol) => `  - id: cross-${symbol.toLowerCase()}
    use: sma-cross
    symbols: [${symbol}]
    interval: 1m
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 2 }
    params: { fast: 2, slow: 5 }`,
).join('\n')}
  - id: holder
    use: ${HOLDER}
    symbols: [XRPUSDT]
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 2 }
risk: { preset: standard, symbols_allow: [${[...SYMBOLS, 'XRPUSDT'].join(', ')}] }
`;

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const check = (name, holds, figure) => print({ kind: 'check', name, holds, figure });
const children = new Set();
process.on('SIGTERM', () => {
  for (const child of children) child.kill('SIGTERM');
});

function start(args) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
  const stdio = ['ignore', 'pipe', 'pipe'];
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio });
  children.add(child);
  child.on('close', () => children.delete(child));
  return child;
}

/** @returns exit code, the last JSON line of its output, and its log */
async function run(args) {
  const child = start(args);
  let [stdout, log] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (log += chunk));
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  const last = stdout.trim().split('\n').at(-1);
  return { exitCode, summary: last ? JSON.parse(last) : {}, log };
}

async function control(path, method = 'GET', body = undefined) {
  const response = await fetch(`http://127.0.0.1:${PORT}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Counts requests as they come: the sandbox keeps the last 10,000 only. */
class RequestCount {
  #sequence = 0;
  reads = 0;
  faults = 0;
  /** Everything but GET. */
  writes = [];

  async take() {
    const { requests } = await control('/sandbox/requests');
    for (const { sequence, method, path, faults } of requests) {
      if (sequence <= this.#sequence) continue;
      this.#sequence = sequence;
      this.faults += faults.length;
      if (method === 'GET') this.reads += 1;
      else this.writes.push(`${method} ${path}`);
    }
  }
}

/** One run of the daemon, with a sample a minute. */
async function runPart(name, options, count) {
  const startedAt = performance.now();
  const sample = async () => {
    await count.take();
    const { reads, writes, faults } = count;
    const at = Math.round((performance.now() - startedAt) / 60_000);
    print({ kind: 'sample', part: name, minutes: at, reads, writes: writes.length, faults });
    process.stderr.write(
      `proof:live: ${name}, ${at} of ${minutes} min: ${reads} reads, ${writes.length} writes, ${faults} faults\n`,
    );
  };
  const timer = setInterval(() => void sample(), SAMPLE_MS);
  const duration = `${Math.round(minutes * 60)}s`;
  const ran = await run([
    'run',
    ...['--config', CONFIG, '--duration', duration, '--json'],
    ...options,
  ]);
  clearInterval(timer);
  await count.take();
  writeFileSync(join(folder, `${name}.log`), ran.log);
  check(`${name}: exit code`, ran.exitCode === 0, ran.exitCode);
  if (ran.exitCode !== 0) process.stderr.write(ran.log.split('\n').slice(-20).join('\n'));
  check(`${name}: reconciled`, ran.summary.reconciled === true, ran.summary.reconciled);
  return ran.summary;
}

const ordersOf = async () => (await control('/sandbox/state')).orders;

async function observe() {
  const observed = new RequestCount();
  const watched = await runPart('observe', ['--observe'], observed);
  check('observe: requests other than reads', observed.writes.length === 0, observed.writes.length);
  check('observe: reads', observed.reads > 20 * minutes, observed.reads);
  check('observe: orders at the venue', (await ordersOf()).length === 0, (await ordersOf()).length);
  check('observe: orders that it would have sent', watched.would_send > 0, watched.would_send);
}

async function trade() {
  const acknowledged = readFileSync(CONFIG, 'utf8').replace(
    'account: main\n',
    'account: main\nlive: { acknowledgement: real money on main }\n',
  );
  writeFileSync(CONFIG, acknowledged);
  await control('/sandbox/faults', 'PUT', FAULTS);
  const traded = new RequestCount();
  await traded.take();
  const before = traded.faults;
  const live = await runPart('live', [], traded);
  const faults = traded.faults - before;
  check('live: faults that the venue injected', faults > 0, faults);
  check('live: orders filled', live.orders_filled > 0, live.orders_filled);
  check('live: orders of unknown outcome', live.unknown === 0, live.unknown);
  const ids = (await ordersOf()).flatMap(({ client_order_id: id }) => (id ? [id] : []));
  check('live: duplicate orders', new Set(ids).size === ids.length, ids.length - new Set(ids).size);
  const { positions } = await control('/sandbox/state');
  check('live: positions left by the flatten', positions.length === 0, positions.length);
  const replay = await run(['replay', join(folder, 'state'), '--json']);
  check('replay identical', replay.summary.identical === true, replay.summary.identical);
}

writeFileSync(join(folder, 'secret'), `${SECRET}\n`, { mode: 0o600 });
writeFileSync(CONFIG, configText);
const sandbox = start([
  'sandbox',
  ...['--port', String(PORT), '--secret', SECRET, '--clock', 'real', '--json'],
]);
sandbox.stderr.resume();
await new Promise((resolve) => createInterface(sandbox.stdout).once('line', resolve));
const tls = await serveTls(folder, PORT);

if (parts.includes('observe')) await observe();
if (parts.includes('live')) await trade();
sandbox.kill();
tls.close();
process.exit(0);
