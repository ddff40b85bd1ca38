// The cost of running a backtest on a thread of its own: the same run there and on the main thread. Measured
// are the time of the bundled week, mostly start-up, and the engine's ns a candle over a million candles.
// Each run is a process, and the two take turns. The heartbeat, all that the hook watchdog adds to a candle,
// is measured by itself.
// Usage: npm run bench:backtest [-- --runs 7] [--data FILE of 1m candles]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { option, percentile } from './sandbox-process.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PROGRAMS = { main: 'bench/backtest-main-thread.mjs', own: 'bin/sluice.mjs' };
const WORKLOAD = join(process.env.SLUICE_SHARED ?? '../shared', 'bench/w1-1m.csv.gz');
const runs = option('runs', 7);
const at = process.argv.indexOf('--data');
const data = at < 0 ? WORKLOAD : process.argv[at + 1];
const MILLION =
  `--strategy sma-cross --symbol BTCUSDT --interval 1m --data ${data} --param fast=10 --param slow=50 ` +
  '--size quantity=0.01 --cash 10000 --taker-fee 0.0005 --risk none';
const PLAIN = ['--slippage', '0', '--funding', 'none', '--json'];
const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-backtest-'));

/** @returns wall ms of the process, and the engine's ns a candle */
function measure(thread, args) {
  const from = performance.now();
  const options = [...args, ...PLAIN, '--out', join(folder, thread)];
  const child = spawn(process.execPath, [PROGRAMS[thread], 'backtest', ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(`a backtest ended with code ${code}`));
      else resolve({ ms: performance.now() - from, ns: JSON.parse(text).engine_ns_per_bar });
    });
  });
}

async function inTurns(args) {
  const results = { main: [], own: [] };
  for (let run = 0; run < runs; run += 1)
    for (const thread of Object.keys(PROGRAMS)) results[thread].push(await measure(thread, args));
  return results;
}

const medians = ({ main, own }, name) => {
  const median = (each) =>
    percentile(
      each.map((row) => row[name]).sort((a, b) => a - b),
      0.5,
    );
  return { main: Math.round(median(main)), own: Math.round(median(own)) };
};

/** @returns ns that the heartbeat of a candle takes: its three writes, beside a loop without them */
function heartbeatNs() {
  const cells = new Float64Array(new SharedArrayBuffer(4 * Float64Array.BYTES_PER_ELEMENT));
  const times = Array.from({ length: runs }, () => writingNs(cells) - emptyNs());
  return percentile(
    times.sort((a, b) => a - b),
    0.5,
  );
}

const CANDLES = 20_000_000;

function writingNs(cells) {
  const from = performance.now();
  for (let candle = 0; candle < CANDLES; candle += 1) {
    cells[2] = candle;
    cells[3] = 0;
    cells[0] = candle;
  }
  return ((performance.now() - from) * 1e6) / CANDLES;
}

function emptyNs() {
  const from = performance.now();
  for (let candle = 0; candle < CANDLES; candle += 1);
  return ((performance.now() - from) * 1e6) / CANDLES;
}

try {
  const report = {
    runs,
    heartbeat_ns: Number(heartbeatNs().toFixed(2)),
    week_ms: medians(await inTurns([]), 'ms'),
  };
  if (existsSync(data)) {
    const million = await inTurns(MILLION.split(' '));
    report.million_ms = medians(million, 'ms');
    report.engine_ns_per_bar = medians(million, 'ns');
  } else process.stderr.write(`bench:backtest: there is no ${data}: the week alone\n`);
  console.log(JSON.stringify(report));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
