// The speed of the engine: ns a bar of each row beside a bare loop over the same columns in the same process, and beside
// a C loop when a compiler is there. Every figure of a first run is the median of fresh processes that take turns. A
// figure counts only if the answers are right. Progress goes to standard error.
// Usage: npm run bench [-- --only w0,w1 --runs 5 --bars 1000000 --data FILE --json --no-history]
//        npm run bench -- --short            a regression check: ratios of processor time, beside bench/engine/ratios.json
//        npm run bench -- --short --keep     writes the ratios into bench/engine/ratios.json
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOptions } from '../../scripts/program-options.mjs';
import { argsOf, ENGINE_ROWS, FULL_CONFIG, OTHER_ROWS, PEERS, W1 } from './rows.mjs';
import { commandRow, importRow, liveRow } from './other-rows.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RATIOS = join(ROOT, 'bench/engine/ratios.json');
const HISTORY = join(ROOT, 'docs/benchmarks.jsonl');
const SHORT_ROWS = ['w1', 'w0'];
/** A ratio that has grown by more fails. */
const REGRESSION = 1.5;
const W1_BARS = 1_000_000;

const options = programOptions(import.meta.url, {
  only: { type: 'string' },
  runs: { type: 'number' },
  bars: { type: 'number' },
  data: {
    type: 'string',
    default: join(process.env.SLUICE_SHARED ?? join(ROOT, '../shared'), 'bench/w1-1m.csv.gz'),
  },
  short: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  'no-history': { type: 'boolean', default: false },
});
const say = (text) => process.stderr.write(`bench: ${text}\n`);
const { short, data } = options;
const names = [...ENGINE_ROWS.map(({ name }) => name), ...OTHER_ROWS];
const wanted = options.only?.split(',') ?? (short ? SHORT_ROWS : names);
const unknown = wanted.filter((name) => !names.includes(name));
const runs = options.runs ?? (short ? 3 : 5);
const bars = options.bars ?? (short ? 200_000 : W1_BARS);
if (unknown.length > 0) fail(`--only: no row ${unknown.join(', ')}; rows: ${names.join(', ')}`);
if (!existsSync(data)) fail(`there is no ${data}; --data names the file of W1`);

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** @returns the JSON that a fresh process of a row prints */
function inFreshProcess(row, job) {
  const child = spawn(process.execPath, [join(ROOT, 'bench/engine/run.mjs'), JSON.stringify(job)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(text));
      else reject(new Error(`a process of ${row.name} ended with code ${code}`));
    });
  });
}

const columnsFile = join(folder, 'columns.bin');
const jobOf = (row, run, symbols = row.symbols) => ({
  args: argsOf(row, data, folder),
  rows: symbols === undefined ? bars : Math.ceil(bars / 5),
  // Warm figures do not depend on the process.
  warm: run === 0 && !short ? 3 : 0,
  loop: row.loop ?? [10, 50],
  fee: 0.0005,
  ...(symbols !== undefined && { symbols }),
  ...(symbols === undefined && { columnsTo: columnsFile }),
});

/** A wrong answer has no speed. */
function checkAnswer(row, result) {
  const { fills, equity } = row.answer ?? {};
  // Over any number of candles the loop knows the answer; its sums are rounded.
  if (row.isLoop && Math.abs(Number(result.equity) - result.loop.equity) > 1e-4)
    throw new Error(
      `${row.name}: equity ${result.equity}, and the bare loop has ${result.loop.equity}`,
    );
  if (result.bars !== W1_BARS || row.symbols !== undefined) return;
  if (fills !== undefined && fills !== result.fills)
    throw new Error(`${row.name}: ${result.fills} fills, the known answer is ${fills}`);
  if (equity !== undefined && equity !== result.equity)
    throw new Error(`${row.name}: equity ${result.equity}, the known answer is ${equity}`);
  if (row.name === 'w1' && result.loop.equity.toFixed(4) !== Number(W1.equity).toFixed(4))
    throw new Error(
      `the bare loop ends at ${result.loop.equity}, the known answer is ${W1.equity}`,
    );
}

function compiledLoop() {
  const program = join(folder, 'bare-loop');
  const source = join(ROOT, 'bench/engine/bare-loop.c');
  const built = spawnSync('cc', ['-O3', '-march=native', '-o', program, source], {
    encoding: 'utf8',
  });
  if (built.status === 0) return program;
  say(`no C loop: ${built.error?.message ?? built.stderr.split('\n')[0]}`);
  return undefined;
}

