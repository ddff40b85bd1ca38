// Conservation and independence of chunks: three strategies on BTC and ETH 1h candles of 2019 to 2026 with settled funding
// and mark prices, once from one file of each symbol and once from ten, under each Node. The money that came in is the money
// that is there, to the last digit, and all runs have one hash. A small form is in test/e2e/chunks.test.ts.
// Usage: npm run proof:chunks [-- --nodes 20,22,24 --data FOLDER --json]
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOptions } from '../../../scripts/program-options.mjs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { conservationOf } from './chunks/conservation.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const args = programOptions(import.meta.url, {
  nodes: { type: 'string', default: '20,22,24' },
  data: {
    type: 'string',
    default: join(process.env.SLUICE_SHARED ?? join(ROOT, '../shared'), 'data'),
  },
  json: { type: 'boolean', default: false },
});
const FILES = ['btcusdt-1h-2019-09_2026-05', 'ethusdt-1h-2019-11_2026-05'];
const FUNDING = ['btcusdt-funding-2019-09_2026-05', 'ethusdt-funding-2019-11_2026-05'];
const MARKS = ['btcusdt-mark-1h-2019-12_2026-05', 'ethusdt-mark-1h-2019-12_2026-05'];
/** The marks begin on 2019-12-23 and end with the hour before the last candle. */
const PERIOD = ['--from', '2020-01-01T00:00:00Z', '--to', '2026-05-17T06:00:00Z'];
const SIZE = ['--size', 'equity_pct=50', '--leverage', '3'];
const STRATEGIES = {
  'sma-cross': SIZE,
  'pairs-spread': SIZE,
  'volatility-target': ['--leverage', '2'],
};

if (!existsSync(args.data))
  fail(`there is no ${args.data}: name the folder of the market data with --data`);
const prices = Object.fromEntries(
  FILES.map((name) => [name.slice(0, 7).toUpperCase(), lastClose(name)]),
);
const work = mkdtempSync(join(tmpdir(), 'sluice-chunks-'));
const results = [];
try {
  for (const count of [1, 10]) splitInto(count);
  for (const version of args.nodes.split(',')) {
    const node = nodeOf(version);
    for (const strategy of Object.keys(STRATEGIES))
      for (const count of [1, 10]) results.push(run(node, strategy, count));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
report();

/** The close of the last candle of the period, as the file has it. */
function lastClose(name) {
  const until = Date.parse(PERIOD[3]) / 1_000;
  const rows = linesOf(name).filter((row) => Number(row.split(',')[0]) < until);
  return rows.at(-1).split(',')[4];
}

function linesOf(name) {
  return gunzipSync(readFileSync(join(args.data, `${name}.csv.gz`)))
    .toString()
    .trimEnd()
    .split('\n');
}

/** Candles and funding in so many parts; a part begins where the one before ends. Mark prices are one file. */
function splitInto(count) {
  const folder = join(work, `parts-${count}`);
  mkdirSync(folder);
  for (const name of [...FILES, ...FUNDING, ...MARKS]) {
    const [head, ...rows] = linesOf(name);
    const parts = MARKS.includes(name) ? 1 : count;
    const size = Math.ceil(rows.length / parts);
    for (let part = 0; part < parts; part += 1) {
      const own = [head, ...rows.slice(part * size, (part + 1) * size), ''].join('\n');
      const [base] = name.split(/-\d{4}/);
      writeFileSync(join(folder, `${base}-${String(part).padStart(2, '0')}.csv.gz`), gzipSync(own));
    }
  }
}

/** The binary of the package `node`, or this process's for its own version. */
function nodeOf(version) {
  if (process.version.startsWith(`v${version}.`)) return process.execPath;
  const folder = join(work, `node-${version}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', `node@${version}`],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  return status === 0 ? join(folder, 'node_modules/.bin/node') : fail(stderr);
}

function run(node, strategy, count) {
  const folder = join(work, `parts-${count}`);
  const out = join(work, 'out');
  const words = [
    '--strategy',
    strategy,
    '--symbol',
    'BTCUSDT,ETHUSDT',
    '--interval',
    '1h',
    ...PERIOD,
  ];
  const data = ['--data', folder, '--funding', folder, '--mark', folder];
  const flags = ['--no-report', '--no-bounds', '--json', '--out', out];
  const { status, stdout, stderr } = spawnSync(
    node,
    [
      join(ROOT, 'bin/sluice.mjs'),
      'backtest',
      ...words,
      ...data,
      ...STRATEGIES[strategy],
      ...flags,
    ],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  if (status !== 0) fail(`${strategy} under ${node}: ${stderr}`);
  const result = JSON.parse(stdout);
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const hash = hashWithoutFiles(result, out);
  const books = conservationOf(result, readFileSync(join(out, 'fills.csv'), 'utf8'), prices);
  return { node: version, strategy, chunks: count, fills: result.fills, hash, ...books };
}

/** Results and tables; the files of the data are others by intent. */
function hashWithoutFiles({ final_equity, net_profit, fees, funding, slippage, bars }, out) {
  const tables = ['trades.csv', 'fills.csv', 'equity.csv'].map((name) =>
    readFileSync(join(out, name)),
  );
  const text = JSON.stringify([final_equity, net_profit, fees, funding, slippage, bars]);
  return createHash('sha256').update(text).update(Buffer.concat(tables)).digest('hex');
}

function report() {
  const differing = Object.keys(STRATEGIES).filter(
    (strategy) =>
      new Set(results.filter((each) => each.strategy === strategy).map(({ hash }) => hash)).size >
      1,
  );
  const lost = results.filter(({ conserved }) => !conserved);
  if (args.json) console.log(JSON.stringify({ results, differing, lost: lost.length }));
  else {
    for (const { node, strategy, chunks, fills, hash, ...books } of results)
      console.log(
        `${node} ${strategy} from ${chunks} files: ${fills} fills, books off by ${books.exact} and ${books.rounding} of rounding, ${hash.slice(0, 12)}`,
      );
    console.log(
      differing.length === 0 && lost.length === 0
        ? 'held'
        : `BROKEN: ${differing.join(', ')} ${lost.length}`,
    );
  }
  process.exitCode = differing.length === 0 && lost.length === 0 ? 0 : 1;
}

function fail(message) {
  process.stderr.write(`proof:chunks: ${message}\n`);
  process.exit(1);
}
