// How long a flatten takes against the real sandbox in another process, limits on: forty orders that
// rest, ten positions, and one answer in five about an order a 429, or a 500 without or with an effect.
// Usage: npm run bench:flatten [-- --runs 20]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UNCLEAR_ORDERS } from './unknown-orders/flatten-faults.mjs';
import { option, percentile, sleep, startSandbox } from './sandbox-process.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const STRATEGY = fileURLToPath(new URL('./unknown-orders/resting-orders.ts', import.meta.url));
const [ORDERS, POSITIONS, RUNGS, SPEED] = [40, 10, 4, 10];
const SETTLED_MS = 5_000;
const READY_WITHIN_MS = 240_000;
const OPEN = new Set(['CREATED', 'PARTIAL_FILLED']);
const runs = option('runs', 20);

const configOf = ({ baseUrl, wsUrl }, folder, symbols) => `
mode: sandbox
account: flatten
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${join(folder, 'secret')}' }
state_dir: '${join(folder, 'state')}'
on_stop: flatten
log_level: warn
strategies:
${symbols
  .map(
    (symbol) => `  - id: one-${symbol.toLowerCase()}
    use: '${STRATEGY}'
    symbols: [${symbol}]
    leverage: 2
    isolation: none
    size: { notional: '100' }
    params: { rungs: ${RUNGS} }`,
  )
  .join('\n')}
risk:
  preset: standard
  symbols_allow: [${symbols.join(', ')}]
  max_open_orders: { symbol: 6, account: 60 }
  max_position_notional: { usdt: '2000', pct_equity: 90 }
`;

function startDaemon(folder) {
  const args = ['bin/sluice.mjs', 'run', '--config', join(folder, 'flatten.yaml'), '--json'];
  const child = spawn('node', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const daemon = { child, text: '', errors: '' };
  child.stdout.on('data', (chunk) => (daemon.text += chunk));
  child.stderr.on('data', (chunk) => (daemon.errors += chunk));
  daemon.ended = new Promise((resolve) => child.on('close', resolve));
  return daemon;
}

async function measure(seed) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-flatten-'));
  const sandbox = await startSandbox(['--clock', `fast:${SPEED}`, '--seed', String(seed)]);
  const requestJson = async (path) => (await fetch(`${sandbox.baseUrl}/sandbox/${path}`)).json();
  const openOrders = ({ orders }) =>
    orders.filter(({ client_order_id: id, status }) => id && OPEN.has(status));
  let daemon;
  try {
    const symbols = Object.keys((await requestJson('state')).prices).slice(0, POSITIONS);
    writeFileSync(join(folder, 'secret'), sandbox.secret, { mode: 0o600 });
    writeFileSync(join(folder, 'flatten.yaml'), configOf(sandbox, folder, symbols));
    daemon = startDaemon(folder);
    const isReady = async () => {
      const state = await requestJson('state');
      return openOrders(state).length >= ORDERS && state.positions.length >= POSITIONS;
    };
    for (let ms = 0; !(await isReady()); ms += 500) {
      if (ms > READY_WITHIN_MS) throw new Error(`not ready:\n${daemon.errors.slice(-2_000)}`);
      await sleep(500);
    }
    // The orders' own requests are no part of what follows.
    await sleep(SETTLED_MS);
    const put = { method: 'PUT', headers: { 'content-type': 'application/json' } };
    await fetch(`${sandbox.baseUrl}/sandbox/faults`, {
      ...put,
      body: JSON.stringify(UNCLEAR_ORDERS),
    });
    const before = await requestJson('state');
    const from = performance.now();
    daemon.child.kill('SIGINT');
    let flatMs;
    let exitCode;
    const ended = daemon.ended.then((code) => (exitCode = code));
    while (exitCode === undefined) {
      await Promise.race([sleep(200), ended]);
      const { positions } = await requestJson('state');
      if (positions.length > 0) flatMs = undefined;
      else flatMs ??= performance.now() - from;
    }
    const endedMs = performance.now() - from;
    const { requests } = await requestJson('requests');
    const cancels = requests.filter(({ method }) => method === 'DELETE');
    const last = Math.max(...cancels.map(({ venue_ms: at }) => at));
    const state = await requestJson('state');
    const summary = JSON.parse(daemon.text.trim().split('\n').at(-1) ?? '{}');
    return {
      exit_code: exitCode,
      end: summary.flatten?.end,
      orders: openOrders(before).length,
      positions: before.positions.length,
      left_orders: openOrders(state).length,
      left_positions: state.positions.length,
      last_cancel_ms: Math.round((last - before.clock.now_ms) / SPEED),
      flat_ms: flatMs === undefined ? null : Math.round(flatMs),
      proved_ms: Math.round(endedMs),
    };
  } finally {
    if (daemon?.child.exitCode === null) daemon.child.kill('SIGKILL');
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const results = [];
for (let seed = 1; seed <= runs; seed += 1) {
  const result = await measure(seed);
  results.push(result);
  process.stderr.write(`bench:flatten: run ${seed} of ${runs}: ${JSON.stringify(result)}\n`);
}
const sorted = (name) => results.map((each) => each[name] ?? Infinity).sort((a, b) => a - b);
const spread = (name) => ({
  p50: percentile(sorted(name), 0.5),
  max: sorted(name).at(-1),
});
const isFlat = (each) =>
  each.exit_code === 0 && each.end === 'flat' && each.left_orders + each.left_positions === 0;
const report = {
  runs: results.length,
  flat: results.filter(isFlat).length,
  orders: Math.min(...results.map(({ orders }) => orders)),
  positions: Math.min(...results.map(({ positions }) => positions)),
  last_cancel_ms: spread('last_cancel_ms'),
  flat_ms: spread('flat_ms'),
  proved_ms: spread('proved_ms'),
};
console.log(JSON.stringify(report));
process.exit(report.flat === report.runs ? 0 : 1);