function cLoop(program, row) {
  const [fast, slow] = row.loop ?? [10, 50];
  const args = [columnsFile, bars, fast, slow, 0.0005].map(String);
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the C loop ended with code ${status}`);
  return JSON.parse(stdout);
}

/** All engine rows in turns, so that a slow minute of the machine meets each of them. */
async function engineRows() {
  const rows = ENGINE_ROWS.filter(({ name }) => wanted.includes(name));
  const program = rows.length > 0 && !short ? compiledLoop() : undefined;
  const results = new Map(rows.map(({ name }) => [name, []]));
  for (let run = 0; run < runs; run += 1) {
    for (const row of rows) {
      const result = await inFreshProcess(row, jobOf(row, run));
      checkAnswer(row, result);
      if (row.symbols !== undefined) result.single = await inFreshProcess(row, jobOf(row, run, 1));
      else if (program !== undefined) result.c = cLoop(program, row);
      results.get(row.name).push(result);
      say(
        `${row.name}: run ${run + 1} of ${runs}, ${result.first.wall.toFixed(0)} ns a bar, ${result.fills} fills`,
      );
    }
  }
  return rows.map((row) => summaryOf(row, results.get(row.name)));
}

function summaryOf(row, results) {
  const { warm, bars: count, fills, refused } = results[0];
  const medianOf = (read) => {
    const values = results.map(read);
    return values.includes(undefined) ? undefined : median(values);
  };
  const first = medianOf((each) => each.first.wall);
  const c = medianOf((each) => each.c?.first.wall);
  const loop = medianOf((each) => each.loop.first.wall);
  const single = medianOf((each) => each.single?.first.wall);
  return {
    ...{ row: row.name, title: row.title, goal: row.goal, bars: count, fills, refused },
    ...{ first_ns: first, warm_ns: warm?.wall, loop_first_ns: loop },
    loop_warm_ns: Math.min(...results.map((each) => each.loop.warm.wall)),
    ...(c !== undefined && { c_first_ns: c, first_to_c: first / c }),
    ...(c !== undefined && warm !== null && { warm_to_c: warm.wall / c }),
    first_to_loop: first / loop,
    ...(single !== undefined && { one_symbol_ns: single, to_one_symbol: first / single }),
    // The least disturbed process counts: other work only makes a run slower.
    cpu_ratio: Math.min(...results.map((each) => each.first.cpu / each.loop.warm.cpu)),
  };
}

const rounded = (value) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
const roundedRow = (row) =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key, rounded(value)]));

const shown = (value, unit = '') =>
  value === undefined ? '–' : `${Number(value.toPrecision(3))}${unit}`;

function table(rows) {
  const heads = [
    'row',
    'first ns',
    'warm ns',
    'JS loop',
    'C loop',
    'first ÷ JS',
    'first ÷ C',
    'warm ÷ C',
    'goal',
  ];
  const lines = rows.map((row) => [
    row.title,
    shown(row.first_ns),
    shown(row.warm_ns),
    shown(row.loop_first_ns),
    shown(row.c_first_ns),
    shown(row.first_to_loop, ' ×'),
    shown(row.first_to_c, ' ×'),
    shown(row.warm_to_c, ' ×'),
    `${row.goal}${row.to_one_symbol === undefined ? '' : `; is ${shown(row.to_one_symbol, ' ×')}`}`,
  ]);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...lines.map((line) => line[column].length)),
  );
  return [heads, ...lines]
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
        )
        .join('  '),
    )
    .join('\n');
}

/** @returns whether a ratio has grown too much */
function compareWithKept(rows) {
  const kept = JSON.parse(readFileSync(RATIOS, 'utf8'));
  return rows.flatMap(({ row, cpu_ratio: ratio }) => {
    const before = kept.cpu_ratio[row];
    const limit = before === undefined ? Infinity : before * REGRESSION;
    say(
      `${row}: ${ratio.toFixed(0)} × the bare loop's processor time, kept ${before ?? 'none'}, limit ${limit.toFixed(0)}`,
    );
    return ratio > limit ? [row] : [];
  });
}

function peers() {
  const lines = PEERS.map(
    ([name, ns, note]) => `  ${name.padEnd(28)} ${String(ns).padStart(7)} ns a bar   ${note}`,
  );
  return [
    'Peers on W1, measured in November 2026 on two quiet cores, not in this run:',
    ...lines,
  ].join('\n');
}

try {
  writeFileSync(join(folder, 'config.yaml'), FULL_CONFIG);
  const rows = (await engineRows()).map(roundedRow);
  const others = [];
  if (wanted.includes('command'))
    others.push(await commandRow({ root: ROOT, data, folder, runs, say }));
  if (wanted.includes('import'))
    others.push(await importRow({ root: ROOT, data, folder, runs, say }));
  if (wanted.includes('live')) others.push(await liveRow({ folder, say }));
  const record = {
    at: new Date().toISOString(),
    ...{ node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism() },
    ...{ runs, bars, rows, others: others.map(roundedRow) },
  };
  if (options.json) process.stdout.write(`${JSON.stringify(record)}\n`);
  else {
    const lines = others.map((row) => `${row.title}: ${row.text}; goal ${row.goal}`);
    process.stdout.write(
      `${[rows.length > 0 ? table(rows) : '', ...lines, '', peers()].join('\n')}\n`,
    );
  }
  if (!short && !options['no-history']) appendFileSync(HISTORY, `${JSON.stringify(record)}\n`);
  if (short && options.keep) {
    const ratios = Object.fromEntries(rows.map(({ row, cpu_ratio: ratio }) => [row, ratio]));
    writeFileSync(
      RATIOS,
      `${JSON.stringify({ bars, node: process.version, cpu_ratio: ratios }, null, 2)}\n`,
    );
  } else if (short) {
    const grown = compareWithKept(rows);
    if (grown.length > 0) {
      say(`slower than ${REGRESSION} × the kept ratio: ${grown.join(', ')}`);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function fail(text) {
  say(text);
  process.exit(2);
}
