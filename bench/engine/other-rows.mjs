// Rows of `npm run bench` that are no engine loop: the whole command from the cache, the first import of the CSV file,
// and the live way from a frame to its POST.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argsOf, ENGINE_ROWS, W1 } from './rows.mjs';
import { percentile } from '../sandbox-process.mjs';

const LIVE_SECONDS = 300;
const POLL_MS = 10;
const W1_ROW = ENGINE_ROWS.find(({ name }) => name === 'w1');
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** The kernel's high-water mark of a process's resident memory in MiB; undefined where there is no /proc. */
function peakOf(pid) {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return undefined;
    throw error;
  }
}

/** @returns wall ms, the engine's part of it, the ms until the first candle, and the peak in MiB */
function command({ root, data, folder }, cache, extra = []) {
  const from = performance.now();
  const args = ['bin/sluice.mjs', 'backtest', ...argsOf(W1_ROW, data, folder), '--json'];
  const child = spawn(process.execPath, [...args, ...extra, '--out', join(folder, 'run')], {
    ...{ cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    env: { ...process.env, SLUICE_CACHE: cache },
  });
  let [text, peak] = ['', 0];
  const poll = setInterval(() => (peak = Math.max(peak, peakOf(child.pid) ?? 0)), POLL_MS);
  child.stdout.on('data', (chunk) => (text += chunk));
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      clearInterval(poll);
      if (code !== 0) return reject(new Error(`the command ended with code ${code}`));
      const {
        bars,
        fills,
        final_equity: equity,
        engine_ns_per_bar: ns,
        load_ms: loadMs,
      } = JSON.parse(text);
      if (fills !== W1.fills || equity !== W1.equity)
        return reject(
          new Error(
            `the command: ${fills} fills and ${equity}, the known answer is ${W1.fills} and ${W1.equity}`,
          ),
        );
      resolve({ wall: performance.now() - from, engine: (ns * bars) / 1e6, loadMs, peak });
    });
  });
}

async function repeated(runs, work) {
  const results = [];
  for (let run = 0; run < runs; run += 1) results.push(await work(run));
  return (key) => median(results.map((each) => each[key]));
}

export async function commandRow(context) {
  const cache = join(context.folder, 'cache');
  await command(context, cache);
  const of = await repeated(context.runs, () => command(context, cache));
  const [wall, engine, peak] = [of('wall'), of('engine'), of('peak')];
  context.say(`command: ${wall.toFixed(0)} ms`);
  return {
    ...{ row: 'command', title: 'whole command on W1 from the cache', goal: '400 ms and 180 MiB' },
    ...{ wall_ms: wall, engine_ms: engine, rest_ms: wall - engine, peak_mib: peak },
    text: `${wall.toFixed(0)} ms, of these the engine ${engine.toFixed(0)} and the rest ${(wall - engine).toFixed(0)}; peak ${peak.toFixed(0)} MiB`,
  };
}

/** The load of a command with an empty cache, less that of one with the file in its cache. */
export async function importRow(context) {
  const cold = await repeated(context.runs, (run) =>
    command(context, join(context.folder, `cold-${run}`)),
  );
  const cache = join(context.folder, 'cold-0');
  const warm = await repeated(context.runs, () => command(context, cache));
  const ms = cold('loadMs') - warm('loadMs');
  context.say(`import: ${ms.toFixed(0)} ms`);
  return {
    ...{
      row: 'import',
      title: 'first import of the CSV file beyond a read from the cache',
      goal: '500 ms',
    },
    ...{ import_ms: ms, load_cold_ms: cold('loadMs'), load_warm_ms: warm('loadMs') },
    text: `${ms.toFixed(0)} ms (load ${cold('loadMs').toFixed(0)} and ${warm('loadMs').toFixed(0)} ms)`,
  };
}

export async function liveRow({ folder, say }) {
  const { frameToPost } = await import('../journal-latency.mjs');
  const costs = (await frameToPost(join(folder, 'live'), LIVE_SECONDS, ['BTCUSDT'])).sort(
    (a, b) => a - b,
  );
  const [p50, p99] = [percentile(costs, 0.5), percentile(costs, 0.99)];
  say(`live: p99 ${p99.toFixed(1)} ms of ${costs.length}`);
  return {
    ...{ row: 'live', title: 'live: frame in to POST out on loopback', goal: 'p99 3 ms' },
    ...{ p50_ms: p50, p99_ms: p99, orders: costs.length },
    text: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms of ${costs.length} orders`,
  };
}
