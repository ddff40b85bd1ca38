// How long a flatten takes against the real sandbox in another process, limits on: forty orders that
// rest, ten positions, and one answer in five about an order a 429, or a 500 without or with an effect.
// By Ctrl-C and `on_stop: flatten`, or by `sluice kill --level flatten` on the operator's channel; then
// the kill has to stand over a restart, and to end with `sluice resume`.
// Usage: npm run bench:flatten [-- --runs 20] [--by stop|kill] [--first-seed 1]
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
const firstSeed = option('first-seed', 1);
const byKill = process.argv.includes('kill');
const TRADING_WITHIN_MS = 60_000;

const configOf = ({ baseUrl, wsUrl }, folder, symbols) => `
mode: sandbox
account: flatten
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${join(folder, 'secret')}' }
state_dir: '${join(folder, 'state')}'
on_stop: ${byKill ? 'keep' : 'flatten'}
log_level: info
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

const startDaemon = (folder) => start('run', '--config', join(folder, 'flatten.yaml'), '--json');

/** A command of sluice as a process. */
function start(...args) {
  const child = spawn('node', ['bin/sluice.mjs', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const daemon = { child, text: '', errors: '' };
  child.stdout.on('data', (chunk) => (daemon.text += chunk));
  child.stderr.on('data', (chunk) => {
    daemon.errors += chunk;
    if (daemon.errors.includes('TRADING → REDUCE_ONLY')) daemon.heardAt ??= performance.now();
  });
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
    const flatten = byKill
      ? start('kill', join(folder, 'state'), '--level', 'flatten', '--timeout', '120s', '--json')
      : daemon;
    if (!byKill) daemon.child.kill('SIGINT');
    let flatMs;
    let exitCode;
    const ended = flatten.ended.then((code) => (exitCode = code));
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
    const answer = JSON.parse(flatten.text.trim().split('\n').at(-1) || '{}');
    const stands = byKill ? await killStands(folder, daemon, requestJson) : undefined;
    return {
      exit_code: exitCode,
      end: byKill ? answer.done && 'flat' : answer.flatten?.end,
      ...(byKill && stands),
      orders: openOrders(before).length,
      positions: before.positions.length,
      left_orders: openOrders(state).length,
      left_positions: state.positions.length,
      // From the start of the command to the mode that it sets.
      ...(byKill && { heard_ms: Math.round(daemon.heardAt - from) }),
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

/** The daemon ends, a start under the kill places nothing and is refused, and trades after a resume. */
async function killStands(folder, daemon, requestJson) {
  const placed = async () => (await requestJson('state')).orders.length;
  daemon.child.kill('SIGINT');
  await daemon.ended;
  const before = await placed();
  const restarted = startDaemon(folder);
  const restartCode = await restarted.ended;
  const afterRestart = await placed();
  const resumeCode = await start('resume', join(folder, 'state')).ended;
  const last = startDaemon(folder);
  const from = performance.now();
  while (!last.errors.includes('→ TRADING') && performance.now() < from + TRADING_WITHIN_MS)
    await sleep(200);
  const trades = last.errors.includes('→ TRADING');
  last.child.kill('SIGKILL');
  await last.ended;
  return {
    stands: restartCode === 4 && afterRestart === before,
    resumed: resumeCode === 0 && trades,
  };
}

const results = [];
for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
  const result = await measure(seed);
  results.push(result);
  process.stderr.write(
    `bench:flatten: run ${results.length} of ${runs}, seed ${seed}: ${JSON.stringify(result)}\n`,
  );
}
const sorted = (name) => results.map((each) => each[name] ?? Infinity).sort((a, b) => a - b);
const spread = (name) => ({
  p50: percentile(sorted(name), 0.5),
  max: sorted(name).at(-1),
});
const isFlat = (each) =>
  each.exit_code === 0 &&
  each.end === 'flat' &&
  each.left_orders + each.left_positions === 0 &&
  each.stands !== false &&
  each.resumed !== false;
const report = {
  runs: results.length,
  flat: results.filter(isFlat).length,
  orders: Math.min(...results.map(({ orders }) => orders)),
  positions: Math.min(...results.map(({ positions }) => positions)),
  ...(byKill && { heard_ms: spread('heard_ms') }),
  last_cancel_ms: spread('last_cancel_ms'),
  flat_ms: spread('flat_ms'),
  proved_ms: spread('proved_ms'),
};
console.log(JSON.stringify(report));
process.exit(report.flat === report.runs ? 0 : 1);
