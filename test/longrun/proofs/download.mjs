// A download at the real limits of the sandbox: its rate, no 429, and equal bytes after three SIGKILLs.
// Usage: npm run proof:download [-- --symbols 25] [--days 365]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { option } from '../../../bench/sandbox-process.mjs';

const SLUICE = 'bin/sluice.mjs';
const LIMIT = 300;
const START = Date.UTC(2024, 0, 1);
const symbols = option('symbols', 25);
const days = option('days', 365);
const names = Array.from(
  { length: symbols },
  (_, index) => `C${String(index).padStart(2, '0')}USDT`,
);
const folder = mkdtempSync(join(tmpdir(), 'sluice-download-'));
const replay = join(folder, 'replay');
const end = START + days * 86_400_000;

async function writeCandles(name) {
  const file = createWriteStream(join(replay, `${name.toLowerCase()}-1m-2024.csv`));
  file.write('open_time,open,high,low,close,volume\n');
  for (let day = 0; day < days + 2; day += 1) {
    const rows = [];
    for (let minute = 0; minute < 1_440; minute += 1) {
      const at = START / 1_000 + (day * 1_440 + minute) * 60;
      const price = 100 + ((day * 7 + minute) % 50);
      rows.push(`${at},${price},${price + 1}.25,${price - 1}.5,${price},${1 + (minute % 9)}\n`);
    }
    if (!file.write(rows.join(''))) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

async function openSandbox(port) {
  const start = new Date(end + 60_000).toISOString();
  const args = [SLUICE, 'sandbox', '--port', String(port), '--replay', replay, '--start', start];
  const sandbox = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  // It reads 13 million rows first, which takes minutes on a busy machine.
  while (sandbox.exitCode === null) {
    await sleep(100);
    const answers = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (answers) return sandbox;
  }
  throw new Error(`the sandbox on port ${port} ended with exit code ${sandbox.exitCode}`);
}

/** Downloads everything; killed after these ms, if given. */
async function download(port, catalog, killAfterMs) {
  const range = ['--from', new Date(START).toISOString(), '--to', new Date(end).toISOString()];
  const args = ['data', 'download', '--base-url', `http://127.0.0.1:${port}`, '--json', ...range];
  const all = [SLUICE, ...args, '--symbol', names.join(','), '--catalog', catalog];
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  const closed = once(child, 'close');
  if (killAfterMs === undefined) {
    const [code] = await closed;
    return { code, ...JSON.parse(out) };
  }
  await sleep(killAfterMs);
  child.kill('SIGKILL');
  await closed;
  return undefined;
}

const hashesOf = (catalog) =>
  readdirSync(join(catalog, 'klines'))
    .filter((name) => name.endsWith('.arrow'))
    .map((name) => {
      const bytes = readFileSync(join(catalog, 'klines', name));
      return `${name} ${createHash('sha256').update(bytes).digest('hex')}`;
    });

async function onSandbox(port, run) {
  const sandbox = await openSandbox(port);
  try {
    return await run();
  } finally {
    sandbox.kill('SIGKILL');
  }
}

const say = (text) => process.stderr.write(`${text}\n`);
mkdirSync(replay);
say(`writing ${symbols} files of ${days} days`);
for (const name of names) await writeCandles(name);
const [whole, resumed] = [join(folder, 'whole'), join(folder, 'resumed')];
say('downloading undisturbed');
const undisturbed = await onSandbox(8_811, () => download(8_811, whole));
say(`${JSON.stringify(undisturbed)}\ndownloading with three kills`);
const last = await onSandbox(8_812, async () => {
  for (const ms of [9_000, 12_000, 15_000]) await download(8_812, resumed, ms);
  return download(8_812, resumed);
});
// The limit lets 300 calls of the first minute go at once.
const allowed = Math.max(1, Math.ceil(days / LIMIT) - 1) * 60;
const result = {
  rows: undisturbed.rows,
  calls: undisturbed.calls,
  seconds: undisturbed.seconds,
  calls_per_minute: Math.round((undisturbed.calls / undisturbed.seconds) * 60),
  least_seconds_at_the_limit: allowed,
  rate_limited: undisturbed.rate_limited + last.rate_limited,
  calls_after_three_kills: last.calls,
  equal_bytes: hashesOf(whole).join() === hashesOf(resumed).join(),
};
const holds =
  undisturbed.code === 0 &&
  last.code === 0 &&
  result.rate_limited === 0 &&
  result.equal_bytes &&
  result.calls_per_minute >= 0.95 * LIMIT;
process.stdout.write(`${JSON.stringify({ holds, ...result })}\n`);
rmSync(folder, { recursive: true, force: true });
process.exitCode = holds ? 0 : 1;
