// Builds the sources with one mutant after the other, and counts the seeds that the simulation needs to find
// it (docs/testing.md). The shipped program contains nothing of this.
// Usage: npm run sim:mutants [-- --sample 15 --only NAME --seeds 5000 --jobs 2 --walk --json]
// `--sample`: so many mutants, evenly. `--walk`: by the walks and the swarm alone, without the scenarios.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { patchOf } from './mutants/patch.mjs';
import { programOptions } from './program-options.mjs';
import { ROOT, readSources, SCRATCH, transpile } from './transpile.mjs';

const HISTORIES = 'test/simulation/exhaustive/main.js';
const ENGINE = 'test/simulation/engine-model/main.js';
const DISK = 'test/simulation/disk/main.js';
const SWARM = 'test/simulation/swarm/main.js';
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const SCENARIOS = 'test/simulation/mutants/vitest.config.ts';
/** The cheap detectors go first, and not for long. */
const WALKS = [
  { detector: 'histories', module: HISTORIES, seeds: 5_000 },
  { detector: 'disk', module: DISK, seeds: 1_000 },
  { detector: 'engine', module: ENGINE, seeds: 2_500 },
];
/** A build that computes or sleeps for this long without output hangs: the mutant is found. */
const MAX_SILENCE_MS = 180_000;

const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    for (const child of children) child.kill('SIGKILL');
    process.exit(130);
  });

const options = programOptions(import.meta.url, {
  json: { type: 'boolean', default: false },
  walk: { type: 'boolean', default: false },
  sample: { type: 'number' },
  only: { type: 'string' },
  seeds: { type: 'number', default: 5_000 },
  jobs: { type: 'number', default: Math.min(4, availableParallelism()) },
});
/** Read once: an edit meanwhile must not get into the later builds. */
const sources = readSources();
const unmutated = transpile({ sources, out: join(SCRATCH, 'unmutated') });
const builtModule = (path) => import(pathToFileURL(join(unmutated, path)).href);
const { MUTANTS } = await builtModule('test/simulation/mutants/mutants.js');
const { ProcessLimit } = await builtModule('test/simulation/swarm/process-limit.js');
const chosen = choose(options);
/** Detector and seed → whether it breaks as it is. */
const control = new Map();
const results = await inParallel(chosen, options.jobs, async (mutant) => {
  const found = await runMutant(mutant, options.seeds);
  log(found === undefined ? `NOT FOUND  ${mutant.name}` : foundLine(mutant, found));
  return { mutant, found };
});
report(results);

