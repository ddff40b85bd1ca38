import { nodeTelegramThread } from '../notify/telegram/telegram-thread.js';
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { createProgram, type ExecuteCommand } from './program.js';
import { terminalIo, type Io } from './command-io.js';
import { EXIT } from '../core/exit-code.js';
import { SECRET_VARIABLE } from '../core/secret-variable.js';
import { nodeClock } from '../io/node/node-clock.js';
import { nodeFiles } from '../io/node/node-files.js';
import { nodeFolders } from '../io/node/node-folders.js';
import { nodeKeyboard } from '../io/node/node-keyboard.js';
import { nodeLocalSockets } from '../io/node/node-local-sockets.js';
import { nodeRandom } from '../io/node/node-random.js';
import { nodeScheduler } from '../io/node/node-scheduler.js';
import { onStopSignal } from '../io/node/process/node-signals.js';
import { reportFailure } from './report-failure.js';
import type { StartThread } from '../strategy/isolation/strategy-thread.js';

/** Runs the program in this process. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const io = processIo();
  exitOnUncaughtErrors(terminalIo(io), isDebug(args, io.env));
  return runCli(args, io);
}

/** Runs one command line. Prints a failure on `io.stderr`. @returns the exit code */
export async function runCli(args: readonly string[], process: Io): Promise<number> {
  const io = terminalIo(process);
  const debug = isDebug(args, io.env);
  try {
    const execute: ExecuteCommand = async (_name, options, load) => (await load())(options, io);
    return await createProgram(version(), debug, execute, io).parse(args);
  } catch (error) {
    // Commander has printed the message already; help and version are not failures.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { exitCode, text } = reportFailure(error, debug);
    io.stderr(text);
    return exitCode;
  }
}

const isDebug = (args: readonly string[], env: Io['env']): boolean =>
  args.includes('--debug') || !['', '0', undefined].includes(env['SLUICE_DEBUG']);

function processIo(): Io {
  const env = { ...process.env };
  // Code of a strategy runs in this process: the secret leaves its environment before any of it loads.
  delete process.env[SECRET_VARIABLE];
  /** Shared by all strategies, so that their files are compiled once. */
  let workers: Promise<StartThread> | undefined;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader of a pipe has closed it (`| head`). A bot that trades must not stop for that.
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return {
    stdout: (text) => {
      process.stdout.write(text);
    },
    stderr: (text) => {
      process.stderr.write(text);
    },
    // Its type says boolean, but it is undefined when the stream is not a terminal.
    isTerminal: Boolean(process.stderr.isTTY),
    // Undefined when the stream is not a terminal.
    screenRows: () => process.stdout.rows as number | undefined,
    env,
    version: version(),
    onSignal: onStopSignal,
    onHangup(listener) {
      process.on('SIGHUP', listener);
      return () => {
        process.off('SIGHUP', listener);
      };
    },
    // Windows has no such signal.
    ...(process.platform !== 'win32' && { onKillSignal }),
    sockets: nodeLocalSockets,
    clock: nodeClock,
    scheduler: nodeScheduler,
    random: nodeRandom,
    files: nodeFiles,
    folders: nodeFolders,
    startThread: async (job) => {
      workers ??= import('../strategy/isolation/strategy-worker.js').then(({ strategyWorkers }) =>
        strategyWorkers(),
      );
      return (await workers)(job);
    },
    startTelegram: nodeTelegramThread(),
    backtestThread: async (options, io) =>
      (await import('./commands/backtest/backtest-worker.js')).backtestOnWorker(options, io),
    keyboard: nodeKeyboard,
  };
}

function onKillSignal(listener: () => void): () => void {
  process.on('SIGUSR2', listener);
  return () => {
    process.off('SIGUSR2', listener);
  };
}

/** An uncaught error leaves an unknown state, so the process ends; the next start reconciles. */
function exitOnUncaughtErrors(io: Io, debug: boolean): void {
  const exitWithError = (error: unknown): void => {
    const { exitCode, text } = reportFailure(error, debug);
    io.stderr(text);
    process.exit(exitCode);
  };
  process.once('uncaughtException', exitWithError);
  process.once('unhandledRejection', exitWithError);
}

/** package.json is two levels up from `src/cli` and three from `dist/src/cli`. */
function version(): string {
  for (const up of ['../../', '../../../']) {
    const text = readOptional(new URL(`${up}package.json`, import.meta.url));
    if (text !== undefined) return String((JSON.parse(text) as { version: unknown }).version);
  }
  return 'unknown';
}

function readOptional(url: URL): string | undefined {
  try {
    return readFileSync(url, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
