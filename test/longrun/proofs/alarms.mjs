// False alarms of the gate: every strategy of the library on 30 days of real one-minute candles, with preset
// standard enforced. Lists refusals and halts by control. A figure is no verdict: the page of results
// (docs/risk.md) says which of them are meant.
// Usage: npm run proof:alarms [-- --only grid,sma-cross --from 2025-05-05 --days 30 --json]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOptions } from '../../../scripts/program-options.mjs';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DATA = join(process.env.SLUICE_SHARED ?? join(ROOT, '../shared'), 'data');
const DAY_MS = 86_400_000;
/** The third duplicate within a minute stops a strategy (R08). The summary of a backtest counts the refusals alone. */
const STOPPING_DUPLICATES = 3;
const PAIR = ['BTCUSDT', 'ETHUSDT'];
const THREE = [...PAIR, 'SOLUSDT'];
/** A size within the limits of standard: a larger one is refused at every order, which is no false alarm. */
const USUAL = ['--size', 'notional=250', '--leverage', '2'];
/** Strategies of several symbols, and those that compute their own size, which their parameters make small. */
const RUNS = {
  'momentum-rotation': { symbols: THREE },
  'pairs-spread': { symbols: PAIR },
  'funding-tilt': { symbols: THREE },
  grid: { options: ['--param', 'equityPct=9', '--param', 'levels=4', '--leverage', '2'] },
  'volatility-target': { options: ['--param', 'yearlyPct=1', '--leverage', '2'] },
  'dollar-cost': { options: ['--leverage', '2'] },
};

const args = programOptions(import.meta.url, {
  only: { type: 'string' },
  from: { type: 'string', default: '2025-05-05' },
  days: { type: 'number', default: 30 },
  json: { type: 'boolean', default: false },
});
const { days } = args;
const fromMs = Date.parse(args.from);
if (Number.isNaN(fromMs)) fail(`--from is a date such as 2025-05-05, not "${args.from}"`);
if (!existsSync(DATA))
  fail(`there is no ${DATA}: set SLUICE_SHARED to the folder of the market data`);

const library = readdirSync(join(ROOT, 'strategies'))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => name.slice(0, -3));
const names = args.only?.split(',') ?? library;
const unknown = names.filter((name) => !library.includes(name));
if (unknown.length > 0)
  fail(`no strategy ${unknown.join(', ')}; the library has ${library.join(', ')}`);

const folder = mkdtempSync(join(tmpdir(), 'sluice-alarms-'));
const riskFile = join(folder, 'risk.yaml');
writeFileSync(riskFile, `preset: standard\nsymbols_allow: [${THREE.join(', ')}]\n`);
try {
  const rows = [];
  for (const name of names) rows.push(await runOf(name));
  if (args.json) console.log(JSON.stringify({ from: args.from, days, rows }));
  else print(rows);
  process.exitCode = rows.some(({ exit_code: code }) => code !== 0) ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @returns the figures of one strategy */
async function runOf(name) {
  const { symbols = ['BTCUSDT'], options = USUAL } = RUNS[name] ?? {};
  const isoOf = (ms) => new Date(ms).toISOString();
  const range = ['--from', isoOf(fromMs), '--to', isoOf(fromMs + days * DAY_MS)];
  const files = symbols.length === 1 ? dataFile(symbols[0]) : DATA;
  const { code, out, errors } = await sluice([
    ...['backtest', '--strategy', name, '--symbol', symbols.join(','), '--interval', '1m'],
    ...['--data', files, ...range, ...options, '--slippage', '2', '--funding', DATA],
    ...['--risk', riskFile, '--json', '--out', join(folder, name)],
  ]);
  const lines = errors.split('\n');
  if (code !== 0)
    process.stderr.write(`proof:alarms: ${name} ended with ${code}: ${lines.at(-2)}\n`);
  const summary = code === 0 ? JSON.parse(out.trim().split('\n').at(-1)) : {};
  return {
    strategy: name,
    symbols,
    exit_code: code,
    bars: summary.bars ?? null,
    fills: summary.fills ?? null,
    refused_by: summary.refused_by ?? {},
    rejected_by: summary.rejected_by ?? {},
    halts: haltsOf(summary),
    return_pct: summary.return_pct ?? null,
  };
}

/** Halts by control, as the summary has them; a strategy that R08 may have stopped counts as one. */
function haltsOf({ halts, refused_by: refused = {} }) {
  const isStopped = (refused.R08 ?? 0) >= STOPPING_DUPLICATES;
  return { ...halts, ...(isStopped && { R08: 1 }) };
}

function dataFile(symbol) {
  const prefix = `${symbol.toLowerCase()}-1m-`;
  const month = new Date(fromMs).toISOString().slice(0, 7);
  const found = readdirSync(DATA).filter((file) => file.startsWith(prefix));
  const file = found.find((each) => each.startsWith(`${prefix}${month}`)) ?? found[0];
  return file === undefined
    ? fail(`${DATA} has no one-minute candles of ${symbol}`)
    : join(DATA, file);
}

function sluice(argv) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, 'bin/sluice.mjs'), ...argv], { cwd: ROOT });
    const texts = { out: '', errors: '' };
    child.stdout.on('data', (text) => (texts.out += text));
    child.stderr.on('data', (text) => (texts.errors += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

/** One column for each control that occurs. */
function print(rows) {
  const controls = [...new Set(rows.flatMap(({ refused_by: by }) => Object.keys(by)))].sort();
  console.table(
    Object.fromEntries(
      rows.map(({ strategy, fills, refused_by: by, halts, exit_code: code }) => [
        strategy,
        {
          ...(code !== 0 && { exit_code: code }),
          fills,
          ...Object.fromEntries(controls.map((id) => [id, by[id] ?? 0])),
          halts: Object.keys(halts).length === 0 ? 0 : JSON.stringify(halts),
        },
      ]),
    ),
  );
}

function fail(text) {
  process.stderr.write(`proof:alarms: ${text}\n`);
  process.exit(2);
}
