// ns per value of each own indicator kernel, beside the same indicator of technicalindicators and of
// trading-signals (docs/indicators.md). Each is measured in processes of its own, one after the other,
// so that no library runs code that was compiled for another. The fastest pass counts, because other work of
// the machine only makes a pass slower. trading-signals is installed below .sluice/: only this benchmark
// needs it.
// Usage: npm run bench:indicators [-- --only sma,rsi --rounds 3 --json]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOptions } from '../scripts/program-options.mjs';
import { candlesOf, CASES, libraryOf } from './indicator-cases.mjs';

const SELF = fileURLToPath(import.meta.url);
const PACKAGES = join(dirname(SELF), '../.sluice/bench-indicators');
const PEER = 'trading-signals@8.3.0';
const LIBRARIES = ['sluice', 'technicalindicators', 'trading-signals'];
/** More of them are not in the cache of a processor any more: what is measured is their memory. */
const CANDLES = 10_000;
/** A pass streams them so often, each time into a new indicator: the garbage of a pass counts too. */
const REPEATS = 10;
/**
 * The loop over so many is a function. A single loop over all is compiled while it runs, in which form
 * its own sum is an object in some processes and not in others: 4 or 7 ns a value for the same code.
 */
const BLOCK = 1_000;
/** A case runs at least so long, and so many passes; a busy machine compiles late. */
const CASE_MS = 800;
const PASSES = 4;
/** Ours is to be so many times as fast as technicalindicators, and not slower than trading-signals. */
const GOAL = 5;
/** The same loop compiled twice differs by so much; no difference below it means anything. */
const NOISE = 1.2;

const options = programOptions(import.meta.url, {
  only: { type: 'string' },
  rounds: { type: 'number', default: 3 },
  json: { type: 'boolean', default: false },
  case: { type: 'string' },
});
function compare() {
  installPeer();
  const names = options.only?.split(',') ?? Object.keys(CASES);
  const rows = names.map((name) => {
    const row = { name, ...fastest(name) };
    process.stderr.write(`bench:indicators: ${lineOf(row)}\n`);
    return row;
  });
  if (options.json) console.log(JSON.stringify({ cpu: cpus()[0]?.model, rows }));
  else print(rows);
  process.exitCode = rows.every(holds) ? 0 : 1;
}

/** @returns ns a value by library, and `column` for ours over whole columns */
function fastest(name) {
  const ids = LIBRARIES.filter((library) => library in CASES[name][1]).concat('column');
  const best = Object.fromEntries(ids.map((id) => [id, Infinity]));
  for (let round = 0; round < options.rounds; round++) {
    for (const id of ids) {
      const { stdout, status } = spawnSync(process.execPath, [SELF, '--case', `${name}/${id}`], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      if (status !== 0) throw new Error(`${name} of ${id} ended with ${status}`);
      best[id] = Math.min(best[id], Number(stdout));
    }
  }
  return best;
}

async function measure(name, id) {
  const [input, makers] = CASES[name];
  const candles = candlesOf(CANDLES);
  const { library, method } = await libraryOf(id === 'column' ? 'sluice' : id, `${PACKAGES}/`);
  const [make, read] = makers[id === 'column' ? 'sluice' : id];
  const pass =
    id === 'column'
      ? columnPass(() => make(library), columnsOf(input, candles))
      : streamPass(() => make(library), method, read, input, candles);
  let best = Infinity;
  const from = performance.now();
  for (let count = 0; count < PASSES || performance.now() - from < CASE_MS; count++) {
    const start = performance.now();
    pass();
    best = Math.min(best, performance.now() - start);
  }
  return (best * 1e6) / (id === 'column' ? CANDLES : CANDLES * REPEATS);
}

function streamPass(make, method, read, input, candles) {
  const inputs = input === 'close' ? Float64Array.from(candles, ({ close }) => close) : candles;
  // The method is named, not looked up: a computed call would be what is measured.
  const step = {
    next: (one, value) => one.next(value),
    nextValue: (one, value) => one.nextValue(value),
    add: (one, value) => one.add(value),
  }[method];
  const sumOf = (one, from) => {
    let sum = 0;
    for (let index = from; index < from + BLOCK; index++) {
      const value = step(one, inputs[index]);
      if (value !== undefined && value !== null) sum += read(value);
    }
    return sum;
  };
  return () => {
    let sum = 0;
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const one = make();
      for (let from = 0; from < CANDLES; from += BLOCK) sum += sumOf(one, from);
    }
    if (!Number.isFinite(sum)) throw new Error(`The values add up to ${sum}`);
  };
}

function columnPass(make, columns) {
  return () => {
    const result = make().over(columns);
    const column = result instanceof Float64Array ? result : Object.values(result)[0];
    if (!Number.isFinite(column.at(-1))) throw new Error(`The last value is ${column.at(-1)}`);
  };
}

function columnsOf(input, candles) {
  const column = (field) => Float64Array.from(candles, (candle) => candle[field]);
  if (input === 'close') return column('close');
  return Object.fromEntries(Object.keys(candles[0]).map((field) => [field, column(field)]));
}

function installPeer() {
  const stamp = join(PACKAGES, 'stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === PEER) return;
  mkdirSync(PACKAGES, { recursive: true });
  writeFileSync(join(PACKAGES, 'package.json'), '{ "private": true }');
  const program = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['install', '--no-save', '--no-package-lock', '--ignore-scripts', PEER];
  const { status } = spawnSync(program, args, { cwd: PACKAGES, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm install ${PEER} ended with ${status}`);
  writeFileSync(stamp, PEER);
}

const timesOf = (row, other) => (other in row ? row[other] / row.sluice : undefined);

function holds(row) {
  const slow = timesOf(row, 'technicalindicators');
  const peer = timesOf(row, 'trading-signals');
  return (slow === undefined || slow >= GOAL) && (peer === undefined || peer * NOISE >= 1);
}

const cell = (value, unit = '') => (value === undefined ? '–' : `${value.toFixed(1)}${unit}`);

const cellsOf = (row) => [
  row.name,
  cell(row.sluice),
  cell(row.column),
  cell(row.technicalindicators),
  cell(timesOf(row, 'technicalindicators'), ' ×'),
  cell(row['trading-signals']),
  cell(timesOf(row, 'trading-signals'), ' ×'),
];

const lineOf = (row) => `${cellsOf(row).join(' | ')}${holds(row) ? '' : '  BELOW ITS GOAL'}`;

function print(rows) {
  const head = ['ns a value', 'sluice', 'its column', 'technicalindicators', '', 'trading-signals'];
  console.log(`| ${[...head, ''].join(' | ')} |`);
  console.log(`| ${[...head, ''].map(() => '---').join(' | ')} |`);
  for (const row of rows) console.log(`| ${cellsOf(row).join(' | ')} |`);
}

if (options.case === undefined) compare();
else console.log(await measure(...options.case.split('/')));
