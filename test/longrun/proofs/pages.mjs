// Pages counted: the bot with the quirks and disturbances of the field on 30 days of real one-minute candles, in
// virtual time, with the levels of src/notify. Lists each notice by level and cause. At most one page a week.
// Usage: npm run proof:pages [-- --days 30 --first-day 0 --seed 1 --speed 1 --jobs 2 --calm --json]
// `--speed 10` runs ten venue days in one real day, with the disturbances of that one. `--calm`: no disturbance.
// Five days at a time run in a process of their own, which begins with a flat account.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOptions } from '../../../scripts/program-options.mjs';
import { ROOT, SCRATCH, transpile } from '../../../scripts/transpile.mjs';

const DATA = join(process.env.SLUICE_SHARED ?? join(ROOT, '../shared'), 'data');
const LEVELS = ['page', 'message', 'digest'];
const CHUNK_DAYS = 5;
const args = programOptions(import.meta.url, {
  days: { type: 'number', default: 30 },
  'first-day': { type: 'number', default: 0, least: 0 },
  seed: { type: 'number', default: 1 },
  speed: { type: 'number', default: 1 },
  jobs: { type: 'number', default: 2 },
  calm: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  chunk: { type: 'boolean', default: false },
});
const { days, 'first-day': firstDay, seed, speed, jobs } = args;
if (!existsSync(DATA))
  fail(`there is no ${DATA}: set SLUICE_SHARED to the folder of the market data`);
const out = join(SCRATCH, 'pages');
if (args.chunk) {
  console.log(JSON.stringify(await runHere()));
  process.exit(0);
}
transpile({ out });
const chunks = [];
for (let day = 0; day < days; day += CHUNK_DAYS)
  chunks.push({ first: firstDay + day, days: Math.min(CHUNK_DAYS, days - day) });
const waiting = [...chunks];
const results = [];
const work = async () => {
  for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift())
    results.push(await runChunk(chunk));
};
await Promise.all(Array.from({ length: jobs }, work));
const result = joined(results);
const pages = result.sent.filter(({ level }) => level === 'page');
const most = Math.max(1, Math.floor(days / 7));
const holds = pages.length <= most && result.unknown === 0 && result.reconciled;
if (args.json) console.log(JSON.stringify({ ...result, holds }));
else print();
process.exit(holds ? 0 : 1);

async function runHere() {
  const { runPagedMonth } = await import(join(out, 'test/longrun/pages/paged-month.js'));
  return runPagedMonth({
    data: DATA,
    firstDay,
    days,
    seed,
    speed,
    disturbed: !args.calm,
    onDay: (text) => process.stderr.write(`proof:pages: ${text}\n`),
  });
}

function runChunk(chunk) {
  const numbers = { ...chunk, 'first-day': chunk.first, seed, speed };
  const argv = ['days', 'first-day', 'seed', 'speed'].flatMap((name) => [
    `--${name}`,
    String(numbers[name]),
  ]);
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [fileURLToPath(import.meta.url), '--chunk', ...argv, ...(args.calm ? ['--calm'] : [])],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    child.stdout.on('data', (part) => (text += part));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) {
        const part = JSON.parse(text);
        const found = part.sent.filter(({ level }) => level === 'page').length;
        const last = chunk.first + chunk.days;
        process.stderr.write(`proof:pages: days ${chunk.first + 1} to ${last}: ${found} pages\n`);
        resolve(part);
      } else reject(new Error(`the days from ${chunk.first} on ended with exit code ${code}`));
    });
  });
}

function joined(parts) {
  const sum = (name) => parts.reduce((total, part) => total + part[name], 0);
  const episodes = {};
  for (const part of parts)
    for (const [name, count] of Object.entries(part.episodes))
      episodes[name] = (episodes[name] ?? 0) + count;
  return {
    days,
    speed,
    sent: parts.flatMap(({ sent }) => sent).sort((a, b) => (a.at < b.at ? -1 : 1)),
    episodes,
    starts: sum('starts'),
    ordersFilled: sum('ordersFilled'),
    ordersRefused: sum('ordersRefused'),
    unknown: sum('unknown'),
    reconciled: parts.every(({ reconciled }) => reconciled),
    modes: parts.map(({ mode }) => mode),
  };
}

function print() {
  console.table(countsByCause());
  for (const { at, items, after } of pages)
    for (const { kind, state, text } of items)
      console.log(`page ${at} ${kind} ${state}: ${text} [${after.join(', ')}]`);
  const totals = LEVELS.map((name) => result.sent.filter(({ level }) => level === name).length);
  console.log(
    `${days} days: ${totals[0]} pages (at most ${most}), ${totals[1]} messages, ${totals[2]} digests; ` +
      `${result.starts} starts, ${result.ordersFilled} orders filled, ${result.ordersRefused} refused, ` +
      `${result.unknown} unknown, reconciled ${result.reconciled}, modes at the ends ${result.modes.join(', ')}`,
  );
  console.log(`disturbances: ${JSON.stringify(result.episodes)}`);
}

/** Items of notices by kind and state, one column a level. */
function countsByCause() {
  const rows = {};
  for (const { level, items } of result.sent)
    for (const { kind, state } of items) {
      const row = (rows[`${kind} ${state}`] ??= Object.fromEntries(
        LEVELS.map((name) => [name, 0]),
      ));
      row[level] += 1;
    }
  return rows;
}

function fail(text) {
  process.stderr.write(`proof:pages: ${text}\n`);
  process.exit(2);
}
