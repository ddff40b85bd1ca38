// Soak: the real daemon on the real sandbox, two processes, at the real rate, with lost answers. Every ten seconds:
// resident memory, heap, handles, threads, processor, and disk of the state folder.
// 24 venue hours may be run in pieces: each appends its samples to a file, and the report is of all pieces.
// Usage: npm run proof:soak [-- --minutes 60 --out .sluice/soak.jsonl --aged 10 --rate 10 --collect --interpreted --json]
//        npm run proof:soak -- --report [--out FILE --warm-up 30]
// --aged: so many minutes at sixty times the speed come first, and count for nothing: candles and orders of ten hours in
// ten minutes, so that the code of a day is compiled and the lists of a day are full.
// --rate: the clocks and timers of both processes run so many times as fast, so that ten minutes of 10 are 100 venue
// minutes of candles, polls and reports. The report is in venue hours, and --warm-up in venue minutes.
// --collect: the heaps of all threads are collected all the time, so that samples have no garbage.
// --interpreted: no function is compiled, so that a rise is data.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOptions } from '../../../scripts/program-options.mjs';
import { sleep, startSandbox } from '../../../bench/sandbox-process.mjs';
import { startDaemon } from './disasters/daemon.mjs';
import { folderMb, heapMb, sampleProcess } from './soak/processes.mjs';
import { isFlat, slopeOf } from './soak/slope.mjs';

const COLLECTED_HEAP = fileURLToPath(new URL('./soak/collected-heap.mjs', import.meta.url));
const INTERPRETED = fileURLToPath(new URL('./soak/interpreted.mjs', import.meta.url));
/** As in ops/systemd and the image. */
const UNIT_ENVIRONMENT = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2' };
const SAMPLE_MS = 10_000;
const AGED_CLOCK = 'fast:60';
const MEASURES = ['rss_mb', 'heap_mb', 'handles', 'threads', 'disk_mb'];
const PLACE = 'POST /fapi/v2/futures/order';
const FAULTS = [
  { on: PLACE, fault: 'resp_lost', probability: 0.02 },
  { on: '*', fault: '500_before', probability: 0.002 },
  { on: 'WS', fault: 'ws_drop', probability: 0.00002 },
];

const args = programOptions(import.meta.url, {
  minutes: { type: 'number', default: 60, isFraction: true },
  out: { type: 'string', default: '.sluice/soak.jsonl' },
  report: { type: 'boolean', default: false },
  aged: { type: 'number', default: 0, least: 0, isFraction: true },
  rate: { type: 'number', default: 1, least: 1, isFraction: true },
  collect: { type: 'boolean', default: false },
  interpreted: { type: 'boolean', default: false },
  // Code is compiled and history is read: no sample of these minutes counts for a slope.
  'warm-up': { type: 'number', default: 5, least: 0, isFraction: true },
  json: { type: 'boolean', default: false },
});
const { minutes, rate, aged: agedMinutes, 'warm-up': warmUpMinutes } = args;
if (!args.report && minutes * rate <= warmUpMinutes)
  fail(`a piece is longer than --warm-up, ${warmUpMinutes} min; it is ${minutes * rate} min`);
if (args.report && !existsSync(args.out)) fail(`there is no ${args.out}: run a piece first`);
/** @returns the exit code of the daemon */
async function runPiece() {
  mkdirSync(dirname(args.out), { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'));
  const port = await freePort();
  const clocks = rate === 1 ? [] : [fastClock()];
  const sandbox = await startSandbox(['--clock', 'real'], clocks);
  let daemon;
  try {
    writeFileSync(join(folder, 'secret'), sandbox.secret, { mode: 0o600 });
    const config = join(folder, 'soak.yaml');
    writeFileSync(config, configOf(sandbox, folder, port));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(FAULTS);
    await fetch(`${sandbox.baseUrl}/sandbox/faults`, { method: 'PUT', headers, body });
    const preloads = [
      // Before the clocks: it collects each few real seconds.
      ...(args.collect ? [COLLECTED_HEAP] : []),
      ...clocks,
      ...(args.interpreted ? [INTERPRETED] : []),
    ];
    daemon = startDaemon({ config, preloads, env: UNIT_ENVIRONMENT });
    const ended = { is: false };
    void daemon.ended.then(() => (ended.is = true));
    // A piece that is ended early keeps its samples, and leaves no process behind.
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => {
        daemon.signal('SIGTERM');
      });
    if (agedMinutes > 0) await age(sandbox.baseUrl, daemon);
    await sampleUntilEnd({ daemon, ended, folder, port });
    if (!ended.is) daemon.signal('SIGTERM');
    const exitCode = await daemon.ended;
    const { unknown, reconciled } = daemon.summary();
    append({ kind: 'end', exit_code: exitCode, unknown, reconciled });
    return exitCode;
  } finally {
    daemon?.signal('SIGKILL');
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const fastClock = () =>
  new URL(`./soak/fast-clock.mjs?rate=${rate}&from=${Date.now()}`, import.meta.url).href;

async function age(baseUrl, daemon) {
  await setClock(baseUrl, AGED_CLOCK);
  await Promise.race([sleep(agedMinutes * 60_000), daemon.ended]);
  await setClock(baseUrl, 'real');
}

async function setClock(baseUrl, clock) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ clock });
  const reply = await fetch(`${baseUrl}/sandbox/clock`, { method: 'POST', headers, body });
  if (!reply.ok) throw new Error(`the sandbox keeps its clock: ${await reply.text()}`);
}

