// Ten minutes of the real daemon against the real sandbox, two processes, real clock, with answers
// lost, 500 after the fact, 423 and 429 on place. The sandbox's god view judges.
// Usage: npm run proof:faults [-- SECONDS]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const seconds = Number(process.argv[2] ?? 600);
const folder = mkdtempSync(join(tmpdir(), 'sluice-proof-'));
const PLACE = 'POST /fapi/v2/futures/order';
const faults = [
  { on: PLACE, fault: 'resp_lost', probability: 0.25 },
  { on: PLACE, fault: '500_after', probability: 0.2 },
  { on: PLACE, fault: '423(2)', probability: 0.1 },
  { on: PLACE, fault: '429(3)', probability: 0.1 },
];
const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'BNBUSDT', 'DOGEUSDT', 'LINKUSDT'];
const config = (baseUrl, wsUrl) => `
mode: sandbox
account: proof
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: secret }
state_dir: '${join(folder, 'state')}'
strategies:
${symbols
  .map(
    (symbol) => `  - id: cross-${symbol.toLowerCase()}
    use: sma-cross
    symbols: [${symbol}]
    leverage: 2
    size: { notional: '100' }
    protect: { stop_loss_pct: 2 }
    params: { fast: 2, slow: 3 }`,
  )
  .join('\n')}
risk: { preset: standard, symbols_allow: [${symbols.join(', ')}] }
`;

function sluice(args) {
  const child = spawn('node', ['bin/sluice.mjs', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.text = '';
  child.errors = '';
  child.stdout.on('data', (chunk) => (child.text += chunk));
  child.stderr.on('data', (chunk) => (child.errors += chunk));
  child.ended = new Promise((resolve) => child.on('close', resolve));
  return child;
}

const until = async (holds) => {
  for (let tries = 0; tries < 600 && !holds(); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

writeFileSync(join(folder, 'faults.json'), JSON.stringify(faults));
const sandbox = sluice([
  'sandbox',
  '--port',
  '0',
  '--clock',
  'real',
  '--faults',
  join(folder, 'faults.json'),
  '--json',
]);
try {
  await until(() => sandbox.text.includes('\n'));
  const {
    base_url: baseUrl,
    ws_url: wsUrl,
    api_secret: secret,
  } = JSON.parse(sandbox.text.split('\n')[0]);
  writeFileSync(join(folder, 'secret'), secret, { mode: 0o600 });
  writeFileSync(join(folder, 'proof.yaml'), config(baseUrl, wsUrl));
  const daemon = sluice([
    'run',
    '--config',
    join(folder, 'proof.yaml'),
    '--duration',
    `${seconds}s`,
    '--json',
  ]);
  const exitCode = await daemon.ended;
  const summary = JSON.parse(daemon.text.trim().split('\n').at(-1) ?? '{}');
  const state = await (await fetch(`${baseUrl}/sandbox/state`)).json();
  const appliedFaults = await (await fetch(`${baseUrl}/sandbox/faults`)).json();
  const own = state.orders.filter((order) => order.client_order_id);
  const ids = new Set(own.map((order) => order.client_order_id));
  const venue = Object.fromEntries(
    state.positions.map((row) => [
      row.symbol,
      Number(row.quantity) * (row.side === 'short' || row.order_type === 'SHORT' ? -1 : 1),
    ]),
  );
  const wrong = (summary.positions ?? []).filter(
    (row) => venue[row.symbol] !== Number(row.quantity),
  );
  const proof = {
    seconds,
    exit_code: exitCode,
    orders_at_venue: own.length,
    orders_filled: summary.orders_filled,
    duplicates: own.length - ids.size,
    unknown: summary.unknown,
    reconciled: summary.reconciled,
    positions_that_differ:
      wrong.length + Math.abs(state.positions.length - (summary.positions ?? []).length),
    faults: appliedFaults,
  };
  console.log(JSON.stringify(proof));
  const holds =
    exitCode === 0 &&
    proof.orders_at_venue > 0 &&
    proof.duplicates === 0 &&
    proof.unknown === 0 &&
    proof.reconciled === true &&
    proof.positions_that_differ === 0;
  if (!holds) console.error(daemon.errors.split('\n').slice(-40).join('\n'));
  process.exitCode = holds ? 0 : 1;
} finally {
  sandbox.kill('SIGINT');
  await sandbox.ended;
  rmSync(folder, { recursive: true, force: true });
}
