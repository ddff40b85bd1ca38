import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { createProgram, type Commands } from './cli-program.js';
import type { Io } from './command-options.js';
import { EXIT } from './exit-code.js';
import { nodeClock } from './ports/node-clock.js';
import { nodeFiles } from './ports/node-files.js';
import { nodeKeyboard } from './ports/node-keyboard.js';
import { nodeRandom } from './ports/node-random.js';
import { nodeScheduler } from './ports/node-scheduler.js';
import { reportFailure } from './report-failure.js';
import { terminalIo } from './terminal-io.js';
import type { StartThread } from './thread/strategy-thread.js';

/** The whole program in this process. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const io = processIo();
  dieInWords(terminalIo(io), isDebug(args, io.env));
  return runCli(args, io);
}

/** One command line. @returns the exit code; what went wrong has been said on `io.stderr` */
export async function runCli(args: readonly string[], process: Io): Promise<number> {
  const io = terminalIo(process);
  const debug = isDebug(args, io.env);
  try {
    return await createProgram(version(), debug, commandsOn(io), io).parse(args);
  } catch (error) {
    // Commander has said what there is to say; help and version are no failures.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { exitCode, text } = reportFailure(error, debug);
    io.stderr(text);
    return exitCode;
  }
}

/** Each command's module is loaded when it is called: `--help` needs none of them. */
const commandsOn = (io: Io): Commands => ({
  run: async (options) => (await import('./run-command.js')).runCommand(options, io),
  sandbox: async (options) => (await import('./sandbox-command.js')).sandboxCommand(options, io),
  backtest: async (options) =>
    io.backtestThread === undefined
      ? (await import('./backtest-command.js')).backtestCommand(options, io)
      : io.backtestThread(options, io),
  plan: async (options) => (await import('./plan/plan-command.js')).planCommand(options, io),
  replay: async (options) => (await import('./replay-command.js')).replayCommand(options, io),
  why: async (options) => (await import('./why/why-command.js')).whyCommand(options, io),
  account: async (options) =>
    (await import('./account/account-command.js')).accountCommand(options, io),
  order: async (options) => (await import('./account/order-command.js')).orderCommand(options, io),
  chaos: async (options) => (await import('./chaos/chaos-command.js')).chaosCommand(options, io),
  init: async (options) => (await import('./init/init-command.js')).initCommand(options, io),
  strategyNew: async (options) =>
    (await import('./strategy/new-command.js')).newCommand(options, io),
  strategyList: async (options) =>
    (await import('./strategy/list-command.js')).listCommand(options, io),
  strategyCheck: async (options) =>
    (await import('./strategy/check-command.js')).checkCommand(options, io),
  dev: async (options) => (await import('./dev/dev-command.js')).devCommand(options, io),
  probe: async (options) => (await import('./probe/probe-command.js')).probeCommand(options, io),
});

const isDebug = (args: readonly string[], env: Io['env']): boolean =>
  args.includes('--debug') || !['', '0', undefined].includes(env['SLUICE_DEBUG']);

function processIo(): Io {
  /** One for all: their strategies are compiled once. */
  let workers: Promise<StartThread> | undefined;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader went away (`| head`). What trades goes on; there is no one to tell.
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
    // undefined, whatever its type says, where it is no terminal.
    isTerminal: Boolean(process.stderr.isTTY),
    env: process.env,
    onSignal(listener) {
      process.on('SIGINT', listener);
      process.on('SIGTERM', listener);
      return () => {
        process.off('SIGINT', listener);
        process.off('SIGTERM', listener);
      };
    },
    onHangup(listener) {
      process.on('SIGHUP', listener);
      return () => {
        process.off('SIGHUP', listener);
      };
    },
    clock: nodeClock,
    scheduler: nodeScheduler,
    random: nodeRandom,
    files: nodeFiles,
    startThread: async (job) => {
      workers ??= import('./ports/strategy-worker.js').then(({ strategyWorkers }) =>
        strategyWorkers(),
      );
      return (await workers)(job);
    },
    backtestThread: async (options, io) =>
      (await import('./ports/backtest-worker.js')).backtestOnWorker(options, io),
    keyboard: nodeKeyboard,
  };
}

/** Crash-only: what nobody caught ends the process, and the next start reconciles (hazard J10). */
function dieInWords(io: Io, debug: boolean): void {
  const die = (error: unknown): void => {
    const { exitCode, text } = reportFailure(error, debug);
    io.stderr(text);
    process.exit(exitCode);
  };
  process.once('uncaughtException', die);
  process.once('unhandledRejection', die);
}

/** Three levels up from `dist/src/app`, two from `src/app`: the nearest package.json is ours. */
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