/** @returns where it was found, or undefined where it was not */
async function runMutant(mutant, seeds) {
  if (mutant.scenario !== undefined && !options.walk) return findByScenario(mutant);
  // Another run of this program may try the same one.
  const out = join(SCRATCH, `mutant-${process.pid}-${MUTANTS.indexOf(mutant)}`);
  transpile({ out, sources, patch: patchOf(mutant, sources) });
  try {
    return (await findByWalks(out)) ?? (await findBySwarm(out, seeds));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** By a test file, which holds without the mutant. `--walk` leaves it out: the walks and the swarm alone. */
async function findByScenario(mutant) {
  const failure = await failureOf(mutant.scenario, patchOf(mutant, sources));
  if (failure === undefined) return undefined;
  const unmutated = await failureOf(mutant.scenario, null);
  if (unmutated === undefined) return { detector: 'scenario', seed: 1, text: failure };
  log(`${mutant.scenario} fails without a mutant: ${unmutated}`);
  return undefined;
}

/** @returns the name of a test that fails, undefined where none does */
async function failureOf(scenario, patch) {
  const args = [VITEST, 'run', '--config', SCENARIOS, '--reporter=json', scenario];
  let report;
  const online = (line) => {
    if (line.startsWith('{')) report = JSON.parse(line);
  };
  const { ok, text } = await run(args, online, { SLUICE_MUTANT: JSON.stringify(patch) });
  if (ok) return undefined;
  const tests = (report?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults);
  return tests.find(({ status }) => status === 'failed')?.fullName ?? text;
}

async function findByWalks(out) {
  for (const walk of WALKS) {
    const found = await first(walk.seeds, (from, to) => firstOfWalk(out, walk, from, to));
    if (found !== undefined) return found;
  }
  return undefined;
}

function findBySwarm(out, seeds) {
  return first(seeds, (from, to) => firstOfSwarm(out, from, to));
}

/** The first seed that `find` finds and that only the mutant breaks. */
async function first(seeds, find) {
  for (let from = 1; from <= seeds; from += 1) {
    const found = await find(from, seeds);
    if (found === undefined || !(await failsUnmutated(found))) return found;
    from = found.seed;
  }
  return undefined;
}

/** A seed that fails without the mutant does not count. */
async function failsUnmutated({ detector, seed }) {
  const key = `${detector} ${seed}`;
  if (!control.has(key)) {
    const walk = WALKS.find((each) => each.detector === detector);
    const found =
      walk === undefined
        ? await firstOfSwarm(unmutated, seed, seed)
        : await firstOfWalk(unmutated, walk, seed, seed);
    control.set(key, found !== undefined);
    if (found !== undefined) log(`${key} fails without a mutant: ${found.text}`);
  }
  return control.get(key);
}

async function firstOfWalk(out, { detector, module }, from, to) {
  const lines = [];
  const end = await run([join(out, module), String(to - from + 1), String(from)], (line) => {
    lines.push(line);
  });
  const { seed, text } = JSON.parse(lines.at(-1) ?? '{}');
  if (seed !== undefined) return { detector, seed, text };
  return end.ok ? undefined : { detector, seed: from, text: end.text };
}

async function firstOfSwarm(out, from, to) {
  let last = from - 1;
  let violation;
  const seeds = String(to - from + 1);
  const args = [join(out, SWARM), '--from', String(from), '--seeds', seeds, '--all'];
  const end = await run(args, (line) => {
    if (violation !== undefined) return false;
    const result = JSON.parse(line);
    last = result.seed;
    violation = result.violation;
    return violation === undefined;
  });
  if (violation !== undefined)
    return { detector: 'swarm', seed: last, text: `${violation.check}: ${violation.text}` };
  return end.ok ? undefined : { detector: 'swarm', seed: last + 1, text: end.text };
}

/** Runs a module of a build to its end, until `online` has heard enough, or until it is silent for too long. */
function run(args, online, env = {}) {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(process.execPath, args, { stdio, env: { ...process.env, ...env } });
    children.add(child);
    let hangs = false;
    let errors = '';
    const silence = new ProcessLimit(child.pid, MAX_SILENCE_MS, () => {
      hangs = true;
      child.kill('SIGKILL');
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      silence.reset();
      if (online(line) === false) child.kill('SIGKILL');
    });
    child.stderr.on('data', (text) => (errors = `${errors}${text}`.slice(-2_000)));
    child.on('error', reject);
    child.on('close', (code) => {
      silence.close();
      children.delete(child);
      const text = hangs ? 'it hangs' : `it ends with ${code}: ${errors.trim().split('\n').at(-1)}`;
      resolve({ ok: code === 0, text });
    });
  });
}

async function inParallel(items, jobs, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}

/** `only`: a part of a name or of a file; `sample`: as many, spread over the table. */
function choose({ only, sample }) {
  if (only !== undefined) {
    const named = MUTANTS.filter((each) => each.name.includes(only) || each.in.includes(only));
    if (named.length === 0) fail(`no mutant has "${only}" in its name or declaration`);
    return named;
  }
  if (sample === undefined || sample >= MUTANTS.length) return MUTANTS;
  return Array.from(
    { length: sample },
    (_, n) => MUTANTS[Math.floor((n * MUTANTS.length) / sample)],
  );
}

function report(results) {
  const found = results.flatMap((result) => (result.found === undefined ? [] : [result]));
  const seeds = found.map((result) => result.found.seed).sort((a, b) => a - b);
  const median = seeds[Math.floor((seeds.length - 1) / 2)] ?? null;
  const summary = {
    mutants: MUTANTS.length,
    tried: results.length,
    found: found.length,
    median_seeds: median,
    max_seeds: seeds.at(-1) ?? null,
  };
  if (options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else
    process.stdout.write(
      `${summary.found} of ${summary.tried} found (${summary.mutants} in the table), ` +
        `median ${median} seeds, at most ${summary.max_seeds}\n`,
    );
  process.exitCode = found.length === results.length ? 0 : 1;
}

function foundLine({ name }, { detector, seed, text }) {
  return `${detector.padEnd(9)} ${String(seed).padStart(4)}  ${name}\n${' '.repeat(16)}${text.slice(0, 160)}`;
}

function fail(text) {
  log(text);
  process.exit(2);
}

function log(text) {
  process.stderr.write(`sim:mutants: ${text}\n`);
}
