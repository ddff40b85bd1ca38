import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { isStreamForm, type StrategyDefinition } from '../../strategy/definition.js';
import {
  loadStrategyFile,
  parseParams,
  StrategyLoadError,
  StrategyNotFoundError,
  StrategyParamsError,
} from '../../strategy/loader/loader.js';
import { setAmbientTraps } from './ambient-traps.js';
import { CHECK_FD, type CheckJob, type CheckMessage } from './check-protocol.js';
import { FindingList, type Finding } from './finding.js';
import { examineMemory } from './memory-exam.js';
import { examine, type ExamOptions, type Pulse } from './strategy-exam.js';

/**
 * A process of its own for one strategy under examination: it may hang, eat all memory or end the
 * process, and the command that started it still tells what happened.
 */
async function main(job: CheckJob): Promise<void> {
  const beats = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const watchdog = new Worker(new URL('./check-watchdog.js', import.meta.url), {
    workerData: { beats, hangMs: job.hangMs },
  });
  await once(watchdog, 'online');
  const ambient = new FindingList();
  setAmbientTraps(ambient);
  try {
    await check(job, pulseOn(beats));
  } catch (error) {
    if (error instanceof StrategyNotFoundError) tell({ kind: 'not-found', message: error.message });
    else tellFinding(await loadFinding(error));
  }
  ambient.all.forEach(tellFinding);
  await watchdog.terminate();
}

interface LoadPulse extends Pulse {
  /** A file can hang while it is read. */
  watchingLoad<T>(load: () => Promise<T>): Promise<T>;
}

/** `beats[0]` counts calls of the strategy; `beats[1]` is 1 while there can be some. */
function pulseOn(beats: Int32Array): LoadPulse {
  const beat = (): void => {
    Atomics.add(beats, 0, 1);
  };
  return {
    beat,
    async watchingLoad(load) {
      beat();
      Atomics.store(beats, 1, 1);
      try {
        return await load();
      } finally {
        Atomics.store(beats, 1, 0);
      }
    },
    watching(run) {
      beat();
      Atomics.store(beats, 1, 1);
      try {
        return run();
      } finally {
        Atomics.store(beats, 1, 0);
      }
    },
  };
}

async function check(job: CheckJob, pulse: LoadPulse): Promise<void> {
  const { definition, file } = await pulse.watchingLoad(() =>
    loadStrategyFile(job.use, { configDir: '.' }),
  );
  tell({ kind: 'loaded', file, name: definition.name });
  found = file;
  const options: ExamOptions = {
    definition,
    file,
    params: parseParams(definition, job.params),
    symbols: symbolsFor(definition, job.symbols),
    interval: job.interval,
    ...(job.candles !== undefined && { candles: job.candles }),
    pulse,
  };
  const { findings, ...counts } = examine(options);
  findings.forEach(tellFinding);
  const collect = (globalThis as { readonly gc?: () => void }).gc;
  if (findings.length === 0 && collect !== undefined)
    examineMemory(options, collect).forEach(tellFinding);
  tell({ kind: 'done', ...counts });
}

/** The strategy's file, once it is known. */
let found: string | undefined;

const TWO = ['BTCUSDT', 'ETHUSDT'];

/** One that is made per symbol is examined on one; one that sees all of them, on two. */
const symbolsFor = (
  definition: StrategyDefinition,
  given: readonly string[],
): readonly string[] => {
  if (given.length > 0) return given;
  return isStreamForm(definition) || definition.scope === 'all' ? TWO : TWO.slice(0, 1);
};

const PLACED = /^(\S.*?:\d+(?::\d+)?): ([\s\S]*)$/;

async function loadFinding(error: unknown): Promise<Finding> {
  const file = found ?? '';
  if (error instanceof StrategyParamsError) {
    const [issue] = error.issues;
    const field = String(issue?.path[0] ?? 'params');
    return {
      place: `${file}:${await lineOf(file, new RegExp(`\\b${field}\\s*:`))}`,
      message: error.message.replaceAll('\n', ' '),
      hint: `give every parameter a default, or try with --param ${field}=…`,
    };
  }
  const text = error instanceof Error ? error.message : String(error);
  const [, place, message] = PLACED.exec(text) ?? [];
  if (place !== undefined && message !== undefined) return { place, message };
  const at = / at (\S+:\d+)$/.exec(text);
  return at?.[1] === undefined
    ? { place: file, message: text }
    : {
        place: at[1],
        message: text.slice(0, at.index),
        ...(error instanceof StrategyLoadError && {
          hint: 'it could not be made: some strategies want other symbols or parameters (--symbols, --param)',
        }),
      };
}

async function lineOf(file: string, pattern: RegExp): Promise<number> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return (
    Math.max(
      0,
      lines.findIndex((line) => pattern.test(line)),
    ) + 1
  );
}

const tellFinding = (finding: Finding): void => tell({ kind: 'finding', finding });

function tell(message: CheckMessage): void {
  writeSync(CHECK_FD, `${JSON.stringify(message)}\n`);
}

await main(JSON.parse(process.argv[2] ?? '{}') as CheckJob);