async function sampleUntilEnd({ daemon, ended, folder, port }) {
  const start = { at: new Date().toISOString(), node: process.version, aged: agedMinutes, rate };
  append({ kind: 'start', ...start });
  const startedAt = performance.now();
  const state = join(folder, 'state');
  for (let due = SAMPLE_MS; due <= minutes * 60_000 && !ended.is; due += SAMPLE_MS) {
    await Promise.race([sleep(Math.max(0, startedAt + due - performance.now())), daemon.ended]);
    if (ended.is) return;
    append({
      kind: 'sample',
      hours: ((performance.now() - startedAt) * rate) / 3_600_000,
      ...sampleProcess(daemon.child.pid),
      heap_mb: await heapMb(`http://127.0.0.1:${port}/metrics`).catch(() => null),
      disk_mb: existsSync(state) ? folderMb(state) : 0,
    });
  }
}

const configOf = ({ baseUrl, wsUrl }, folder, port) => `
mode: sandbox
account: soak
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: secret }
state_dir: '${join(folder, 'state')}'
on_stop: flatten
log_level: info
metrics: { port: ${port} }
strategies:
${['BTCUSDT', 'ETHUSDT', 'SOLUSDT']
  .map(
    (symbol) => `  - id: one-${symbol.toLowerCase()}
    use: sma-cross
    symbols: [${symbol}]
    interval: 1m
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 2 }
    params: { fast: 2, slow: 5 }`,
  )
  .join('\n')}
risk: { preset: standard, symbols_allow: [BTCUSDT, ETHUSDT, SOLUSDT] }
`;

function append(line) {
  appendFileSync(args.out, `${JSON.stringify(line)}\n`);
}

/** @returns the lines of each piece that has a sample */
function readPieces() {
  const found = [];
  for (const line of readFileSync(args.out, 'utf8').trim().split('\n')) {
    const parsed = JSON.parse(line);
    if (parsed.kind === 'start') found.push([]);
    found.at(-1)?.push(parsed);
  }
  return found.filter((lines) => lines.some(({ kind }) => kind === 'sample'));
}

function reportOf(lines) {
  const samples = lines.filter(({ kind }) => kind === 'sample');
  const last = samples.at(-1);
  const end = lines.find(({ kind }) => kind === 'end');
  const warm = samples.filter(({ hours }) => hours * 60 > warmUpMinutes);
  const slopes = {};
  for (const name of MEASURES) {
    const values = warm.filter((each) => each[name] !== null);
    slopes[name] = slopeOf(values.map(({ hours, [name]: value }) => ({ hours, value })));
  }
  // The record of a run grows on disk by design: its rate is a figure, not a leak.
  const judged = MEASURES.filter((name) => name !== 'disk_mb').map((name) => slopes[name]);
  const isJudged = judged.every((slope) => slope !== undefined);
  return {
    started: lines[0].at,
    rate: lines[0].rate ?? 1,
    minutes: Math.round(last.hours * 60),
    samples: samples.length,
    slopes,
    cpu_pct: cpuPercent(samples[0], last),
    flat: isJudged ? judged.every(isFlat) : null,
    end: end ?? 'the piece was cut off',
  };
}

const cpuPercent = (first, last) =>
  Math.round(((last.cpu_s - first.cpu_s) / ((last.hours - first.hours) * 3_600)) * 1_000) / 10;

function print(reports) {
  for (const each of reports) {
    const { started, rate: speed, minutes: length, samples, slopes, flat, end } = each;
    console.log(
      `${started}: ${length} min at rate ${speed}, ${samples} samples, processor ${each.cpu_pct} %, ${JSON.stringify(end)}`,
    );
    for (const [name, slope] of Object.entries(slopes))
      console.log(
        slope === undefined
          ? `  ${name}: too few samples for a slope`
          : `  ${name}: mean ${slope.mean}, ${slope.per_hour} an hour (95 %: ${slope.low} to ${slope.high})`,
      );
    console.log(flat === null ? '  too short to judge' : flat ? '  flat' : '  NOT flat');
  }
  const hours = reports.reduce((sum, { minutes: length }) => sum + length / 60, 0);
  console.log(
    `${Math.round(hours * 10) / 10} of 24 hours in ${reports.length} ${reports.length === 1 ? 'piece' : 'pieces'}`,
  );
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function fail(text) {
  process.stderr.write(`proof:soak: ${text}\n`);
  process.exit(2);
}

const code = args.report ? 0 : await runPiece();
const pieces = readPieces();
const report = pieces.map(reportOf);
if (args.json) console.log(JSON.stringify(report));
else print(report);
process.exit(code === 0 && report.every(({ flat }) => flat !== false) ? 0 : 1);
