// Time of `sluice runs list` over 10,000 runs: the index is read, checked against the disk, filtered and sorted.
// npm run bench:runs; prints one JSON line. Limit: 100 ms.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFiles } from '../dist/src/io/node/node-files.js';
import { nodeFolders } from '../dist/src/io/node/node-folders.js';
import { indexedRuns } from '../dist/src/report/run/run-index.js';
import { matchesFilter, sortedRuns } from '../dist/src/report/run/indexed-run.js';

const RUNS = 10_000;
const ROUNDS = 15;
const EXAMPLE = join(dirname(fileURLToPath(import.meta.url)), '../backtests/example');
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'];

const directory = mkdtempSync(join(tmpdir(), 'sluice-runs-'));
try {
  const example = JSON.parse(readFileSync(join(EXAMPLE, 'result.json'), 'utf8'));
  for (let index = 0; index < RUNS; index += 1) {
    const folder = join(directory, `run-${String(index).padStart(5, '0')}`);
    mkdirSync(folder);
    const symbol = SYMBOLS[index % SYMBOLS.length];
    const strategies = example.inputs.strategies.map((each) => ({ ...each, symbols: [symbol] }));
    // A cheap spread of values: 7,919 is prime.
    const sharpe = ((index * 7_919) % RUNS) / 1_000 - 5;
    const run = { ...example, sharpe, inputs: { ...example.inputs, strategies } };
    writeFileSync(join(folder, 'result.json'), JSON.stringify(run));
  }
  cpSync(EXAMPLE, join(directory, 'example'), { recursive: true });
  const ports = { files: nodeFiles, folders: nodeFolders };
  const list = async () => {
    const { runs } = await indexedRuns(directory, ports);
    const filter = { strategy: 'sma-cross', symbol: 'ETHUSDT', sinceMs: 0 };
    return sortedRuns(
      runs.filter((run) => matchesFilter(run, filter)),
      'sharpe',
    ).slice(0, 20);
  };
  const builtAt = performance.now();
  await list();
  const buildMs = performance.now() - builtAt;
  const times = [];
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    const rows = await list();
    times.push(performance.now() - startedAt);
    if (rows.length !== 20) throw new Error(`20 rows were asked for, and ${rows.length} came`);
  }
  const { user, system } = process.cpuUsage(before);
  const cpuMs = Math.round((user + system) / 1_000 / ROUNDS);
  times.sort((a, b) => a - b);
  const [best, median] = [times[0], times[Math.floor(ROUNDS / 2)]].map(Math.round);
  process.stdout.write(
    `${JSON.stringify({ runs: RUNS, list_ms: median, best_ms: best, cpu_ms: cpuMs, build_ms: Math.round(buildMs) })}\n`,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
