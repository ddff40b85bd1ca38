import { availableParallelism } from 'node:os';
import { addToCorpus, readCorpus, type CorpusEntry } from './corpus.js';
import { MIN_INTENTS, planOf, type SeedReduction } from './plan.js';
import { Pool, type Task } from './pool.js';
import { runSeed, type SeedResult } from './run-seed.js';
import { shrink } from './shrink.js';

/** As the command line gives them. */
export interface SwarmOptions {
  /** The module that workers run. */
  readonly worker: string;
  readonly corpusFile: string;
  readonly seeds: number;
  readonly from: number;
  readonly seed?: number;
  readonly jobs?: number;
  readonly without?: string;
  /** Venue minutes of each seed. */
  readonly minutes?: number;
  readonly trace: boolean;
  readonly hash: boolean;
  readonly json: boolean;
  readonly 'no-corpus': boolean;
  readonly 'no-shrink': boolean;
}

/** So many seeds must come to every rare branch. */
const ENOUGH_SEEDS = 2_000;
/** One seed in so many is run twice (P19). */
const TWICE_EVERY = 100;
/** Violations that are shrunk and told in full. */
const MAX_REPORTED = 20;
/** A log file gets fewer lines than a person who waits. */
const PROGRESS_MS = process.stderr.isTTY ? 5_000 : 60_000;

const log = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** @returns the exit code */
export async function swarm(options: SwarmOptions): Promise<number> {
  const reduction: SeedReduction = {
    ...(options.without !== undefined && { without: options.without.split(',') }),
    ...(options.minutes !== undefined && { minutes: options.minutes }),
  };
  if (options.seed !== undefined) return runOne(options.seed, reduction, options);
  const pool = await Pool.open(options.worker, options.jobs ?? availableParallelism());
  try {
    return await runMany(pool, reduction, options);
  } finally {
    pool.close();
  }
}

async function runOne(
  seed: number,
  reduction: SeedReduction,
  { trace, hash, json }: SwarmOptions,
): Promise<number> {
  const result = await runSeed(seed, { reduction, ...(trace && { trace: log }) });
  const { violation } = result;
  if (hash) process.stdout.write(`${result.hash}\n`);
  else if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else log(violation === undefined ? describeSuccess(result) : describeFailure(result, reduction));
  return violation === undefined ? 0 : 1;
}

async function runMany(
  pool: Pool,
  reduction: SeedReduction,
  options: SwarmOptions,
): Promise<number> {
  const { from, seeds } = options;
  const corpus = options['no-corpus'] ? [] : readCorpus(options.corpusFile);
  const startedAt = performance.now();
  const failures: SeedResult[] = [];
  const reached = new Set<string>();
  let done = 0;
  let seedsWithFewIntents = 0;
  const onResult = (result: SeedResult): void => {
    done += 1;
    for (const name of result.reached) reached.add(name);
    if (result.violation === undefined) {
      if (result.intents < MIN_INTENTS && reduction.minutes === undefined) seedsWithFewIntents += 1;
      return;
    }
    failures.push(result);
    if (failures.length <= MAX_REPORTED) log(describeFailure(result, reduction));
  };
  const progress = setInterval(() => {
    const perSecond = done / ((performance.now() - startedAt) / 1_000);
    log(
      `${done} of ${seeds + corpus.length} seeds, ${perSecond.toFixed(1)}/s, ${failures.length} violations`,
    );
  }, PROGRESS_MS);
  await pool.run(
    corpus.map(({ seed, reduction: kept }): Task => ({ seed, reduction: kept })),
    onResult,
  );
  await pool.run(
    Array.from({ length: seeds }, (_, index): Task => ({
      seed: from + index,
      reduction,
      twice: (from + index) % TWICE_EVERY === 0,
    })),
    onResult,
  );
  clearInterval(progress);
  const seconds = (performance.now() - startedAt) / 1_000;
  const missed = pool.branches.filter((name) => !reached.has(name));
  if (!options['no-shrink']) await shrinkAll(pool, failures, reduction, options);
  if (missed.length > 0) log(`rare branches that no seed came to: ${missed.join(', ')}`);
  if (seedsWithFewIntents > 0)
    log(`${seedsWithFewIntents} seeds did not come to ${MIN_INTENTS} intents`);
  const summary = {
    seeds: done,
    violations: failures.length,
    seeds_per_s: Number((done / seconds).toFixed(1)),
    rare_branches_missed: missed.length,
  };
  if (options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else log(JSON.stringify(summary));
  const isPoor = seeds >= ENOUGH_SEEDS && missed.length > 0;
  return failures.length > 0 || isPoor ? 1 : 0;
}

async function shrinkAll(
  pool: Pool,
  failures: readonly SeedResult[],
  reduction: SeedReduction,
  { corpusFile, 'no-corpus': noCorpus }: SwarmOptions,
): Promise<void> {
  /** One of each sort is enough to begin with. */
  const sorts = new Map<string, SeedResult>();
  for (const failure of failures) {
    const check = failure.violation?.check ?? '';
    if (!sorts.has(check)) sorts.set(check, failure);
  }
  for (const { seed, violation } of sorts.values()) {
    if (violation === undefined || violation.check === 'P19') continue;
    const small = await shrink(pool, seed, violation.check, reduction);
    log(`seed ${seed} still fails ${violation.check} with less: ${commandOf(seed, small)}`);
    const entry: CorpusEntry = {
      seed,
      reduction: small,
      was: `${violation.check}: ${firstLine(violation.text)}`,
    };
    if (!noCorpus) addToCorpus(corpusFile, entry);
  }
}

const commandOf = (seed: number, { without = [], minutes }: SeedReduction): string =>
  [
    `npm run sim -- --seed ${seed}`,
    ...(without.length > 0 ? [`--without ${without.join(',')}`] : []),
    ...(minutes === undefined ? [] : [`--minutes ${minutes}`]),
    '--trace',
  ].join(' ');

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

function describeFailure({ seed, violation }: SeedResult, reduction: SeedReduction): string {
  const { check = '', text = '', at = 0 } = violation ?? {};
  const { kinds } = planOf(seed, reduction);
  return `seed ${seed}: ${check} at ${at} ms: ${firstLine(text)}\n  faults: ${[...kinds].join(' ')}\n  ${commandOf(seed, reduction)}`;
}

const describeSuccess = ({ seed, kinds, intents, minutes, lives, requests }: SeedResult): string =>
  `seed ${seed}: no violation; ${intents} intents, ${minutes.toFixed(1)} venue minutes, ${lives} lives, ${requests} requests; faults: ${kinds.join(' ')}`;
