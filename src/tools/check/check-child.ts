import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { isStreamStrategy, type StrategyDefinition } from '../../strategy/contract/definition.js';
import {
  loadStrategyFile,
  parseParams,
  StrategyLoadError,
  StrategyNotFoundError,
  StrategyParamsError,
} from '../../strategy/loader/loader.js';
import { installNondeterminismDetector } from './nondeterminism-detector.js';
import { CHECK_FD, type CheckJob, type CheckMessage } from './check-protocol.js';
import { FindingList, type Finding } from './finding.js';
import { checkMemory } from './memory-check.js';
import {
  checkStrategy,
  type StrategyCheckOptions,
  type WatchdogHeartbeat,
} from './strategy-check.js';

/**
 * Checks one strategy in its own process. The strategy may hang, exhaust the memory or end the process;
 * the command that started the process still reports it.
 */
async function main(job: CheckJob): Promise<void> {
  const beats = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const watchdog = new Worker(new URL('./check-watchdog.js', import.meta.url), {
    workerData: { beats, hangMs: job.hangMs },
  });
  await once(watchdog, 'online');
  const nondeterminism = new FindingList();
  installNondeterminismDetector(nondeterminism);
  try {
    await check(job, heartbeatOn(beats));
  } catch (error) {
    if (error instanceof StrategyNotFoundError) send({ kind: 'not-found', message: error.message });
    else sendFinding(await loadFinding(error));
  }
  nondeterminism.all.forEach(sendFinding);
  await watchdog.terminate();
}

interface LoadWatchdogHeartbeat extends WatchdogHeartbeat {
  /** Monitors the load too: a file can hang while it is imported. */
  monitoredLoad<T>(load: () => Promise<T>): Promise<T>;
}

/** `beats[0]` counts calls of the strategy. `beats[1]` is 1 while calls are possible. */
function heartbeatOn(beats: Int32Array): LoadWatchdogHeartbeat {
  const beat = (): void => {
    Atomics.add(beats, 0, 1);
  };
  return {
    beat,
    async monitoredLoad(load) {
      beat();
      Atomics.store(beats, 1, 1);
      try {
        return await load();
      } finally {
        Atomics.store(beats, 1, 0);
      }
    },
    monitored(run) {
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

async function check(job: CheckJob, heartbeat: LoadWatchdogHeartbeat): Promise<void> {
  const { definition, file } = await heartbeat.monitoredLoad(() =>
    loadStrategyFile(job.use, { configDir: '.' }),
  );
  send({ kind: 'loaded', file, name: definition.name });
  strategyPath = file;
  const options: StrategyCheckOptions = {
    definition,
    file,
    params: parseParams(definition, job.params),
    symbols: symbolsFor(definition, job.symbols),
    interval: job.interval,
    ...(job.candles !== undefined && { candles: job.candles }),
    heartbeat,
  };
  const { findings, ...counts } = checkStrategy(options);
  findings.forEach(sendFinding);
  const collect = (globalThis as { readonly gc?: () => void }).gc;
  if (findings.length === 0 && collect !== undefined)
    checkMemory(options, collect).forEach(sendFinding);
  send({ kind: 'done', ...counts });
}

/** The strategy's file, once it is loaded. */
let strategyPath: string | undefined;

const DEFAULT_SYMBOLS = ['BTCUSDT', 'ETHUSDT'];

/** A strategy with one instance per symbol is checked on one symbol, one for all symbols on two. */
const symbolsFor = (
  definition: StrategyDefinition,
  given: readonly string[],
): readonly string[] => {
  if (given.length > 0) return given;
  return isStreamStrategy(definition) || definition.scope === 'all'
    ? DEFAULT_SYMBOLS
    : DEFAULT_SYMBOLS.slice(0, 1);
};

const LOCATED_ERROR = /^(\S.*?:\d+(?::\d+)?): ([\s\S]*)$/;

async function loadFinding(error: unknown): Promise<Finding> {
  const file = strategyPath ?? '';
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
  const [, place, message] = LOCATED_ERROR.exec(text) ?? [];
  if (place !== undefined && message !== undefined) return { place, message };
  const at = / at (\S+:\d+)$/.exec(text);
  return at?.[1] === undefined
    ? { place: file, message: text }
    : {
        place: at[1],
        message: text.slice(0, at.index),
        ...(error instanceof StrategyLoadError && {
          hint: 'it could not be created: some strategies need other symbols or parameters (--symbols, --param)',
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

const sendFinding = (finding: Finding): void => send({ kind: 'finding', finding });

function send(message: CheckMessage): void {
  writeSync(CHECK_FD, `${JSON.stringify(message)}\n`);
}

await main(JSON.parse(process.argv[2] ?? '{}') as CheckJob);
